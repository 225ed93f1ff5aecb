import { closeSync, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { databaseUnavailable } from './storage-error.ts'

/**
 * Creates a database file, and its folder, where it is missing. Only its owner may read it, and the files that SQLite
 * creates beside it: it holds hashes and addresses.
 */
export function createFile(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600))
  } catch (error) {
    throw databaseUnavailable(`its file cannot be created: ${(error as Error).message}`, error)
  }
}

/** Waits until the name of a new or renamed file is on the disk. Its contents alone do not survive a power failure. */
export function syncFolderOf(path: string): void {
  syncFile(dirname(path))
}

/** Waits until the contents of a file, or the names in a folder, are on the disk. */
export function syncFile(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
