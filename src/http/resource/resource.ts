import type { TObject, TSchema } from 'typebox'
import type { ListFields } from '../list/where.ts'

/** How a resource looks from outside. */
export interface ResourceShape {
  /** `/api/twigTemplates` */
  path: string
  /** The names that wrap one entry and a list of them: `twigTemplate`, `twigTemplates`. */
  one: string
  many: string
  /** As in a sentence: `Twig template`. */
  label: string
  /** Of the permissions `area:view`, `area:create`, `area:edit` and `area:delete`. */
  area: string
  /** Whether one entry and a list stand alone, as the contract has them for transports. */
  isBare?: boolean
  /** Whether a list is an object keyed by id, as Mautic has it for emails and contacts. */
  isKeyed?: boolean
  /** Whether creating an entry that exists changes that one, and is answered 200. */
  updatesExisting?: boolean
  /** How many entries a list has where the query does not say; undefined for all. */
  listLimit: number | undefined
  /** What lists may be filtered and ordered by. */
  fields: ListFields
  /** Its example is the record that the first example of `input` creates in a fresh installation. */
  item: TSchema
  /** All values; those that may be left out are optional. Its two examples are of different records. */
  input: TObject
  /** The example of an edit. */
  exampleChange: Record<string, unknown>
}
