import { openDatabase } from '../../../app.ts'
import type { Migrated } from '../../../platform/storage/index.ts'
import type { CommandInput } from '../command.ts'
import { exitCodes } from '../errors.ts'
import type { CommandContext } from '../output.ts'
import { databaseCreated, findMissingDatabase, readCommandOptions } from '../session.ts'

/** `mailyard migrate`: runs the pending migrations, as `serve` does at its start. */
export async function runMigrations(
  { environment, output }: CommandContext,
  { flags: { backedUp: isBackedUp = false } }: CommandInput,
): Promise<number> {
  const options = readCommandOptions(environment)
  const missing = findMissingDatabase(options.config)
  const { storage, migrated } = await openDatabase({ ...options, isBackedUp })
  await storage.close()
  const { names, ...facts } = migrated
  if (missing !== undefined) environment.stderr.write(databaseCreated(missing))
  output.print({ migrated: names, ...facts }, describe(migrated))
  return exitCodes.ok
}

function describe({ names, from, to, copy }: Migrated): string[] {
  if (names.length === 0) return [`The database is up to date (${to}).`]
  if (from === undefined) return [`The database was created (${to}).`]
  const kept = copy === undefined ? [] : [`It is kept as it was before: ${copy}`]
  return [`The database was upgraded from ${from} to ${to}.`, ...kept, ...names]
}
