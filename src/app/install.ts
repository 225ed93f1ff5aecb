import type { Transaction } from 'kysely'
import { type EmailTables, installSampleEmail } from '../core/emails/index.ts'
import {
  type AuthTables,
  accountsLock,
  createPasswordLink,
  hashPassword,
  installAdministrator,
  isWithoutUsers,
} from '../platform/auth/index.ts'
import { publicUrl } from '../platform/config/index.ts'
import type { Storage } from '../platform/storage/index.ts'
import type { AppOptions } from './app-options.ts'

/** Creates the first administrator and a sample email in a new database. */
export async function install(storage: Storage, options: AppOptions): Promise<void> {
  const { config, log, clock, createSecret, passwordCost } = options
  const { adminUsername: username, adminEmail: email, adminPassword } = config
  const isNew = await storage.transaction((tx: Transaction<AuthTables>) => isWithoutUsers(tx))
  if (!isNew) return
  const password = adminPassword ?? createSecret()
  const passwordHash = await hashPassword(password, passwordCost)
  const linkToken = await storage.transaction(async (tx: Transaction<AuthTables & EmailTables>) => {
    await storage.lock(tx, accountsLock)
    const accounts = tx.withTables<AuthTables>()
    if (!(await isWithoutUsers(accounts))) return undefined
    const userId = await installAdministrator(accounts, { username, email, passwordHash }, clock)
    await installSampleEmail(tx.withTables<EmailTables>(), clock)
    return createPasswordLink(accounts, { userId, clock })
  })
  if (linkToken === undefined) return
  log.info({ username }, 'first administrator created')
  if (adminPassword !== undefined) return
  // In the fragment: no server, proxy or log gets it.
  const link = `${publicUrl(config)}/set-password#${linkToken}`
  options.showFirstLogin({ username, password, link })
}
