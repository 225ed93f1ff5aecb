import type { Transaction } from 'kysely'
import {
  type AuthTables,
  accountsLock,
  hashPassword,
  installAdministrator,
  isWithoutUsers,
} from '../auth/index.ts'
import { type EmailTables, installSampleEmail } from '../emails/index.ts'
import type { Storage } from '../storage/index.ts'
import type { AppOptions } from './app-parts.ts'

/** A new installation gets its first administrator, and one email to try things with. */
export async function install(storage: Storage, options: AppOptions): Promise<void> {
  const { config, log, clock, createSecret } = options
  const { adminUsername: username, adminEmail: email, adminPassword } = config
  const isNew = await storage.transaction((tx: Transaction<AuthTables>) => isWithoutUsers(tx))
  if (!isNew) return
  const password = adminPassword ?? createSecret()
  const passwordHash = await hashPassword(password)
  const isInstalled = await storage.transaction(
    async (tx: Transaction<AuthTables & EmailTables>) => {
      await storage.lock(tx, accountsLock)
      const accounts = tx.withTables<AuthTables>()
      if (!(await isWithoutUsers(accounts))) return false
      await installAdministrator(accounts, { username, email, passwordHash }, clock)
      await installSampleEmail(tx.withTables<EmailTables>(), clock)
      return true
    },
  )
  if (!isInstalled) return
  log.info({ username }, 'the first administrator was made')
  if (adminPassword === undefined) options.showPassword(username, password)
}
