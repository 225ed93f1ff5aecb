import type { Transaction } from 'kysely'
import type { RestoredItem } from '../resource/index.ts'
import type { TemplateRow, TemplateTables } from './table.ts'
import { isUsableBy } from './template-sources.ts'

/** The published templates with the name of a template that its Mautic may use, by their ids. */
export async function findNamesakes(
  tx: Transaction<object>,
  { id, name_key: key, mautic_id: mauticId }: TemplateRow,
): Promise<number[]> {
  const query = tx.withTables<TemplateTables>().selectFrom('twig_templates').select('id')
  const named = query.where('name_key', '=', key).where('is_published', '=', true)
  const others = named.where('id', '<>', id).where(isUsableBy(mauticId ?? undefined))
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
