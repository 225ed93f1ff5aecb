import { openDatabase } from '../../app.ts'
import type { CommandContext } from '../command-context.ts'
import { exitCodes } from '../exit-codes.ts'
import { findMissingDatabase, newDatabaseMade } from '../missing-database.ts'
import { readAppOptions } from '../session.ts'

/** Brings the database up to date, as `serve` does at its start. */
export async function runMigrations({ surroundings, output }: CommandContext): Promise<number> {
  const options = readAppOptions(surroundings)
  const missing = findMissingDatabase(options.config)
  const { storage, migrated } = await openDatabase(options)
  await storage.close()
  const lines = migrated.length === 0 ? ['The database was up to date.'] : migrated
  if (missing !== undefined) surroundings.stderr.write(newDatabaseMade(missing))
  output.print({ migrated }, lines)
  return exitCodes.ok
}
