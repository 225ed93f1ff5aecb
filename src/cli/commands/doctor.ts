import { existsSync, statSync } from 'node:fs'
import { inspectDatabase, openAppKeyring } from '../../app.ts'
import type { Config, ConfigReading } from '../../config/index.ts'
import { AppError } from '../../kit/app-error.ts'
import { systemClock } from '../../kit/clock.ts'
import { createLog } from '../../kit/log.ts'
import { hasDataKeys, isPrivateFile, type Storage, secretKeyPath } from '../../storage/index.ts'
import type { CommandContext } from '../command-context.ts'
import { examineBacklog, examineDefaultTransport, examineDsns } from '../doctor/examine-mail.ts'
import { examinePorts } from '../doctor/examine-ports.ts'
import { examineQuickAck } from '../doctor/examine-quick-ack.ts'
import { bad, type Finding, good } from '../doctor/finding.ts'
import { exitCodes } from '../exit-codes.ts'
import { findMissingDatabase } from '../missing-database.ts'
import { readSettings } from '../session.ts'
import type { Surroundings } from '../surroundings.ts'

/** Clocks further apart than this disagree about which tokens have expired. */
const clockSkewMaxMs = 5_000
/** When this was written: a clock before it is wrong. */
const earliest = Date.UTC(2026, 10, 1)

/** `mailyard doctor`: looks at what a start needs, and says how to mend each. */
export async function doctor({ surroundings, output }: CommandContext): Promise<number> {
  const findings = await examine(surroundings)
  const isOk = findings.every((finding) => finding.isOk)
  const lines = findings.flatMap(({ check, isOk: isGood, detail, fix }) => [
    `${isGood ? 'ok  ' : 'FAIL'} ${check}: ${detail}`,
    ...(fix === null ? [] : [`     ${fix}`]),
  ])
  output.print({ success: isOk, findings }, lines)
  return isOk ? exitCodes.ok : exitCodes.failed
}

async function examine(surroundings: Surroundings): Promise<Finding[]> {
  let reading: ConfigReading
  try {
    reading = readSettings(surroundings)
  } catch (error) {
    const fix = 'Mend these settings; docs/configuration.md lists all.'
    return [bad('configuration', (error as Error).message, fix)]
  }
  const { config, warnings } = reading
  const detail = warnings.length === 0 ? 'every setting can be read' : warnings.join(' ')
  const known = [good('configuration', detail), examineKeyFile(config)]
  known.push(...(await examinePorts(config)), examineDefaultTransport(config))
  return [...known, ...(await examineDatabase(config)), ...(await examineDoor(config))]
}

async function examineDoor(config: Config): Promise<Finding[]> {
  const isOpen = config.smtpPort !== undefined || config.smtpsPort !== undefined
  return isOpen ? examineQuickAck(config.smtpTrustedNetworks) : []
}

function examineKeyFile(config: Config): Finding {
  const path = secretKeyPath(config.databaseUrl)
  if (config.secretKey !== undefined) return good('secret key', 'from MAILYARD_SECRET_KEY')
  if (path === undefined) {
    const fix = 'Set it to the output of: openssl rand -base64 32'
    return bad('secret key', 'MAILYARD_SECRET_KEY is not set', fix)
  }
  if (!existsSync(path)) return good('key file', `${path} is made at the first start`)
  const mode = (statSync(path).mode & 0o777).toString(8).padStart(4, '0')
  if (isPrivateFile(path)) return good('key file', `${path} has mode ${mode}`)
  return bad('key file', `${path} has mode ${mode}: others can read it`, `chmod 600 ${path}`)
}

/** Looks only: what a start would make or bring up to date is left to it. */
async function examineDatabase(config: Config): Promise<Finding[]> {
  const missing = findMissingDatabase(config)
  if (missing !== undefined) return [good('database', `${missing} is made at the first start`)]
  try {
    const { storage, ...schema } = await inspectDatabase({ config, log: createLog('silent') })
    try {
      await storage.ping()
      const database = examineSchema(await storage.version(), schema)
      const known = [database, await examineClock(storage)]
      known.push(...(await examineKeys(config, { storage, isCurrent: isCurrent(schema) })))
      return isCurrent(schema) ? [...known, ...(await examineBacklog(storage))] : known
    } finally {
      await storage.close()
    }
  } catch (error) {
    const fix =
      'See that the database runs, that MAILYARD_DATABASE_URL names it, and that its disk has room.'
    return [bad('database', (error as Error).message, fix)]
  }
}

/** Whether the tables are those that this version knows. */
function isCurrent({ pending, newer }: { pending: readonly string[]; newer: readonly string[] }) {
  return pending.length === 0 && newer.length === 0
}

function examineSchema(
  version: string,
  { pending, newer }: { pending: readonly string[]; newer: readonly string[] },
): Finding {
  if (newer.length > 0) {
    const detail = `${version}; a newer Mailyard has run ${newer.length} migrations that this one does not know`
    const fix = 'Start the newer Mailyard, or put back the back-up from before the upgrade.'
    return bad('database', detail, fix)
  }
  const toDo = pending.length === 0 ? '' : `; the next start runs ${pending.length} migrations`
  return good('database', `${version}${toDo}`)
}

async function examineKeys(
  config: Config,
  { storage, isCurrent }: { storage: Storage; isCurrent: boolean },
): Promise<Finding[]> {
  if (!(await hasDataKeys(storage).catch(() => false))) return []
  try {
    const keyring = await openAppKeyring(config, { storage, clock: systemClock })
    const secrets = good('secrets', 'the secret key opens the data keys')
    return isCurrent ? [secrets, await examineDsns({ storage, keyring })] : [secrets]
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return [bad('secrets', error.message, 'Use the secret key that this database was made with.')]
  }
}

async function examineClock(storage: Storage): Promise<Finding> {
  const now = Date.now()
  const skewMs = Math.abs(now - (await storage.now()))
  const fix = 'Set the clock of this machine, best by NTP: tokens expire by it.'
  if (now < earliest) return bad('clock', `it says ${new Date(now).toISOString()}`, fix)
  if (skewMs > clockSkewMaxMs) {
    return bad('clock', `it is ${Math.round(skewMs / 1_000)} s from the database's`, fix)
  }
  return good('clock', `it agrees with the database's`)
}
