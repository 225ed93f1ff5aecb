import { accessSync, chmodSync, constants, mkdtempSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The file system in memory that Linux has for all users. */
const memory = '/dev/shm'
/** More than all databases of a test run take at a time. */
const bytesMin = 4_000_000_000

/**
 * Creates the folder of a test run, in memory where there is enough: a new PostgreSQL database is a thousand files, which a disk takes
 * ten times as long to make. Programs belong elsewhere, as memory may be mounted without the right to run them.
 */
export function createRunFolder(): string {
  const folder = mkdtempSync(join(hasMemory() ? memory : tmpdir(), 'mailyard-tests-'))
  // PostgreSQL runs as another user, in a folder below it.
  chmodSync(folder, 0o711)
  process.env['TEST_FOLDER'] = folder
  return folder
}

/** Creates an empty folder for data that is thrown away: in the folder of the test run, or on the disk outside of one, as in a benchmark. */
export function createQuickFolder(prefix: string): string {
  return mkdtempSync(join(process.env['TEST_FOLDER'] ?? tmpdir(), prefix))
}

function hasMemory(): boolean {
  try {
    accessSync(memory, constants.W_OK)
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize >= bytesMin
  } catch {
    return false
  }
}
