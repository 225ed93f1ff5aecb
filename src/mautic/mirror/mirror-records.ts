import { emailKey, searchTextOf } from '../../kit/normalize-for-search.ts'
import { asCount, asFlag, asList, asObject, asText, asTime } from '../client/read-answer.ts'
import type { MauticEmailRow, MauticUserRow, MirrorRow } from '../table.ts'
import { subjectKey } from './subject-key.ts'

/** One kind of record that is copied from Mautics. */
export interface MirrorKind<Row extends MirrorRow> {
  table: 'mautic_emails' | 'mautic_users'
  /** As in a sentence. */
  one: string
  many: string
  path: string
  /** The members of answers that hold a list and one record. */
  listMember: string
  member: string
  /** The query of each list. */
  query: Readonly<Record<string, string | number>>
  /** Returns the row of a record; undefined for something else. */
  toRow: (mauticId: number, json: unknown) => Row | undefined
  /** How a person recognizes the record. */
  nameOf: (row: Row) => string
}

export const emailKind: MirrorKind<MauticEmailRow> = {
  table: 'mautic_emails',
  one: 'Email',
  many: 'emails',
  path: '/api/emails',
  listMember: 'emails',
  member: 'email',
  query: { minimal: 1 },
  toRow(mauticId, json) {
    const stamps = readStamps(mauticId, json)
    if (stamps === undefined) return undefined
    const { name, subject } = asObject(json)
    const texts = { name: storable(name), subject: storable(subject) }
    return {
      ...stamps,
      ...texts,
      subject_key: subjectKey(texts.subject),
      search_text: searchTextOf(texts.name, texts.subject),
    }
  },
  nameOf: ({ name }) => name,
}

export const userKind: MirrorKind<MauticUserRow> = {
  table: 'mautic_users',
  one: 'User',
  many: 'users',
  path: '/api/users',
  listMember: 'users',
  member: 'user',
  query: {},
  toRow(mauticId, json) {
    const stamps = readStamps(mauticId, json)
    if (stamps === undefined) return undefined
    const user = asObject(json)
    const texts = {
      username: storable(user['username']),
      email: storable(user['email']),
      first_name: storable(user['firstName']),
      last_name: storable(user['lastName']),
    }
    const searched = [texts.first_name, texts.last_name, texts.username, texts.email]
    const keys = { email_key: emailKey(texts.email), search_text: searchTextOf(...searched) }
    return { ...stamps, ...texts, ...keys }
  },
  nameOf: ({ username }) => username,
}

function readStamps(mauticId: number, json: unknown) {
  const { id, isPublished, dateAdded, dateModified } = asObject(json)
  const count = asCount(id)
  if (count === undefined) return undefined
  return {
    mautic_id: mauticId,
    id: count,
    is_published: asFlag(isPublished),
    date_added: asTime(dateAdded),
    date_modified: asTime(dateModified),
  }
}

const textMax = 1_000

/** A text that every database stores. */
export function storable(value: unknown): string {
  return asText(value).replaceAll('\0', '').slice(0, textMax).toWellFormed()
}

/** Reads the rows of a list. */
export function readRows<Row extends MirrorRow>(
  kind: MirrorKind<Row>,
  mauticId: number,
  answer: unknown,
): Row[] {
  const list = asList(asObject(answer)[kind.listMember])
  return list.flatMap((json) => kind.toRow(mauticId, json) ?? [])
}
