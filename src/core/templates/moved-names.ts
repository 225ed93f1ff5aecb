import { batches } from '../../kit/batches.ts'
import type { Caller } from '../../kit/caller.ts'
import type { EntryChange } from '../../platform/resource/index.ts'
import type { Storage } from '../../platform/storage/index.ts'
import type { TemplateInput } from './schema.ts'
import type { TemplateRow, TemplateTables } from './table.ts'
import { describeEmails, type FindIncludingEmails } from './template-in-use.ts'
import { findMeant, idName } from './template-names.ts'

type NamedRow = Pick<TemplateRow, 'id' | 'name' | 'name_key' | 'is_published' | 'brand_id'>

export interface MovedNamesOptions {
  storage: Storage
  findIncludingEmails: FindIncludingEmails
}

/** Reads the templates of edits that may change which template a name means, as they are before them. */
export function readNamesBefore(
  storage: Storage,
  changes: readonly EntryChange<TemplateInput>[],
): Promise<NamedRow[]> {
  const ids = changes.flatMap(({ id, mode, values }) =>
    mode === 'put' || 'name' in values || 'isPublished' in values || 'brand' in values ? [id] : [],
  )
  return readRows(storage, 'id', ids)
}

/** A key of references that means another template than before. */
interface MovedKey {
  key: string
  sentence: string
}

/**
 * Finds what edits changed in published emails because a name, or the id of a template, means another template than before or
 * none: a sentence for each edited template that has such a name.
 * @param before Of the templates that were edited; see `readNamesBefore`.
 */
export async function findMovedNames(
  before: readonly NamedRow[],
  caller: Caller,
  { storage, findIncludingEmails }: MovedNamesOptions,
): Promise<Map<number, string>> {
  const edited = new Map(before.map((row) => [row.id, row]))
  const current = await readRows(storage, 'id', [...edited.keys()])
  const changed = current.filter((row) => hasMoved(edited.get(row.id), row))
  const keys = changed.flatMap((row) => [row.name_key, edited.get(row.id)?.name_key ?? ''])
  const after = await readRows(storage, 'name_key', [...new Set(keys)])
  const unchanged = after.filter(({ id }) => !edited.has(id))
  const meaning = { before: byKey([...unchanged, ...before]), after: byKey(after) }
  const moved = new Map(
    changed.map((row) => [row.id, movedKeys(row, edited.get(row.id) ?? row, meaning)]),
  )
  const asked = [...moved.values()].flat().map(({ key }) => key)
  const emailsByKey = await findIncludingEmails([...new Set(asked)])
  const remarks = new Map<number, string>()
  for (const [id, names] of moved) {
    const affected = names.filter(({ key }) => emailsByKey.has(key))
    const emails = new Map(
      affected.flatMap(({ key }) => emailsByKey.get(key) ?? []).map((email) => [email.id, email]),
    )
    if (emails.size === 0) continue
    const sentences = affected.map(({ sentence }) => sentence)
    const users = describeEmails([...emails.values()], caller)
    remarks.set(id, `${sentences.join(' ')} This changes ${users}.`)
  }
  return remarks
}

function hasMoved(before: NamedRow | undefined, after: NamedRow): boolean {
  return (
    before?.name_key !== after.name_key ||
    Boolean(before.is_published) !== Boolean(after.is_published) ||
    before.brand_id !== after.brand_id
  )
}

function movedKeys(
  row: NamedRow,
  before: NamedRow,
  meaning: Readonly<Record<'before' | 'after', ReadonlyMap<string, NamedRow[]>>>,
): MovedKey[] {
  const names = new Map([before, row].map(({ name, name_key: key }) => [key, name.trim()]))
  const moved: MovedKey[] = []
  for (const [key, name] of names) {
    const old = findMeant(meaning.before.get(key) ?? [], row.brand_id)
    const now = findMeant(meaning.after.get(key) ?? [], row.brand_id)
    if (old?.id === now?.id) continue
    const sentence = `The name ${JSON.stringify(name)} means ${describe(now)} now; it meant ${describe(old)} before.`
    moved.push({ key, sentence })
  }
  const was = findMeant([before], before.brand_id) !== undefined
  const is = findMeant([row], row.brand_id) !== undefined
  if (was === is) return moved
  const sentence = `Template ${row.id} can ${is ? 'be included now' : 'no longer be included'}.`
  return [...moved, { key: idName(row.id), sentence }]
}

function describe(row: NamedRow | undefined): string {
  return row === undefined ? 'no template' : `template ${row.id}`
}

function byKey(rows: readonly NamedRow[]): Map<string, NamedRow[]> {
  return Map.groupBy(rows, ({ name_key: key }) => key)
}

/** Values in one statement. */
const valuesPerBatch = 10_000

async function readRows(
  storage: Storage,
  column: 'id' | 'name_key',
  values: readonly (number | string)[],
): Promise<NamedRow[]> {
  const rows: NamedRow[] = []
  for (const part of batches(values, valuesPerBatch)) {
    const query = storage
      .tables<TemplateTables>()
      .selectFrom('twig_templates')
      .select(['id', 'name', 'name_key', 'is_published', 'brand_id'])
    rows.push(...(await query.where(column, 'in', part as never[]).execute()))
  }
  return rows
}
