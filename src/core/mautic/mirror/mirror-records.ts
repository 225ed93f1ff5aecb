import { emailKey, searchTextOf } from '../../../kit/normalize-for-search.ts'
import { asCount, asFlag, asObject, asText, asTime } from '../../mautic-client/index.ts'
import type { MauticEmailRow, MauticUserRow, MirrorRow } from '../table.ts'
import { subjectKey } from './subject-key.ts'

type JsonObject = Readonly<Record<string, unknown>>

/** One kind of record that is copied from Mautics. */
export interface MirrorKind<Row extends MirrorRow> {
  table: 'mautic_emails' | 'mautic_users'
  /** As in a sentence. The members of answers are named alike, and the path of the list is `/api/{many}`. */
  one: 'Email' | 'User'
  many: 'emails' | 'users'
  /** The query of each list. */
  query: Readonly<Record<string, string | number>>
  /** A column that `query` leaves out; null where a Mautic does not have it. */
  detail?: keyof Row
  /** Reads the columns that only this kind has. */
  readColumns: (json: JsonObject) => Omit<Row, Exclude<keyof MirrorRow, 'search_text'>>
  /** How a person recognizes the record. */
  nameOf: (row: Row) => string
}

export const emailKind: MirrorKind<MauticEmailRow> = {
  table: 'mautic_emails',
  one: 'Email',
  many: 'emails',
  query: { minimal: 1 },
  detail: 'send_to_dnc',
  readColumns(json) {
    const [name, subject] = [storable(json['name']), storable(json['subject'])]
    const search_text = searchTextOf(name, subject)
    const { sendToDnc } = json
    const send_to_dnc = sendToDnc === undefined || sendToDnc === null ? null : asFlag(sendToDnc)
    return { name, subject, subject_key: subjectKey(subject), search_text, send_to_dnc }
  },
  nameOf: ({ name }) => name,
}

export const userKind: MirrorKind<MauticUserRow> = {
  table: 'mautic_users',
  one: 'User',
  many: 'users',
  query: {},
  readColumns(json) {
    const [username, email] = [storable(json['username']), storable(json['email'])]
    const [first_name, last_name] = [storable(json['firstName']), storable(json['lastName'])]
    const search_text = searchTextOf(first_name, last_name, username, email)
    return { username, email, email_key: emailKey(email), first_name, last_name, search_text }
  },
  nameOf: ({ username }) => username,
}

/** Returns the row of a record; undefined for something else. */
export function toRow<Row extends MirrorRow>(
  kind: MirrorKind<Row>,
  mauticId: number,
  value: unknown,
): Row | undefined {
  const json = asObject(value)
  const id = asCount(json['id'])
  if (id === undefined) return undefined
  const stamps = {
    mautic_id: mauticId,
    id,
    is_published: asFlag(json['isPublished']),
    date_added: asTime(json['dateAdded']),
    date_modified: asTime(json['dateModified']),
  }
  return { ...stamps, ...kind.readColumns(json) } as unknown as Row
}

const textMax = 1_000

/** A text that every database stores. */
export function storable(value: unknown): string {
  return asText(value).replaceAll('\0', '').slice(0, textMax).toWellFormed()
}
