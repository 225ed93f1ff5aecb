import { realpathSync, statSync } from 'node:fs'
import { resultCode } from './errors.ts'
import { ReadThread } from './read-thread.ts'

/** The size of the head of a log, see https://www.sqlite.org/fileformat2.html#walformat. */
const headerBytes = 32

/** Whether the last process ended without closing the file, which leaves a log with content. Call it before the file is opened. */
export function wasNotClosed(path: string): boolean {
  try {
    return statSync(`${realpathSync(path)}-wal`).size > headerBytes
  } catch {
    return false
  }
}

/** Checks the pages and rows of a file (`quick_check`) on a thread of its own; returns the first faults. */
export async function checkFile(path: string): Promise<string[]> {
  const thread = new ReadThread(path, () => undefined)
  try {
    const query = { sql: 'pragma quick_check(10)', parameters: [] }
    const rows = await thread.read<{ quick_check: string }>(query, Number.POSITIVE_INFINITY)
    return rows.map((row) => row.quick_check).filter((text) => text !== 'ok')
  } catch (error) {
    if (resultCode(error) === undefined) throw error
    return [(error as Error).message]
  } finally {
    await thread.close()
  }
}
