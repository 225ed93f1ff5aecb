import { existsSync } from 'node:fs'
import { inspectDatabase, openDatabase } from '../../../app.ts'
import { AppError } from '../../../kit/app-error.ts'
import { systemClock } from '../../../kit/clock.ts'
import { markRestored } from '../../../platform/installation/index.ts'
import {
  backUpFile,
  databaseFile,
  dumpCommands,
  lockServing,
  removeFile,
  replaceFile,
  stageFile,
} from '../../../platform/storage/index.ts'
import type { CommandInput } from '../command.ts'
import { commandName } from '../command-name.ts'
import { exitCodes } from '../errors.ts'
import type { CommandContext } from '../output.ts'
import { databaseMissing, findMissingDatabase, readCommandOptions } from '../session.ts'

const keyAdvice = 'The secret key is not in it (the key file, or MAILYARD_SECRET_KEY):'

/** `mailyard backup`: copies a SQLite database, also while it is served. */
export async function backUp(
  context: CommandContext,
  { args: [file = ''] }: CommandInput,
): Promise<number> {
  const options = readCommandOptions(context.environment)
  const { databaseUrl } = options.config
  const path = databaseFile(databaseUrl)
  if (path === undefined) return printCommands(context, databaseUrl, file)
  const missing = findMissingDatabase(options.config)
  if (missing !== undefined) throw databaseMissing(missing)
  backUpFile(path, file)
  await mark(file, inspectDatabase(at(file, options)))
  context.output.print({ file }, [
    `The database was copied to ${file}.`,
    `${keyAdvice} copy it to another place. Without it, no DSN can be read.`,
  ])
  return exitCodes.ok
}

/** `mailyard restore`: puts a back-up in the place of a SQLite database that is not served. */
export async function restore(
  context: CommandContext,
  { args: [file = ''] }: CommandInput,
): Promise<number> {
  const options = readCommandOptions(context.environment)
  const { databaseUrl } = options.config
  const path = databaseFile(databaseUrl)
  if (path === undefined) return printCommands(context, databaseUrl, file)
  if (!existsSync(file)) throw new AppError('not_found', 'backup_missing', `${file} was not found.`)
  const lock = lockServing(databaseUrl)
  try {
    const staged = stageFile(file, path)
    // Only the tables of this version can be marked.
    await mark(staged, openDatabase({ ...at(staged, options), isBackedUp: true }))
    const before = replaceFile(path, staged, systemClock.now())
    context.output.print({ database: path, before: before ?? null }, [
      `${file} was restored to ${path}.`,
      ...(before === undefined ? [] : [`The database before is kept: ${before}.`]),
      `${keyAdvice} it has to be the one of that time.`,
      `Nothing is sent until you confirm it: ${commandName} confirm`,
    ])
    return exitCodes.ok
  } finally {
    lock.release()
  }
}

/** The options for another file. */
function at(file: string, { config, log }: ReturnType<typeof readCommandOptions>) {
  return { config: { ...config, databaseUrl: `sqlite:${file}` }, log }
}

/** Marks a copy as restored, and closes it; removes it where that fails: it would send. */
async function mark(
  file: string,
  opening: ReturnType<typeof openDatabase | typeof inspectDatabase>,
): Promise<void> {
  try {
    const { storage } = await opening
    await markRestored(storage).finally(() => storage.close())
  } catch (error) {
    removeFile(file)
    throw error
  }
}

/** Prints how PostgreSQL is backed up and restored, without the password. */
function printCommands({ output, environment }: CommandContext, url: string, file: string): number {
  const commands = Object.values(dumpCommands(url, file))
  environment.stderr.write(
    'Nothing was done: PostgreSQL has programs of its own. They ask for the password, or read PGPASSWORD. Restore into an empty database.\n',
  )
  output.print({ commands }, commands)
  return exitCodes.failed
}
