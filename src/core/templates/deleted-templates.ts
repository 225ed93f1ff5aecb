import type { Transaction } from 'kysely'
import { batches } from '../../kit/batches.ts'
import { createPacer } from '../../kit/pause.ts'
import { type RestoredItem, seenBy } from '../../platform/resource/index.ts'
import type { TemplateRow, TemplateTables } from './table.ts'

/** A version may have a megabyte. */
const versionsPerStatement = 5

const columns = [
  'template_id',
  'version',
  'name',
  'description',
  'template',
  'saved_at',
  'saved_by',
  'note',
] as const

type VersionTable = 'twig_template_versions' | 'deleted_template_versions'

/** Keeps the versions of a template that is being deleted. The database moves them: no version is read. */
export function keepVersions(tx: Transaction<object>, templateId: number): Promise<void> {
  const tables = { from: 'twig_template_versions', to: 'deleted_template_versions' } as const
  return moveVersions(tx, templateId, tables)
}

/** Writes back the versions of a template that is being restored. */
export async function restoreVersions(
  tx: Transaction<object>,
  { row }: RestoredItem<TemplateRow>,
): Promise<string[]> {
  const tables = { from: 'deleted_template_versions', to: 'twig_template_versions' } as const
  await moveVersions(tx, row.id, tables)
  return []
}

async function moveVersions(
  tx: Transaction<object>,
  templateId: number,
  { from, to }: { from: VersionTable; to: VersionTable },
): Promise<void> {
  const db = tx.withTables<TemplateTables>()
  const query = db.selectFrom(from).select('version').where('template_id', '=', templateId)
  const versions = (await query.orderBy('version').execute()).map(({ version }) => version)
  const pace = createPacer()
  for (const batch of batches(versions, versionsPerStatement)) {
    const moved = db.selectFrom(from).select(columns).where('template_id', '=', templateId)
    const copied = moved.where('version', 'in', batch)
    await db.insertInto(to).columns(columns).expression(copied).execute()
    const remove = db.deleteFrom(from).where('template_id', '=', templateId)
    await remove.where('version', 'in', batch).execute()
    await pace()
  }
}

/** The published templates with the name of a template that its brand may use, by their ids. */
export async function findNamesakes(
  tx: Transaction<object>,
  { id, name_key: key, brand_id: brand }: TemplateRow,
): Promise<number[]> {
  const query = tx.withTables<TemplateTables>().selectFrom('twig_templates').select('id')
  const named = query.where('name_key', '=', key).where('is_published', '=', true)
  const others = named.where('id', '<>', id).where(seenBy({ brands: [brand] }))
  return (await others.orderBy('id').execute()).map((row) => row.id)
}

/**
 * Checks whether a deleted template can have its name again. It is restored unpublished where another template took the name
 * since: else it would change what the emails that include this name print.
 * `related` has the namesakes that it had when it was deleted.
 */
export async function checkNamesakes(
  tx: Transaction<object>,
  { row, related }: RestoredItem<TemplateRow>,
) {
  if (!row.is_published) return undefined
  const { namesakes: before } = related as { namesakes: number[] }
  const other = (await findNamesakes(tx, row)).find((id) => !before.includes(id))
  if (other === undefined) return undefined
  const warning =
    `Template ${other} is named ${JSON.stringify(row.name)} by now, and emails that include this name print it. ` +
    `Template ${row.id} was restored unpublished; publish it to use it instead.`
  return { columns: { is_published: false }, warnings: [warning] }
}
