import { inspectDatabase } from '../../../app.ts'
import { bad, type Finding, findingsFor, good } from '../../../core/findings/index.ts'
import { AppError } from '../../../kit/app-error.ts'
import { systemClock } from '../../../kit/clock.ts'
import { createLog } from '../../../kit/log.ts'
import { examineEvents } from '../../../modules/events/index.ts'
import {
  badDatabase,
  coreConditions,
  examineAllowedRecipients,
  examineClock,
  examineDefaultTransport,
  examineKeyFile,
  examinePorts,
  examineRecords,
  examineSchema,
} from '../../../modules/health/index.ts'
import { examineDkim, examineSenders, listStoredUnaligned } from '../../../modules/senders/index.ts'
import { webhookConditions } from '../../../modules/webhooks/index.ts'
import { type Config, type ConfigReading, openAppKeyring } from '../../../platform/config/index.ts'
import { hasDataKeys, type Keyring, type Storage } from '../../../platform/storage/index.ts'
import { exitCodes } from '../errors.ts'
import type { CliEnvironment, CommandContext } from '../output.ts'
import { findMissingDatabase, readSettings } from '../session.ts'

const marks = { ok: 'ok  ', warning: 'warn', problem: 'FAIL' }

/** `mailyard doctor`: checks what a start needs, and says how to fix each problem. */
export async function doctor({ environment, output }: CommandContext): Promise<number> {
  const findings = findingsFor(await examine(environment), { brands: 'all' })
  const isOk = findings.every(({ severity }) => severity !== 'problem')
  const lines = findings.flatMap(({ check, severity, detail, since, until, fix, command }) => [
    `${marks[severity]} ${check}: ${detail.replaceAll('\n', '\n     ')}${clause('Since', since)}${clause('Until', until)}`,
    ...(fix === null ? [] : [`     ${fix}`]),
    ...(command === null ? [] : [`     ${command}`]),
  ])
  output.print({ success: isOk, findings }, lines)
  return isOk ? exitCodes.ok : exitCodes.failed
}

/** Writes a time in the zone of the terminal: ` Since 2026-01-31 15:54.` */
function clause(word: string, iso: string | null): string {
  return iso === null ? '' : ` ${word} ${new Date(iso).toLocaleString('sv-SE').slice(0, 16)}.`
}

async function examine(environment: CliEnvironment): Promise<Finding[]> {
  let reading: ConfigReading
  try {
    reading = readSettings(environment)
  } catch (error) {
    const fix = 'Fix these settings; docs/configuration.md lists all.'
    return [bad('configuration', { detail: (error as Error).message, fix })]
  }
  const { config, warnings } = reading
  const detail = warnings.length === 0 ? 'Every setting can be read.' : warnings.join(' ')
  const database = await examineDatabase(config)
  // It has none before the first start.
  const hasSecrets = database.some(({ check }) => check === 'secrets')
  const now = systemClock.now()
  const known = [good('configuration', detail), examineKeyFile(config, hasSecrets)]
  known.push(...(await examinePorts(config)), examineDefaultTransport(config, now))
  known.push(...examineAllowedRecipients(config))
  return [...known, ...database]
}

/** Checks the database without changing it. */
async function examineDatabase(config: Config): Promise<Finding[]> {
  const missing = findMissingDatabase(config)
  if (missing !== undefined) return [good('database', `${missing} is created at the first start.`)]
  try {
    const { storage, ...schema } = await inspectDatabase({ config, log: createLog('silent') })
    try {
      await storage.ping()
      const { version } = await storage.describe()
      const database = examineSchema(version, schema)
      const known = [database, await examineClock(storage)]
      const { keyring, findings } = await examineKeys(config, storage)
      known.push(...findings)
      if (schema.pending.length + schema.newer.length > 0) return known
      const records = {
        storage,
        config,
        keyring,
        listTransports: () => [],
        kinds: [...coreConditions, ...webhookConditions],
        examineOthers: (now: number) => examineOthers(config, { storage, keyring }, now),
      }
      return [...known, ...(await examineRecords(records, systemClock.now()))]
    } finally {
      await storage.close()
    }
  } catch (error) {
    return [badDatabase(error)]
  }
}

/** Examines what the modules have stored, as far as it can be decrypted. */
async function examineOthers(
  { mailerDsn: defaultDsn, mailerFrom: defaultFrom }: Config,
  { storage, keyring }: { storage: Storage; keyring: Keyring | undefined },
  now: number,
): Promise<Finding[]> {
  const sender = { storage, clock: systemClock, defaultDsn, defaultFrom }
  return [
    ...(keyring ? await examineEvents({ storage, keyring }, now) : []),
    ...(keyring ? await examineDkim({ storage, keyring }, now) : []),
    ...examineSenders(await listStoredUnaligned(sender)),
  ]
}

/** Opens the keyring; a database has none before the first start. */
async function examineKeys(
  config: Config,
  storage: Storage,
): Promise<{ keyring: Keyring | undefined; findings: Finding[] }> {
  const hasKeys = await hasDataKeys(storage).catch(() => false)
  if (!hasKeys) return { keyring: undefined, findings: [] }
  try {
    const keyring = await openAppKeyring(config, { storage, clock: systemClock })
    return { keyring, findings: [good('secrets', 'The secret key decrypts the data keys.')] }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const fix = 'Use the secret key that this database was created with.'
    return { keyring: undefined, findings: [bad('secrets', { detail: error.message, fix })] }
  }
}
