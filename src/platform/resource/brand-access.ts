import type { Kysely } from 'kysely'
import { AppError } from '../../kit/app-error.ts'
import { type Caller, noBrand, type OfBrand, owns, sees } from '../../kit/caller.ts'
import type { MaybePromise } from '../../kit/maybe-promise.ts'
import { validationError } from '../http/index.ts'
import type { RecordRow, Storage } from '../storage/index.ts'
import { ownedBy, seenBy } from './brand-conditions.ts'
import type { ItemToPrepare, ResourceAccess } from './definition.ts'

type BrandInput = { brand?: number | null }
type BrandItem<Row extends RecordRow, Input> = Pick<
  ItemToPrepare<Row, Input>,
  'input' | 'current' | 'caller'
>

export interface BrandAccessOptions {
  /** As a sentence begins: `Transport`. */
  label: string
  storage: Storage
  /** Whether records without a brand are hidden from callers with brands, and not read-only for them. Default: no. */
  isPrivate?: boolean
}

/**
 * Callers with brands see the records of their brands and those without a brand, and change those of their brands. What they
 * create belongs to their brand. The resource needs the field `brand`.
 */
export function brandAccess<Row extends RecordRow & OfBrand, Input extends BrandInput>({
  label,
  storage,
  isPrivate = false,
}: BrandAccessOptions) {
  return {
    scopeOf(caller: Caller) {
      if (caller.brands === 'all') return undefined
      return isPrivate
        ? { includes: (row: Row) => owns(caller, row.brand_id), condition: ownedBy(caller) }
        : { includes: (row: Row) => sees(caller, row.brand_id), condition: seenBy(caller) }
    },
    checkChangeable(row: Row, caller: Caller) {
      if (!owns(caller, row.brand_id)) throw recordShared(label, row.id)
    },
    withBrand: (item: BrandItem<Row, Input>): MaybePromise<Input> => withBrand(item, storage),
    async checkRestorable(tx: Kysely<object>, { id, brand_id: brand }: Row) {
      if (brand === noBrand || (await exists(tx, brand))) return
      const message = `${label} ${id} belonged to brand ${brand}, which is deleted. Create it again in another brand.`
      throw new AppError('conflict', 'brand_deleted', message)
    },
  } satisfies ResourceAccess<Row, Input>
}

/** The error for a change by a caller with brands of what belongs to none. */
export function recordShared(label: string, id: number): AppError {
  const message = `${label} ${id} belongs to no brand: all brands use it. Only who has all brands may change it, test it and delete it.`
  return new AppError('forbidden', 'record_shared', message)
}

/** The brand of what a caller creates without naming one; undefined where they have several. */
export function defaultBrand({ brands }: Pick<Caller, 'brands'>): number | undefined {
  if (brands === 'all') return noBrand
  return brands.length === 1 ? brands[0] : undefined
}

async function exists(db: Kysely<object>, brand: number): Promise<boolean> {
  const query = db.withTables<{ brands: { id: number } }>().selectFrom('brands').select('id')
  return (await query.where('id', '=', brand).executeTakeFirst()) !== undefined
}

/** Returns an input with the brand that its record is to have. Throws an AppError (`invalid`, `forbidden`, `not_found`). */
function withBrand<Row extends RecordRow & OfBrand, Input extends BrandInput>(
  { input, current, caller }: BrandItem<Row, Input>,
  storage: Storage,
): MaybePromise<Input> {
  const { brand: named } = input
  const brand = named === undefined ? (current?.brand_id ?? defaultBrand(caller)) : named
  if (brand === undefined && caller.brands.length > 0)
    throw validationError({ brand: ['is missing: name one of your brands'] })
  const id = brand ?? noBrand
  const result = { ...input, brand: id === noBrand ? null : id }
  if (id === current?.brand_id) return result
  if (id === noBrand) {
    if (owns(caller, id)) return result
    const message =
      caller.mautic === undefined
        ? 'Only who has all brands may create what belongs to no brand, or take a record out of its brand.'
        : `Mautic "${caller.mautic.name}" has no brand. Give it one: what is created at its address belongs to that.`
    throw new AppError('forbidden', 'brand_needed', message)
  }
  const isFound = owns(caller, id) ? exists(storage.tables(), id) : Promise.resolve(false)
  return isFound.then((isReachable) => {
    if (!isReachable) throw new AppError('not_found', 'brand_not_found', `Brand not found: ${id}`)
    return result
  })
}
