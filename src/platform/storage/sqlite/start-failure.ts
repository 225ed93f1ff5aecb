import { accessSync, constants, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { FailureAdvice } from '../storage-error.ts'
import { resultCode } from './errors.ts'

/** By SQLite's primary result code (https://www.sqlite.org/rescode.html). */
const byCode = new Map<number, [problem: string, advice: string]>([
  [5, ['another program has locked it', 'Stop that program, or wait until it is done.']],
  [8, ['it is read-only', 'Make the file and its folder writable for this user.']],
  [10, ['its disk reports an error', 'Check the disk and the log of the system.']],
  [11, ['the file is damaged', 'Restore it from a back-up.']],
  [13, ['its disk is full', 'Free some space on that disk.']],
  [14, ['it cannot be opened', 'Check that the file and its folder are readable and writable.']],
  [26, ['it is not a SQLite database', 'Set MAILYARD_DATABASE_URL to another file.']],
])

/** Why a SQLite file cannot be opened, and what to do; undefined for errors that are not the file's. */
export function explainSqliteFailure(error: unknown, url: string): FailureAdvice | undefined {
  const path = resolve(url.slice('sqlite:'.length))
  const { code = '' } = Object(error) as NodeJS.ErrnoException
  const known = byCode.get((resultCode(error) ?? -1) & 0xff) ?? bySystemCode(code)
  if (known === undefined) return undefined
  const [problem, advice] = findPathProblem(path) ?? known
  return { subject: `The database file ${path}`, problem, advice }
}

function bySystemCode(code: string): [string, string] | undefined {
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return ['this user may not create it', 'Make its folder writable for this user.']
    case 'EROFS':
      return ['its disk is read-only', 'Mount it writable, or set MAILYARD_DATABASE_URL.']
    case 'ENOSPC':
    case 'EDQUOT':
      return ['its disk is full', 'Free some space on that disk.']
    case 'ENOTDIR':
    case 'EEXIST':
    case 'ENOENT':
    case 'ELOOP':
    case 'ENAMETOOLONG':
      return ['it cannot be created', 'Set MAILYARD_DATABASE_URL to a file in a folder.']
    default:
      return undefined
  }
}

/** What is wrong with the path itself, which says more than SQLite does. */
function findPathProblem(path: string): [string, string] | undefined {
  const setting = 'Set MAILYARD_DATABASE_URL to a file, such as sqlite:./data/mailyard.db.'
  try {
    if (statSync(path).isDirectory()) return ['it is a folder', setting]
    const isReadable = canAccess(path, constants.R_OK)
    const whose = 'Check its owner and mode.'
    if (!isReadable) return ['this user may not read it', whose]
    if (!canAccess(path, constants.W_OK)) return ['this user may not write to it', whose]
    if (!canAccess(dirname(path), constants.W_OK))
      return ['this user may not write to its folder, where SQLite keeps its log', whose]
    return undefined
  } catch {
    return findFolderProblem(dirname(path), setting)
  }
}

function findFolderProblem(folder: string, advice: string): [string, string] | undefined {
  try {
    return statSync(folder).isDirectory() ? undefined : [`${folder} is not a folder`, advice]
  } catch (error) {
    const isFileAbove = (error as NodeJS.ErrnoException).code === 'ENOTDIR'
    return isFileAbove ? [`a part of its path is not a folder`, advice] : undefined
  }
}

function canAccess(path: string, mode: number): boolean {
  try {
    accessSync(path, mode)
    return true
  } catch {
    return false
  }
}
