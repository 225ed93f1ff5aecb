import { type RawBuilder, type SqlBool, sql, type Transaction } from 'kysely'
import { AppError } from '../../../kit/app-error.ts'
import type { Brands, Caller } from '../../../kit/caller.ts'
import { validationError } from '../../http/index.ts'
import type { ResourceAccess } from '../../resource/index.ts'
import type { UserRow } from '../table.ts'
import { type UserInput, userRecord } from './user-schema.ts'

/** The brands of a user as a caller. */
export function brandsOf(row: Pick<UserRow, 'brands'>): Brands {
  const brands = JSON.parse(row.brands) as number[]
  return brands.length === 0 ? 'all' : brands
}

/** Whether a caller has all brands of a user. */
function covers({ brands }: Pick<Caller, 'brands'>, ofUser: Brands): boolean {
  if (brands === 'all') return true
  return ofUser !== 'all' && ofUser.every((id) => brands.includes(id))
}

/** Whether a caller with brands may view a user. */
export function coversUser(caller: Pick<Caller, 'brands'>, user: Pick<UserRow, 'brands'>): boolean {
  return covers(caller, brandsOf(user))
}

/** Callers with brands see and change the users who have only such brands. */
export const userAccess: ResourceAccess<UserRow, UserInput> = {
  scopeOf(caller) {
    if (caller.brands === 'all') return undefined
    return { includes: (row) => coversUser(caller, row), condition: usersOf(caller) }
  },
  withBrand({ input, current, caller }) {
    const { brands = current === undefined ? [] : userRecord.toValues(current).brands } = input
    if (caller.brands !== 'all' && brands.length === 0)
      throw validationError({ brands: ['is missing: name some of your brands'] })
    // A replacement that leaves them out must not give all brands.
    if (covers(caller, brands)) return { ...input, brands }
    throw new AppError('forbidden', 'more_than_own_rights', 'You may give your own brands only.')
  },
}

/** The JSON list `[1,2]` as `,1,,2,`. */
const list = sql`replace(replace(replace(users.brands, ',', ',,'), '[', ','), ']', ',')`

/** Whether a user has a brand among others, as a condition of a query over `users`. */
export function hasBrand(id: number): RawBuilder<SqlBool> {
  return sql`${list} like ${`%,${id},%`}`
}

/** As `userAccess`, as a condition of a query over `users`. */
export function usersOf({ brands }: Pick<Caller, 'brands'>): RawBuilder<SqlBool> {
  if (brands === 'all') return sql`1 = 1`
  // Nothing is left without the ids.
  const others = brands.reduce((text, id) => sql`replace(${text}, ${`,${id},`}, '')`, list)
  return sql`(users.brands <> '[]' and ${others} = '')`
}

/** Throws an AppError (`invalid`) for a list of brands with one that does not exist. */
export async function checkBrandsExist(tx: Transaction<object>, brands: string): Promise<void> {
  const ids = JSON.parse(brands) as number[]
  if (ids.length === 0) return
  const query = tx.withTables<{ brands: { id: number } }>().selectFrom('brands').select('id')
  const known = new Set((await query.where('id', 'in', ids).execute()).map(({ id }) => id))
  const missing = ids.find((id) => !known.has(id))
  if (missing === undefined) return
  throw validationError({ brands: [`names no brand: there is none with the id ${missing}`] })
}
