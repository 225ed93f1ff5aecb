import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { databaseUnavailable } from '../storage-error.ts'

/** For its owner alone, and so are the files that SQLite lays beside it: it holds hashes and addresses. */
export function createFile(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600))
  } catch (error) {
    throw databaseUnavailable(`its file cannot be made: ${(error as Error).message}`, error)
  }
}
