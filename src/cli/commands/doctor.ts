import { existsSync, statSync } from 'node:fs'
import { openDatabase } from '../../app.ts'
import { readConfig } from '../../config/index.ts'
import { AppError } from '../../kit/app-error.ts'
import { createLog } from '../../kit/log.ts'
import { isPrivateFile, type Storage, secretKeyPath } from '../../storage/index.ts'
import type { CommandContext } from '../command-context.ts'
import { examineQuickAck } from '../doctor/examine-quick-ack.ts'
import { bad, type Finding, good } from '../doctor/finding.ts'
import { exitCodes } from '../exit-codes.ts'
import { readAppOptions, withApp } from '../session.ts'
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
  const configuration = examineConfig(surroundings)
  if (!configuration.isOk) return [configuration]
  const keyFile = examineKeyFile(surroundings)
  const rest = await examineDatabase(surroundings)
  return [configuration, ...keyFile, ...rest, ...(await examineDoor(surroundings))]
}

async function examineDoor(surroundings: Surroundings): Promise<Finding[]> {
  const { config } = readAppOptions(surroundings)
  const isOpen = config.smtpPort !== undefined || config.smtpsPort !== undefined
  return isOpen ? examineQuickAck(config.smtpTrustedNetworks) : []
}

function examineConfig(surroundings: Surroundings): Finding {
  try {
    const { warnings } = readConfig(surroundings.env, surroundings.cwd())
    const detail = warnings.length === 0 ? 'every setting can be read' : warnings.join(' ')
    return good('configuration', detail)
  } catch (error) {
    return bad(
      'configuration',
      (error as Error).message,
      'Mend these settings; docs/configuration.md lists all.',
    )
  }
}

function examineKeyFile(surroundings: Surroundings): Finding[] {
  const { config } = readAppOptions(surroundings)
  const path = secretKeyPath(config.databaseUrl)
  if (config.secretKey !== undefined) return [good('secret key', 'from MAILYARD_SECRET_KEY')]
  if (path === undefined) {
    return [
      bad(
        'secret key',
        'MAILYARD_SECRET_KEY is not set',
        'Set it to the output of: openssl rand -base64 32',
      ),
    ]
  }
  if (!existsSync(path)) return [good('key file', `${path} will be made at the first start`)]
  const mode = (statSync(path).mode & 0o777).toString(8).padStart(4, '0')
  if (isPrivateFile(path)) return [good('key file', `${path} has mode ${mode}`)]
  return [bad('key file', `${path} has mode ${mode}: others can read it`, `chmod 600 ${path}`)]
}

async function examineDatabase(surroundings: Surroundings): Promise<Finding[]> {
  const { config } = readAppOptions(surroundings)
  try {
    const { storage } = await openDatabase({ config, log: createLog('silent') })
    try {
      await storage.ping()
      const findings = [good('database', await storage.version()), await examineClock(storage)]
      return [...findings, await examineKeys(surroundings)]
    } finally {
      await storage.close()
    }
  } catch (error) {
    const cause =
      error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : ''
    const fix =
      'See that the database runs, that MAILYARD_DATABASE_URL names it, and that its disk has room.'
    return [bad('database', `${(error as Error).message}${cause}`, fix)]
  }
}

async function examineKeys(surroundings: Surroundings): Promise<Finding> {
  try {
    await withApp(surroundings, async () => undefined)
    return good('secrets', 'the secret key opens the data keys')
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return bad('secrets', error.message, 'Use the secret key that this database was made with.')
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
