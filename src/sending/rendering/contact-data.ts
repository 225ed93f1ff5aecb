import { type ContactRow, fieldValuesOf } from '../../contacts/index.ts'
import type { Mailbox } from './compose-email.ts'

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

/** The address of a contact, with his name. */
export function contactMailbox({ email, firstname, lastname }: ContactData): Mailbox {
  const name = [firstname, lastname].filter((part) => typeof part === 'string').join(' ')
  return { address: typeof email === 'string' ? email : '', name: name.trim() }
}

/** Somebody who is no contact of ours. */
export function strangerData(email: string): ContactData {
  return { id: null, email, tags: {}, segments: {} }
}

function keyed<T>(values: readonly T[]): Record<string, T> {
  return Object.fromEntries(values.map((value, index) => [String(index + 1), value]))
}
