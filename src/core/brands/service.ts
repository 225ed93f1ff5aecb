import { sql, type Transaction } from 'kysely'
import { AppError, type FaultDetails } from '../../kit/app-error.ts'
import type { Caller } from '../../kit/caller.ts'
import type { Clock } from '../../kit/clock.ts'
import { hasBrand } from '../../platform/auth/index.ts'
import { validationError } from '../../platform/http/index.ts'
import { openResource, ownedBy, type Resource } from '../../platform/resource/index.ts'
import { brandsChannel, openRecordStore, type Storage } from '../../platform/storage/index.ts'
import { readDomains } from './brand-domains.ts'
import { type BrandInput, type BrandItem, brandFields, brandRecord, colorOf } from './schema.ts'
import { type BrandRow, ofBrands } from './table.ts'

export type Brands = Resource<BrandRow, BrandItem, BrandInput>

/** Opens the brands. Callers with brands see these, and change none: their domains say what the log-ins of a brand may send as. */
export function openBrands({ storage, clock }: { storage: Storage; clock: Clock }): Brands {
  return openResource<BrandRow, BrandItem, BrandInput>({
    clock,
    store: openRecordStore<BrandRow>(storage, {
      table: 'brands',
      nameColumn: 'name',
      fields: brandFields,
    }),
    area: 'brand',
    notFound: () => new AppError('not_found', 'brand_not_found', 'Brand not found'),
    access: {
      scopeOf: ({ brands }) =>
        brands === 'all'
          ? undefined
          : { includes: ({ id }) => brands.includes(id), condition: ownedBy({ brands }, 'id') },
      checkChangeable: (_row, caller) => checkAllBrands(caller),
    },
    findFaults: findDomainFaults,
    toInput: brandRecord.toValues,
    prepare({ input, caller }) {
      checkAllBrands(caller)
      const faults = findDomainFaults(input)
      if (Object.keys(faults).length > 0) throw validationError(faults)
      const { color = colorOf(input.name) } = input
      return { columns: brandRecord.toColumns({ ...input, color }) }
    },
    present: (rows) => rows.map((row) => brandRecord.present(row, {})),
    hooks: {
      beforeRemove: (tx, { current }) => checkUnused(tx, current),
      afterCommit: () => storage.notify(brandsChannel),
    },
  })
}

function findDomainFaults({ domains }: Readonly<Record<string, unknown>>): FaultDetails {
  if (!Array.isArray(domains)) return {}
  const { faults } = readDomains(domains.filter((each) => typeof each === 'string'))
  return faults.length === 0 ? {} : { domains: faults }
}

function checkAllBrands({ brands }: Pick<Caller, 'brands'>): void {
  if (brands === 'all') return
  const message = 'Only who has all brands may change brands: ask an administrator.'
  throw new AppError('forbidden', 'all_brands_needed', message)
}

/** Users have a list of brands. */
const ofUsers = [{ table: 'users', one: 'user', many: 'users' }]

/** Throws an AppError (`conflict`) that names what belongs to a brand, and who has it. */
async function checkUnused(tx: Transaction<object>, { id, name }: BrandRow): Promise<undefined> {
  const uses: string[] = []
  for (const { table, one, many } of [...ofBrands, ...ofUsers]) {
    const isUsed = table === 'users' ? hasBrand(id) : ownedBy({ brands: [id] })
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from ${sql.table(table)} where ${isUsed}`.execute(tx)
    const count = Number(rows[0]?.count ?? 0)
    if (count > 0) uses.push(`${count} ${count === 1 ? one : many}`)
  }
  if (uses.length === 0) return undefined
  const message = `Brand "${name}" has ${uses.join(', ')}. Delete them or move them first.`
  throw new AppError('conflict', 'brand_in_use', message)
}
