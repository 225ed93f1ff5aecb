import type { Kysely } from 'kysely'
import { fold } from '../kit/fold.ts'
import type { ContactRow, ContactTables } from './table.ts'

const addressesAtOnce = 100

/**
 * Makes one contact of those that have the same address: the oldest id stays. Of each field the value that was saved last
 * and is not empty wins; tags and segments are united. Runs in the migration that lets an address have one contact.
 */
export async function mergeDuplicates(db: Kysely<ContactTables>): Promise<void> {
  for (;;) {
    const shared = await db
      .selectFrom('contacts')
      .select('email_key')
      .where('email_key', 'is not', null)
      .groupBy('email_key')
      .having((having) => having.fn.countAll(), '>', 1)
      .limit(addressesAtOnce)
      .execute()
    if (shared.length === 0) return
    const keys = shared.flatMap(({ email_key: key }) => key ?? [])
    const query = db.selectFrom('contacts').selectAll().where('email_key', 'in', keys)
    const rows = await query.orderBy('id').execute()
    for (const same of Map.groupBy(rows, ({ email_key: key }) => key).values()) {
      await mergeInto(db, same)
    }
  }
}

/** `rows` are in id order. */
async function mergeInto(db: Kysely<ContactTables>, rows: readonly ContactRow[]): Promise<void> {
  const [kept, ...others] = rows
  if (kept === undefined) return
  const { id, segments, ...values } = mergedRow(kept, rows)
  const ids = others.map((row) => row.id)
  await db
    .deleteFrom('contact_segments')
    .where('contact_id', 'in', [id, ...ids])
    .execute()
  await db.deleteFrom('contacts').where('id', 'in', ids).execute()
  await db
    .updateTable('contacts')
    .set({ ...values, segments: JSON.stringify(segments) })
    .where('id', '=', id)
    .execute()
  for (const segment of segments) {
    await db.insertInto('contact_segments').values({ segment, contact_id: id }).execute()
  }
}

/** As a user would have it who had edited the first one all the while. Who got mail before still gets it. */
function mergedRow(kept: ContactRow, rows: readonly ContactRow[]) {
  const byAge = rows.toSorted((one, other) => savedAt(one) - savedAt(other) || one.id - other.id)
  const newest = byAge.at(-1) ?? kept
  const fields: Record<string, string> = Object.assign({}, ...byAge.map(fieldsOf))
  const newestOf = <T>(pick: (row: ContactRow) => T) => byAge.map(pick).findLast(Boolean)
  return {
    id: kept.id,
    email: newest.email,
    owner_id: newestOf((row) => row.owner_id) ?? null,
    points: newestOf((row) => row.points) ?? 0,
    field_values: JSON.stringify(fields),
    tags: JSON.stringify(unite(rows.map(({ tags }) => tags))),
    segments: unite(rows.map((row) => row.segments)),
    is_published: rows.some((row) => Boolean(row.is_published)),
    search_text: fold(fields['firstname'], fields['lastname'], newest.email, fields['company']),
    date_modified: newest === kept ? kept.date_modified : savedAt(newest),
    modified_by: newest.modified_by ?? newest.created_by,
    modified_by_id: newest.modified_by_id ?? newest.created_by_id,
    revision: Math.max(...rows.map(({ revision }) => revision)) + 1,
  }
}

function savedAt(row: ContactRow): number {
  return row.date_modified ?? row.date_added
}

/** Only those that are not empty are stored. */
function fieldsOf(row: ContactRow): Record<string, string> {
  return JSON.parse(row.field_values) as Record<string, string>
}

function unite(lists: readonly string[]): string[] {
  return [...new Set(lists.flatMap((list) => JSON.parse(list) as string[]))]
}
