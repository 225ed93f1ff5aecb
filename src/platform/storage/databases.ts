import { AppError } from '../../kit/app-error.ts'
import type { OpenDatabase } from './database.ts'
import { openPostgres } from './postgres/index.ts'
import { explainPostgresFailure } from './postgres/start-failure.ts'
import { openSqlite } from './sqlite/index.ts'
import { isServed, lockForServing, type ServerLock } from './sqlite/server-lock.ts'
import { explainSqliteFailure } from './sqlite/start-failure.ts'
import { checkFile, wasNotClosed } from './sqlite/unclean-end.ts'

export type { ServerLock }

/** Every database that Mailyard runs on: one line each. */
export const databases = {
  sqlite: openSqlite,
  postgres: openPostgres,
} satisfies Record<string, OpenDatabase>

export type DatabaseKind = keyof typeof databases

const explainers = { sqlite: explainSqliteFailure, postgres: explainPostgresFailure }

/** The kind of database that a URL names. */
export function databaseKind(url: string): DatabaseKind {
  const scheme = url.slice(0, url.indexOf(':'))
  if (scheme === 'postgresql' || scheme === 'postgres') return 'postgres'
  if (scheme === 'sqlite') return 'sqlite'
  throw new Error(`The database scheme "${scheme}:" is unknown. Use sqlite: or postgres:.`)
}

/** The path of a SQLite database; undefined for PostgreSQL. */
export const databaseFile = (url: string) => /^sqlite:(?!:memory:)(.+)$/.exec(url)?.[1]

/**
 * Makes this process the only one that serves a SQLite database, until it releases the lock or ends. Does nothing for
 * PostgreSQL, which any number may serve.
 *
 * @throws AppError (`conflict`) where another process serves it.
 */
export function lockServing(url: string): ServerLock {
  const path = databaseFile(url)
  return path === undefined ? { release: () => undefined } : lockForServing(path)
}

/** Whether a process serves a SQLite database; undefined for PostgreSQL, which any number may serve. */
export function isBeingServed(url: string): boolean | undefined {
  const path = databaseFile(url)
  return path === undefined ? undefined : isServed(path)
}

/** Whether the last process did not close a SQLite file; never for PostgreSQL, which checks itself. Call it before the database is opened. */
export function wasLeftOpen(url: string): boolean {
  const path = databaseFile(url)
  return path !== undefined && wasNotClosed(path)
}

/** Checks the file of a SQLite database while it is served; returns the first faults. */
export async function checkDatabase(url: string): Promise<string[]> {
  const path = databaseFile(url)
  return path === undefined ? [] : checkFile(path)
}

/**
 * Explains why a database cannot be opened.
 *
 * @returns An AppError (`upstream`) that names the file or the host, and what to do; any other error as it is.
 */
export function explainStartFailure(error: unknown, url: string): unknown {
  if (error instanceof AppError && error.kind !== 'upstream') return error
  const explain = explainers[databaseKind(url)]
  for (const cause of causesOf(error)) {
    const advice = explain(cause, url)
    if (advice === undefined) continue
    const message = `${advice.subject} cannot be used: ${advice.problem}. ${advice.advice}`
    return new AppError('upstream', 'database_unavailable', message, { cause: error })
  }
  return error
}

function* causesOf(error: unknown): Generator<unknown> {
  for (let each = error; each instanceof Error; each = each.cause) yield each
}
