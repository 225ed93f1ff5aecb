import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { AppError } from '../../../kit/app-error.ts'
import { syncFolderOf } from '../files.ts'

/** The path of the key file beside a SQLite database; undefined for another database. */
export function secretKeyPath(databaseUrl: string): string | undefined {
  if (!databaseUrl.startsWith('sqlite:')) return undefined
  return `${databaseUrl.slice('sqlite:'.length).replace(/\.db$/, '')}.key`
}

/** The secret key in the file; undefined where there is no file. */
export function findSecretKey(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    const message = `The key file ${path} cannot be read: ${(error as Error).message}`
    throw new AppError('invalid', 'key_file_unreadable', message, { cause: error })
  }
}

/** Creates a secret key and its file, mode 0600. Of several processes that do so at once, one wins for all. */
export function createSecretKey(path: string): string {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const draft = writeDraft(path, newSecretKey())
  try {
    linkSync(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft)
  }
  syncFolderOf(path)
  return findSecretKey(path) ?? ''
}

/**
 * Creates a new secret key in a file beside the key file, before the data keys are wrapped under it. Whenever the machine
 * stops, one of the two files opens them.
 *
 * @returns The new key.
 */
export function stageSecretKey(path: string): string {
  const secretKey = newSecretKey()
  renameSync(writeDraft(path, secretKey), stagedPath(path))
  syncFolderOf(path)
  return secretKey
}

/** The staged secret key; undefined where there is none. */
export function findStagedSecretKey(path: string): string | undefined {
  return findSecretKey(stagedPath(path))
}

/** Replaces the secret key by the staged one in one step. Another process may have done so already. */
export function commitSecretKey(path: string): void {
  try {
    renameSync(stagedPath(path), path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  syncFolderOf(path)
}

/** 256 random bits, as text. */
function newSecretKey(): string {
  return randomBytes(32).toString('base64')
}

/** Whether only the owner may read the file. */
export function isPrivateFile(path: string): boolean {
  return (statSync(path).mode & 0o077) === 0
}

function stagedPath(path: string): string {
  return `${path}.next`
}

function writeDraft(path: string, secretKey: string): string {
  const draft = `${path}.${randomBytes(4).toString('hex')}`
  const file = openSync(draft, 'wx', 0o600)
  try {
    writeSync(file, `${secretKey}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  return draft
}
