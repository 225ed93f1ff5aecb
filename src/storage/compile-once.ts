import type { CompiledQuery, Kysely } from 'kysely'

/**
 * A query for at most one row whose SQL is compiled at its first use: compiling costs more than
 * running it. `build` gives placeholder values, in whose places the parameters are put, in order.
 */
export function compileOnce<Row, Tables>(
  db: Kysely<Tables>,
  build: () => CompiledQuery,
): (...parameters: unknown[]) => Promise<Row | undefined> {
  let compiled: CompiledQuery | undefined
  return async (...parameters) => {
    compiled ??= build()
    const { rows } = await db.executeQuery({ ...compiled, parameters })
    return rows[0] as Row | undefined
  }
}
