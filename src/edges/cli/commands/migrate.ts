import { openDatabase } from '../../../app.ts'
import { exitCodes } from '../errors.ts'
import type { CommandContext } from '../output.ts'
import { databaseCreated, findMissingDatabase, readCommandOptions } from '../session.ts'

/** `mailyard migrate`: runs the pending migrations, as `serve` does at its start. */
export async function runMigrations({ environment, output }: CommandContext): Promise<number> {
  const options = readCommandOptions(environment)
  const missing = findMissingDatabase(options.config)
  const { storage, migrated } = await openDatabase(options)
  await storage.close()
  const lines = migrated.length === 0 ? ['The database is up to date.'] : migrated
  if (missing !== undefined) environment.stderr.write(databaseCreated(missing))
  output.print({ migrated }, lines)
  return exitCodes.ok
}
