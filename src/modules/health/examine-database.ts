import { existsSync, statSync } from 'node:fs'
import type { Finding } from '../../core/findings/index.ts'
import { bad, good } from '../../core/findings/index.ts'
import { systemClock } from '../../kit/clock.ts'
import type { Config } from '../../platform/config/index.ts'
import { describeUnconfirmed, findUnconfirmed } from '../../platform/installation/index.ts'
import {
  isPrivateFile,
  type MigrationState,
  type Storage,
  secretKeyPath,
} from '../../platform/storage/index.ts'

/** A larger difference of the clocks makes tokens expire too early or too late. */
const clockSkewMaxMs = 5_000
/** The time of this version: an earlier clock is wrong. */
const earliest = Date.UTC(2026, 10, 1)

const lostKey =
  'If it is lost, see "The secret key is lost too" in docs/tasks/if-this-disk-dies.md.'

/**
 * Checks where the secret key comes from, and that only its owner can read it. `isNeeded`: the database has secrets already,
 * so that a new key does not help.
 */
export function examineKeyFile(
  config: Pick<Config, 'databaseUrl' | 'secretKey'>,
  isNeeded: boolean,
): Finding {
  const path = secretKeyPath(config.databaseUrl)
  if (config.secretKey !== undefined)
    return good('secret key', 'It comes from MAILYARD_SECRET_KEY.')
  if (path === undefined) {
    const fix = isNeeded
      ? `Set it to the key that this database was created with. ${lostKey}`
      : 'Set it to the output of: openssl rand -base64 32'
    return bad('secret key', { detail: 'MAILYARD_SECRET_KEY is not set.', fix })
  }
  if (!existsSync(path) && isNeeded) {
    const detail = `${path} is missing: without it, the next start fails.`
    const fix = `Restore it, or set MAILYARD_SECRET_KEY to its content. ${lostKey}`
    return bad('key file', { detail, fix })
  }
  if (!existsSync(path)) return good('key file', `${path} is created at the first start.`)
  const mode = (statSync(path).mode & 0o777).toString(8).padStart(4, '0')
  if (isPrivateFile(path)) return good('key file', `${path} has mode ${mode}.`)
  return bad('key file', {
    detail: `${path} has mode ${mode}: others can read it.`,
    fix: `chmod 600 ${path}`,
  })
}

/** Checks the version of the database and of its tables. */
export function examineSchema(version: string, { pending, newer }: MigrationState): Finding {
  if (newer.length > 0) {
    const detail = `${version}. A newer Mailyard has run ${newer.length} migrations that this version does not have.`
    const fix = 'Start the newer Mailyard, or restore the backup from before the upgrade.'
    return bad('database', { detail, fix })
  }
  const toDo = pending.length === 0 ? '' : ` The next start runs ${pending.length} migrations.`
  return good('database', `${version}.${toDo}`)
}

/** The finding for a database that cannot be used. */
export function badDatabase(error: unknown): Finding {
  const fix =
    'Check that the database runs, that MAILYARD_DATABASE_URL names it, and that its disk has free space.'
  return bad('database', { detail: (error as Error).message, fix })
}

/** Finds whether the database may be a copy, which sends nothing. Returns nothing for the original. */
export async function examineInstallation(
  storage: Storage,
  config: Pick<Config, 'publicUrl'>,
): Promise<Finding[]> {
  const unconfirmed = await findUnconfirmed(storage, config)
  if (unconfirmed === undefined) return []
  const detail = describeUnconfirmed(unconfirmed)
  const fix = 'If the original is off, or this Mailyard takes its place, confirm it.'
  return [bad('installation', { detail, fix, command: 'mailyard confirm' })]
}

/** Compares the clocks of this machine and of the database. */
export async function examineClock(storage: Pick<Storage, 'now'>): Promise<Finding> {
  const now = systemClock.now()
  const skewMs = Math.abs(now - (await storage.now()))
  const fix =
    'Set the clock of this machine, for example by NTP: the expiry of tokens depends on it.'
  if (now < earliest)
    return bad('clock', { detail: 'It is set to a time before this version was built.', fix })
  if (skewMs > clockSkewMaxMs) {
    const detail = `It differs from that of the database by ${Math.round(skewMs / 1_000)} s.`
    return bad('clock', { detail, fix })
  }
  return good('clock', 'It agrees with that of the database.')
}
