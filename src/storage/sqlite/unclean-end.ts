import { closeSync, openSync, readSync, realpathSync, statSync } from 'node:fs'
import { resultCode } from './errors.ts'
import { ReadThread } from './read-thread.ts'

/** What the process that used a SQLite file before has left, because it ended without closing the file. */
export interface UncleanEnd {
  /** Pages of its log that belong to no complete transaction: what it was writing at that moment. */
  lostFrames: number
}

/** The sizes of the parts of a log, see https://www.sqlite.org/fileformat2.html#walformat. */
const headerBytes = 32
const frameHeaderBytes = 24

/** Whether the last process ended without closing the file, which leaves a log with content. Call it before the file is opened. */
export function findUncleanEnd(path: string): UncleanEnd | undefined {
  try {
    const log = `${realpathSync(path)}-wal`
    const { size } = statSync(log)
    return size <= headerBytes ? undefined : { lostFrames: countLostFrames(log, size) }
  } catch {
    return undefined
  }
}

/**
 * Counts the frames after the last commit. Those of earlier rounds, which SQLite writes over, have another salt than the log. A frame
 * whose transaction is complete, or that is followed by one, is not lost.
 */
function countLostFrames(log: string, size: number): number {
  const file = openSync(log, 'r')
  try {
    const header = Buffer.alloc(headerBytes)
    readSync(file, header, 0, headerBytes, 0)
    const frameBytes = frameHeaderBytes + header.readUInt32BE(8)
    const frame = Buffer.alloc(frameHeaderBytes)
    let lost = 0
    for (let at = headerBytes; at < size; at += frameBytes) {
      readSync(file, frame, 0, frameHeaderBytes, at)
      if (!frame.subarray(8, 16).equals(header.subarray(16, 24))) break
      const isCommit = frame.readUInt32BE(4) > 0 && at + frameBytes <= size
      lost = isCommit ? 0 : lost + 1
    }
    return lost
  } finally {
    closeSync(file)
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
