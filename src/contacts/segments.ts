import { type Kysely, sql } from 'kysely'
import { AppError } from '../kit/app-error.ts'
import { normalizeForSearch } from '../kit/normalize-for-search.ts'
import { pause } from '../kit/pause.ts'
import { suggest } from '../kit/suggest.ts'
import type { ListReads, Storage } from '../storage/index.ts'
import type { ContactTables } from './table.ts'

const namesPerBatch = 500
/** How many names are compared with a misspelt one. */
const suggestedFromMax = 10_000

/** A segment: a name that contacts have in their `segments`. */
export interface Segment {
  name: string
  /** How many contacts are in it. */
  contactCount: number
}

/** Which segments a list has. */
export interface SegmentQuery {
  start: number
  /** Undefined for all. */
  limit: number | undefined
  /** A part of the name, in any letter case. */
  search: string
  /** The key of the caller; see `callerKey`. */
  owner: string
  direction: 'asc' | 'desc'
}

/** Lists the segments that contacts are in, in the order of their names. `total` counts all that the search finds. */
export async function listSegments(
  storage: Storage,
  { start, limit, search, direction, owner }: SegmentQuery,
): Promise<{ total: number; segments: Segment[] }> {
  const reads = storage.lists<ContactTables>(owner, true)
  const part = normalizeForSearch(search)
  const matches: string[] = []
  for await (const names of readNames(reads.db)) {
    matches.push(...names.filter((name) => normalizeForSearch(name).includes(part)))
  }
  if (direction === 'desc') matches.reverse()
  const names = matches.slice(start, limit === undefined ? undefined : start + limit)
  return { total: matches.length, segments: await countContacts(reads, names) }
}

/**
 * Throws an AppError (`invalid`) unless the segment has a contact that an email can be sent to: a published one with an
 * address.
 */
export async function checkSegment(db: Kysely<ContactTables>, name: string): Promise<void> {
  const members = db
    .selectFrom('contact_segments')
    .innerJoin('contacts', 'contacts.id', 'contact_segments.contact_id')
    .select('contacts.id')
    .where('segment', '=', name)
  const sendable = members.where('email', 'is not', null).where('is_published', '=', true)
  if ((await sendable.limit(1).executeTakeFirst()) !== undefined) return
  if ((await members.limit(1).executeTakeFirst()) !== undefined) throw segmentEmpty(name)
  throw segmentUnknown(name, await suggestName(db, name))
}

function segmentEmpty(name: string): AppError {
  const message = `No contact in segment "${name}" is published and has an email address. Add one, or choose another segment.`
  return new AppError('invalid', 'segment_empty', message)
}

function segmentUnknown(name: string, suggestion: string | undefined): AppError {
  const advice = suggestion ?? 'GET /api/segments lists them.'
  const message = `There is no contact in a segment named "${name}". ${advice}`
  return new AppError('invalid', 'segment_unknown', message)
}

async function suggestName(db: Kysely<ContactTables>, name: string): Promise<string | undefined> {
  const candidates: string[] = []
  for await (const names of readNames(db)) {
    candidates.push(...names)
    if (candidates.length >= suggestedFromMax) break
  }
  return suggest(name, candidates)
}

/** Reads the names of all segments, in order. */
async function* readNames(db: Kysely<ContactTables>): AsyncGenerator<string[]> {
  for (let last = ''; ; ) {
    // "distinct" would read every member of every segment; this looks up one row of each.
    const { rows } = await sql<{ segment: string }>`with recursive names (segment, place) as (
        select (select min(segment) from contact_segments where segment > ${last}), 1
        union all
        select (select min(segment) from contact_segments where segment > names.segment), place + 1
        from names where names.segment is not null and place < cast(${namesPerBatch} as integer))
      select segment from names where segment is not null order by place`.execute(db)
    const names = rows.map(({ segment }) => segment)
    yield names
    const next = names.at(-1)
    if (next === undefined || names.length < namesPerBatch) return
    last = next
    await pause()
  }
}

async function countContacts(
  { db, isInTime }: ListReads<ContactTables>,
  names: readonly string[],
): Promise<Segment[]> {
  const segments: Segment[] = []
  for (const name of names) {
    const query = db.selectFrom('contact_segments').where('segment', '=', name).where(isInTime)
    const count = query.select((row) => row.fn.countAll<number>().as('count'))
    segments.push({ name, contactCount: Number((await count.executeTakeFirstOrThrow()).count) })
    if (segments.length % namesPerBatch === 0) await pause()
  }
  return segments
}
