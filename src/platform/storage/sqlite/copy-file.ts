import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  linkSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { AppError } from '../../../kit/app-error.ts'
import { syncFile, syncFolderOf } from '../files.ts'
import { isDiskFull } from '../storage-error.ts'
import { translateError } from './errors.ts'

/** How long to wait for a process that opens or closes the file. */
const busyMs = 5_000
/** The files of a database in use. A log must never lie beside another database: SQLite would write it into that. */
const logEnds = ['-wal', '-shm']

/** Copies a database, also while it is served, to a new file that only its owner may read. Throws an AppError. */
export function backUpFile(path: string, copy: string): void {
  try {
    createPrivate(copy)
  } catch (error) {
    const message = `${copy} cannot be created: ${(error as Error).message}. Name a new file.`
    throw new AppError('conflict', 'backup_not_created', message)
  }
  try {
    vacuumInto(path, copy)
  } catch (error) {
    rmSync(copy)
    throw translateError(error)
  }
}

function createPrivate(path: string): void {
  closeSync(openSync(path, 'wx', 0o600))
}

function vacuumInto(path: string, copy: string): void {
  const database = new DatabaseSync(path, { timeout: busyMs })
  try {
    database.prepare('vacuum into ?').run(copy)
  } finally {
    database.close()
  }
}

/**
 * Copies a database beside itself, with its mode, before it is upgraded. The copy of the upgrade before is removed.
 *
 * @returns The path of the copy.
 * @throws AppError (`conflict`)
 */
export function copyBeforeUpgrade(path: string, from: string): string {
  const file = realpathSync(path)
  const copies = `${file}.before-upgrade-from-`
  const [copy, partial] = [copies + from, `${file}.upgrading`]
  try {
    removeFile(partial)
    createPrivate(partial)
    vacuumInto(file, partial)
    chmodSync(partial, statSync(file).mode & 0o777)
    syncFile(partial)
    renameSync(partial, copy)
    syncFolderOf(copy)
  } catch (error) {
    removeFile(partial)
    const reason = isDiskFull(error) ? 'the disk is full' : (error as Error).message
    const message =
      `The database could not be copied to ${copy} before its upgrade: ${reason}. Nothing was changed in it. ` +
      'Free space for a second copy of it; or back it up elsewhere, and run `mailyard migrate --backed-up`.'
    throw new AppError('conflict', 'database_not_copied', message, { cause: error })
  }
  const name = basename(copies)
  for (const other of readdirSync(dirname(file)))
    if (other.startsWith(name) && other !== basename(copy)) rmSync(join(dirname(file), other))
  return copy
}

/** Copies a back-up beside the database that it will replace; returns the path of the copy. Throws an AppError (`invalid`). */
export function stageFile(backup: string, path: string): string {
  const staged = `${realpathSync(path)}.restoring`
  removeFile(staged)
  for (const end of ['', '-wal'].filter((each) => existsSync(backup + each))) {
    copyFileSync(backup + end, staged + end)
    chmodSync(staged + end, 0o600)
  }
  const database = new DatabaseSync(staged)
  try {
    database.prepare('select id from data_keys').all()
    if (database.prepare('pragma quick_check(1)').get()?.['quick_check'] === 'ok') return staged
  } catch {
    // It is no database, or another one.
  } finally {
    database.close()
  }
  removeFile(staged)
  const message = `${backup} is no whole database of Mailyard. Nothing was changed.`
  throw new AppError('invalid', 'not_a_backup', message)
}

/** Puts a staged file in the place of a database; returns where the old one is now. Undefined: there was none. */
export function replaceFile(path: string, staged: string, now: number): string | undefined {
  const file = realpathSync(path)
  const aside = `${file}.before-restore-${new Date(now).toISOString().replaceAll(':', '-')}`
  const isKept = statSync(file).size > 0
  if (isKept) linkSync(file, aside)
  for (const end of logEnds)
    if (isKept && existsSync(file + end)) renameSync(file + end, aside + end)
  // In one step: without a database, the next start would create an empty one.
  renameSync(staged, file)
  syncFolderOf(file)
  return isKept ? aside : undefined
}

/** Removes a database and its log. */
export function removeFile(path: string): void {
  for (const end of ['', ...logEnds]) rmSync(path + end, { force: true })
}
