import { before } from 'node:test'
import { addUser, type TestPermissions, type TestUser } from './callers.ts'
import { addBrand } from './mautics.ts'
import type { SharedApp } from './on-each-database.ts'
import type { TestAnswer, TestApp, TestCaller, TestRequest } from './test-app.ts'

/** A caller who may do everything in one brand. */
export interface BrandCaller {
  brand: number
  as: TestCaller
  ask(...[method, url, body]: TestRequest): Promise<TestAnswer>
}

/** The administrators' role. */
const administrators = 1

/** Creates a user who reaches these brands only. Default: an administrator. */
export function addBrandUser(
  service: TestApp,
  brands: readonly number[],
  permissions: TestPermissions | number = administrators,
): Promise<TestUser> {
  return addUser(service, permissions, brands)
}

/** The callers of two brands, for the tests of one suite. */
export function useBrandCallers(shared: SharedApp): { own: BrandCaller; other: BrandCaller } {
  const callers = {} as { own: BrandCaller; other: BrandCaller }
  before(async () => {
    for (const name of ['own', 'other'] as const) {
      const brand = await addBrand(shared.service)
      const { as } = await addBrandUser(shared.service, [brand])
      callers[name] = {
        brand,
        as,
        ask: (method, url, body) => shared.ask(method, url, body, { as }),
      }
    }
  })
  return callers
}

/** Without brands, one of a brand that has nothing. */
async function addUserOf(service: TestApp, brands: readonly number[]): Promise<TestUser> {
  return addBrandUser(service, brands.length > 0 ? brands : [await addBrand(service)])
}

/** Lets requests come from administrators of brands: what it resolves to are options of `ask`. */
export function useBrandUsers(shared: Pick<SharedApp, 'service'>) {
  const users = new WeakMap<TestApp, Map<string, Promise<TestUser>>>()
  return async (...brands: number[]): Promise<{ as: TestCaller }> => {
    const { service } = shared
    const known = users.get(service) ?? new Map<string, Promise<TestUser>>()
    users.set(service, known)
    const key = brands.join()
    const user = known.get(key) ?? addUserOf(service, brands)
    known.set(key, user)
    return { as: (await user).as }
  }
}
