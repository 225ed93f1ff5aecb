import type { OpenDatabase } from './database.ts'
import { openPostgres } from './postgres/index.ts'
import { openSqlite } from './sqlite/index.ts'

/** Every database that Mailyard runs on, by the scheme of its URL: one line each. */
export const databases = {
  sqlite: openSqlite,
  postgres: openPostgres,
} satisfies Record<string, OpenDatabase>

export type DatabaseKind = keyof typeof databases

/** The kind of database that a URL names. */
export function databaseKind(url: string): DatabaseKind {
  const scheme = url.slice(0, url.indexOf(':'))
  if (scheme === 'postgresql' || scheme === 'postgres') return 'postgres'
  if (scheme === 'sqlite') return 'sqlite'
  throw new Error(`No database is known for "${scheme}:".`)
}
