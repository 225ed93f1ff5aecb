import Type, { type TObject, type TSchema } from 'typebox'
import type { Caller } from '../../kit/caller.ts'
import { type Callers, type HttpApp, idParameter, type RoutePermission } from '../http/index.ts'
import type { ListParameters } from './list-query/parse-list-query.ts'
import type { ListFields } from './list-query/where.ts'
import type { ResourceService } from './resource-service.ts'

/** What the API shows of a resource: its paths, names and schemas. */
export interface ResourceShape {
  /** `/api/twigTemplates` */
  path: string
  /** The members that hold one record and a list of them: `twigTemplate`, `twigTemplates`. */
  one: string
  many: string
  /** As in a sentence: `Twig template`. */
  label: string
  /** The permissions are `area:view`, `area:create`, `area:edit` and `area:delete`. */
  area: string
  /** Whether only callers of all brands change its records. */
  isOfInstallation?: boolean
  /** Whether a record and a list are sent without such a member, as the contract asks for transports. */
  isBare?: boolean
  /** Whether a list is an object keyed by id, as Mautic sends emails and contacts. */
  isKeyed?: boolean
  /** Whether creating a record that exists changes that one and is answered 200. */
  updatesExisting?: boolean
  /**
   * The schema of the report on a test. It is there if records can be tested before they are saved, with `ifTestPasses=1`; the
   * service tests them then.
   */
  testReport?: TSchema
  /** Whether a deletion searches other records for uses, which takes long. */
  searchesUses?: boolean
  /** How many records a list has where the query has no limit. Default: all. */
  listLimit?: number | undefined
  /** The fields that lists are filtered and ordered by. */
  fields: ListFields
  /** Query parameters that only this list has. */
  parameters?: ListParameters
  /** Its example is the record that the first example of `input` creates in a new installation. */
  item: TSchema
  /** All values, some of them optional. Its two examples are of different records. */
  input: TObject
  /** The example of an edit. */
  exampleChange: Record<string, unknown>
}

/** What a route of a resource requires of its caller. */
export function configOf({ area, isOfInstallation = false }: ResourceShape, level: string) {
  return {
    permission: `${area}:${level}` as const,
    needsAllBrands: isOfInstallation && level !== 'view',
  }
}

/** What the API shows of a list that is not the list of a resource. */
export interface ListShape
  extends Pick<
    ResourceShape,
    'path' | 'many' | 'label' | 'isBare' | 'isKeyed' | 'listLimit' | 'fields' | 'parameters'
  > {
  item: TSchema
  permissions: readonly RoutePermission[]
  tag: string
  /** More query parameters, which `callers` reads. */
  query?: Readonly<Record<string, TSchema>>
}

/** A member that the items of a list have only where the query asks for it: `with=usage`. */
export interface ListExtra {
  schema: TSchema
  /** Returns the member of each record, in the order of the ids. It is called once for each page. */
  find: (ids: readonly number[], caller: Caller) => Promise<readonly unknown[]>
}

export interface ResourceParts<Item, Input> {
  service: ResourceService<Item, Input>
  callers: Callers
  /** By the name of the member. */
  extras?: Readonly<Record<string, ListExtra>>
}

/** A resource whose routes are added to a server. */
export interface RoutedResource<Item, Input> {
  app: HttpApp
  shape: ResourceShape
  service: ResourceService<Item, Input>
  callers: Callers
}

/** Whether a caller may see the records that they delete or restore. Others are answered the ids alone. */
export function mayView(caller: Caller, { area }: Pick<ResourceShape, 'area'>): boolean {
  return caller.can(`${area}:view`)
}

/** The examples of a resource in the OpenAPI document, all about the same two records. */
export interface ResourceExamples {
  item: Record<string, unknown> & { id: number }
  /** What creates the first record, and the second. */
  inputs: readonly [unknown, unknown]
  change: Record<string, unknown>
  /** The id that the second record gets. */
  secondId: number
}

/** Reads the examples of a resource; throws where one is missing. */
export function examplesOf({ label, item, input, exampleChange }: ResourceShape): ResourceExamples {
  const [example] = (item as { examples?: ResourceExamples['item'][] }).examples ?? []
  const [first, second] = (input as { examples?: unknown[] }).examples ?? []
  if (example === undefined || first === undefined || second === undefined) {
    throw new Error(`${label}: give its item one example and its input two.`)
  }
  const secondId = example.id + 1
  return { item: example, inputs: [first, second], change: exampleChange, secondId }
}

export function pathOfOne(shape: ResourceShape) {
  return Type.Object({ id: idParameter(`Id of the ${shape.label}.`, examplesOf(shape).item.id) })
}

/** The name of an operation on a resource: `createTwigTemplate`. */
export function operationId(verb: string, { label }: { label: string }, ending = ''): string {
  const words = label.split(' ').map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  return `${verb}${words.join('')}${ending}`
}

/** A label after its article: `an OAuth client`. */
export function withArticle({ label }: ResourceShape): string {
  return `${/^[aeio]/i.test(label) ? 'an' : 'a'} ${label}`
}
