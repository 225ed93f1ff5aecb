import { chmodSync, realpathSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { AppError } from '../../../kit/app-error.ts'
import { createFile } from '../files.ts'
import { isBusy, translateError } from './errors.ts'

/** The lock of the one process that serves a SQLite file. */
export interface ServerLock {
  release(): void
}

/** How long to wait for a process that is stopping, in milliseconds. */
const waitMs = 500

/**
 * Takes the lock of the process that serves a SQLite file: an exclusive transaction on an empty SQLite file beside it,
 * `<file>.lock`. The system releases the lock when the process ends, so the file may stay. A symbolic link to the
 * database leads to the same lock.
 *
 * @throws AppError (`conflict`) where another process holds the lock.
 */
export function lockForServing(path: string): ServerLock {
  createFile(path)
  const file = realpathSync(path)
  refuseHardLinks(file)
  const lock = openLock(file, waitMs)
  try {
    lock.exec('begin exclusive')
  } catch (error) {
    lock.close()
    throw isBusy(error) ? alreadyServed(file, error) : translateError(error)
  }
  return { release: () => lock.close() }
}

/** Whether a process serves a SQLite file now. */
export function isServed(path: string): boolean {
  try {
    const file = realpathSync(path)
    if (statSync(`${file}.lock`, { throwIfNoEntry: false }) === undefined) return false
    const lock = openLock(file, 0)
    try {
      lock.exec('begin exclusive')
      return false
    } finally {
      lock.close()
    }
  } catch (error) {
    return isBusy(error)
  }
}

function openLock(file: string, timeout: number): DatabaseSync {
  const path = `${file}.lock`
  createFile(path)
  chmodSync(path, 0o600)
  return new DatabaseSync(path, { timeout })
}

/** SQLite creates its log beside the name that it is given. Two names would have two logs, and lose data. */
function refuseHardLinks(file: string): void {
  const stats = statSync(file)
  const names = stats.nlink
  // A folder has many; it is refused when it is opened.
  if (names <= 1 || !stats.isFile()) return
  const message =
    `The database file ${file} has ${names} names (hard links), and SQLite would keep a log for each. ` +
    'Remove the other names, or copy the file instead.'
  throw new AppError('conflict', 'database_hard_linked', message)
}

function alreadyServed(file: string, cause: unknown): AppError {
  const message =
    `Another Mailyard serves ${file}, and one process serves a SQLite file. Stop it first; ` +
    'use PostgreSQL to run several (docs/operations.md).'
  return new AppError('conflict', 'database_in_use', message, { cause })
}
