import { batches } from '../../kit/batches.ts'
import type { Caller } from '../../kit/caller.ts'
import type { EntryChange } from '../../platform/resource/index.ts'
import type { Storage } from '../../platform/storage/index.ts'
import type { TemplateInput } from './schema.ts'
import type { TemplateRow, TemplateTables } from './table.ts'
import { describeEmails, type FindIncludingEmails, type IncludingEmail } from './template-in-use.ts'
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

type Namesakes = ReadonlyMap<string, readonly NamedRow[]>

/** A key of references that may mean another template than before. */
interface EditedKey {
  key: string
  /** Says what it means to the emails of a brand; undefined where that is the same. */
  describeTo(brand: number): string | undefined
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
    changed.map((row) => [row.id, editedKeys(row, edited.get(row.id) ?? row, meaning)]),
  )
  const asked = [...moved.values()].flat().map(({ key }) => key)
  const emailsByKey = await findIncludingEmails([...new Set(asked)])
  const remarks = new Map<number, string>()
  for (const [id, edits] of moved) {
    const emails = new Map<number, IncludingEmail>()
    const sentences = new Set<string>()
    for (const edit of edits)
      for (const [brand, users] of Map.groupBy(
        emailsByKey.get(edit.key) ?? [],
        (each) => each.brand,
      )) {
        const sentence = edit.describeTo(brand)
        if (sentence === undefined) continue
        sentences.add(sentence)
        for (const email of users) emails.set(email.id, email)
      }
    if (emails.size === 0) continue
    const users = describeEmails([...emails.values()], caller)
    remarks.set(id, `${[...sentences].join(' ')} This changes ${users}.`)
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

function editedKeys(
  row: NamedRow,
  before: NamedRow,
  meaning: Readonly<Record<'before' | 'after', Namesakes>>,
): EditedKey[] {
  const names = new Map([before, row].map(({ name, name_key: key }) => [key, name.trim()]))
  const ofNames = [...names].map(([key, name]) => ({
    key,
    describeTo(brand: number) {
      const old = findMeant(meaning.before.get(key) ?? [], brand)
      const now = findMeant(meaning.after.get(key) ?? [], brand)
      if (old?.id === now?.id) return undefined
      return `The name ${JSON.stringify(name)} means ${describe(now)} now; it meant ${describe(old)} before.`
    },
  }))
  const ofId = {
    key: idName(row.id),
    describeTo(brand: number) {
      const was = findMeant([before], brand) !== undefined
      const is = findMeant([row], brand) !== undefined
      if (was === is) return undefined
      return `Template ${row.id} can ${is ? 'be included now' : 'no longer be included'}.`
    },
  }
  return [...ofNames, ofId]
}

function describe(row: NamedRow | undefined): string {
  return row === undefined ? 'no template' : `template ${row.id}`
}

function byKey(rows: readonly NamedRow[]): Namesakes {
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
