import { Accounts } from '../src/platform/auth/accounts.ts'
import { Authenticator } from '../src/platform/auth/authenticator.ts'
import { addUser, type TestPermissions, type TestUser } from './callers.ts'
import type { TestApp } from './test-app.ts'

/** The brands of users, by user name: their records have none yet. */
const brandsOf = new Map<string, readonly number[]>()
// eslint-disable-next-line @typescript-eslint/unbound-method -- it is called with its object
const { authenticate } = Authenticator.prototype
// eslint-disable-next-line @typescript-eslint/unbound-method -- as above
const { findStamped } = Accounts.prototype

Authenticator.prototype.authenticate = function (header, from) {
  const decoded = Buffer.from((header ?? '').slice('Basic '.length), 'base64').toString()
  const brands = brandsOf.get(decoded.split(':', 1)[0] ?? '')
  const found = authenticate.call(this, header, from)
  if (brands === undefined) return found
  return found instanceof Promise
    ? found.then((caller) => ({ ...caller, brands }))
    : { ...found, brands }
}

Accounts.prototype.findStamped = async function (id, name) {
  const found = await findStamped.call(this, id, name)
  const brands = brandsOf.get(name ?? '')
  return found && brands !== undefined ? { brands, can: found.can } : found
}

/** Limits a user to brands. */
export function limitUser({ username }: TestUser, brands: readonly number[]): void {
  brandsOf.set(username, brands)
}

/** Creates a user with a new role, who reaches these brands only. */
export async function addLimitedUser(
  service: TestApp,
  brands: readonly number[],
  permissions: TestPermissions | 'administrator' = 'administrator',
): Promise<TestUser> {
  const user = await addUser(service, permissions)
  limitUser(user, brands)
  return user
}
