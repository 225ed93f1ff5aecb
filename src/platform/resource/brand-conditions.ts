import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type Caller, noBrand } from '../../kit/caller.ts'

/** As `owns`, as a condition of a query. */
export function ownedBy(
  { brands }: Pick<Caller, 'brands'>,
  column = 'brand_id',
): RawBuilder<SqlBool> {
  if (brands === 'all') return sql`1 = 1`
  if (brands.length === 0) return sql`1 = 0`
  const isAmong = sql<SqlBool>`${sql.ref(column)} in (${sql.join(brands)})`
  // SQLite reads an index of rows with a brand only where its condition is repeated.
  return brands.includes(noBrand) ? isAmong : sql`(${sql.ref(column)} <> 0 and ${isAmong})`
}

/** As `sees`, as a condition of a query. */
export function seenBy({ brands }: Pick<Caller, 'brands'>, column = 'brand_id') {
  return ownedBy({ brands: brands === 'all' ? brands : [noBrand, ...brands] }, column)
}
