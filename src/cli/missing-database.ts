import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Config } from '../config/index.ts'
import { AppError } from '../kit/app-error.ts'

/** The full path of the SQLite file that the settings name; undefined where it is there, or not SQLite. */
export function findMissingDatabase({ databaseUrl }: Pick<Config, 'databaseUrl'>) {
  const [, path] = /^sqlite:(.+)$/.exec(databaseUrl) ?? []
  return path === undefined || existsSync(path) ? undefined : resolve(path)
}

export function databaseMissing(path: string): AppError {
  const message =
    `There is no database ${path}. See that MAILYARD_DATABASE_URL names the right one, ` +
    'and that it is run in the right folder; `mailyard migrate` makes a new one.'
  return new AppError('not_found', 'database_missing', message)
}

export const newDatabaseMade = (path: string) => `A new database was made: ${path}\n`
