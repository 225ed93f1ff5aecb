import { type Expression, type Kysely, type SqlBool, sql } from 'kysely'
import { pause } from '../../kit/pause.ts'
import type { TemplateTables } from '../../templates/index.ts'

/** The templates of one query: some milliseconds. */
const templatesPerRange = 1_000

/**
 * Divides the stored templates into ranges of ids, in order, each as a condition of a query. Other requests are served between
 * two of them.
 */
export async function* templateRanges(
  db: Kysely<TemplateTables>,
): AsyncGenerator<Expression<SqlBool>> {
  for (let after = 0; ; ) {
    const ids = db.selectFrom('twig_templates').select('id').where('id', '>', after)
    const rows = await ids.orderBy('id').limit(templatesPerRange).execute()
    const last = rows.at(-1)?.id
    if (last === undefined) return
    yield sql<SqlBool>`(twig_templates.id > ${after} and twig_templates.id <= ${last})`
    after = last
    await pause()
  }
}
