import { isServed, lockForServing, type ServerLock } from './sqlite/server-lock.ts'

export type { ServerLock }

const sqlitePath = (url: string) => /^sqlite:(?!:memory:)(.+)$/.exec(url)?.[1]

/**
 * Makes this process the one that serves a SQLite database, until it releases that or ends; PostgreSQL is for any
 * number. Throws an AppError (`conflict`) where another process serves it.
 */
export function lockServing(url: string): ServerLock {
  const path = sqlitePath(url)
  return path === undefined ? { release: () => undefined } : lockForServing(path)
}

/** Whether a process serves a SQLite database; undefined for PostgreSQL, which any number may serve. */
export function isBeingServed(url: string): boolean | undefined {
  const path = sqlitePath(url)
  return path === undefined ? undefined : isServed(path)
}
