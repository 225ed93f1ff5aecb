import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type Caller, noBrand } from '../../kit/caller.ts'

/** As `owns`, as a condition of a query. */
export function ownedBy(
  { brands }: Pick<Caller, 'brands'>,
  column = 'brand_id',
): RawBuilder<SqlBool> {
  if (brands === 'all') return sql`1 = 1`
  return brands.length === 0 ? sql`1 = 0` : sql`${sql.ref(column)} in (${sql.join(brands)})`
}

/** As `sees`, as a condition of a query. */
export function seenBy(
  { brands }: Pick<Caller, 'brands'>,
  column = 'brand_id',
): RawBuilder<SqlBool> {
  return ownedBy({ brands: brands === 'all' ? brands : [noBrand, ...brands] }, column)
}
