import { type ContactRow, fieldValuesOf } from '../../contacts/index.ts'

/** A contact as templates and tokens see it: its fields by alias, its tags and its segments. */
export type ContactData = Readonly<Record<string, unknown>>

/** What templates know as `contact`. Tags and segments are keyed by their place, as Mautic keys them by id. */
export function contactDataOf(row: ContactRow): ContactData {
  return {
    ...fieldValuesOf(row),
    owner_id: row.owner_id,
    tags: keyed(JSON.parse(row.tags) as string[]),
    segments: keyed((JSON.parse(row.segments) as string[]).map((name) => ({ name, alias: name }))),
  }
}

/** Somebody who is no contact of ours. */
export function strangerData(email: string): ContactData {
  return { id: null, email, tags: {}, segments: {} }
}

function keyed<T>(values: readonly T[]): Record<string, T> {
  return Object.fromEntries(values.map((value, index) => [String(index + 1), value]))
}
