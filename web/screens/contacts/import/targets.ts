import type { CsvRow } from '../../../../src/kit/read-csv.ts'
import type { Schema } from '../../../lib/api.ts'
import { contactWords } from '../../../words/contacts.ts'
import { importWords } from '../../../words/import.ts'
import { type TextField, textFields } from '../draft.ts'

/** What a column is imported as; empty: it is not imported. */
export type Target = TextField | 'points' | 'owner' | 'tags' | 'segments' | ''

/** How the rows of a file become contacts. */
export interface Mapping {
  /** By column, in order. */
  targets: readonly Target[]
  /** Added to every contact. */
  tags: readonly string[]
  segments: readonly string[]
}

/** What a row says of a contact. Whether it is published stays as it is. */
export type ContactOfRow = Omit<Schema<'ContactInput'>, 'isPublished'> & { email: string }

const text = importWords

/** All targets, in the order in which they are offered. */
export const allTargets: readonly Exclude<Target, ''>[] = [
  ...textFields,
  'segments',
  'tags',
  'points',
  'owner',
]

/** Names of columns beside the names of the fields, as other programs write them. */
const otherNames: Partial<Record<Exclude<Target, ''>, string>> = {
  email: 'mail emailaddress mailaddress emails',
  title: 'salutation',
  firstname: 'first givenname forename',
  lastname: 'last surname familyname',
  company: 'organization organisation companyname',
  position: 'jobtitle role',
  mobile: 'mobilephone cellphone cell',
  phone: 'phonenumber telephone',
  address1: 'street address streetaddress',
  city: 'town',
  state: 'region province',
  zipcode: 'zip postcode postalcode',
  preferred_locale: 'locale language',
  website: 'url homepage',
  points: 'score',
  owner: 'ownerid',
  tags: 'tag labels',
  segments: 'segment lists list',
}

/** Guesses the targets of columns by their names; without a name, the address by its values. Each target once. */
export function guessTargets(
  columns: readonly string[],
  samples: readonly CsvRow[],
): readonly Target[] {
  const known = new Map<string, Target>()
  for (const target of allTargets) {
    for (const name of otherNames[target]?.split(' ') ?? []) known.set(name, target)
    known.set(plainName(target), target)
    known.set(plainName(contactWords.labels[target]), target)
  }
  const used = new Set<Target>()
  const take = (target: Target): Target => {
    if (used.has(target)) return ''
    used.add(target)
    return target
  }
  const guessed = columns.map((column) => take(known.get(plainName(column)) ?? ''))
  if (used.has('email')) return guessed
  const place = columns.findIndex((_, index) => hasAddresses(samples, index))
  return guessed.map((target, index) => (index === place ? 'email' : target))
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
}

function hasAddresses(samples: readonly CsvRow[], index: number): boolean {
  const values = samples.map(({ values: row }) => row[index] ?? '').filter((value) => value !== '')
  return values.length > 0 && values.every((value) => /^\S+@\S+\.\S+$/.test(value.trim()))
}

/** A contact of a row, or why the row has none. */
export type RowResult = { contact: ContactOfRow } | { fault: string }

/** Creates the contact of a row. Empty values change nothing. */
export function contactOf({ values }: CsvRow, mapping: Mapping): RowResult {
  const { targets, tags, segments } = mapping
  if (values.length > targets.length)
    return { fault: text.tooManyValues(values.length, targets.length) }
  const lists = { tags: [...tags], segments: [...segments] }
  const contact: Partial<ContactOfRow> = {}
  for (const [index, target] of targets.entries()) {
    const value = (values[index] ?? '').trim()
    if (target === '' || value === '') continue
    if (target === 'tags' || target === 'segments') lists[target].push(...splitList(value))
    else if (target === 'points' || target === 'owner') {
      if (!/^-?\d{1,15}$/.test(value))
        return { fault: target === 'points' ? text.pointsInvalid(value) : text.ownerInvalid(value) }
      contact[target] = Number(value)
    } else contact[target] = value
  }
  const { email } = contact
  if (!email) return { fault: text.noAddress }
  if (lists.tags.length > 0) contact.tags = [...new Set(lists.tags)]
  if (lists.segments.length > 0) contact.segments = [...new Set(lists.segments)]
  return { contact: { ...contact, email } }
}

function splitList(value: string): string[] {
  return value
    .split(/[,;|]/)
    .map((each) => each.trim())
    .filter((each) => each !== '')
}

/** What keeps a mapping from being used; undefined where nothing does. */
export function faultOfMapping({ targets }: Mapping): string | undefined {
  if (!targets.includes('email')) return text.needsEmail
  const isList = (target: Target) => target === '' || target === 'tags' || target === 'segments'
  const twice = targets.find((target, index) => !isList(target) && targets.indexOf(target) < index)
  return twice === undefined || twice === '' ? undefined : text.twice(contactWords.labels[twice])
}
