import { sql } from 'kysely'
import type { Storage } from '../../storage/index.ts'
import type { QueueTables } from './table.ts'

/** How long a measured size is used on PostgreSQL, where other processes change it. */
const measuredForMs = 10_000

/** The bytes of all messages in the queue: measured now and then, and counted in between. */
export interface QueueSize {
  /** Reserves bytes for a message, if they are below the limit or `isForced`; returns whether it did. */
  reserve(bytes: number, options?: { isForced: boolean }): Promise<boolean>
  /** Releases the bytes of a message that was deleted, or not stored. */
  release(bytes: number): void
  /** Returns the bytes in the queue. */
  read(): Promise<number>
}

export function createQueueSize(storage: Storage, bytesMax: number): QueueSize {
  const query = storage.tables<QueueTables>().selectFrom('queue_messages')
  const sum = query.select(sql<number>`coalesce(sum(size_bytes), 0)`.as('bytes'))
  let size: { bytes: number; measuredAt: number } | undefined
  const measure = async () => {
    const { bytes } = await sum.executeTakeFirstOrThrow()
    return { bytes: Number(bytes), measuredAt: performance.now() }
  }
  const isFresh = () =>
    size !== undefined &&
    (storage.kind === 'sqlite' || performance.now() - size.measuredAt < measuredForMs)
  return {
    async read() {
      if (!isFresh()) size = await measure()
      return size?.bytes ?? 0
    },
    async reserve(bytes, { isForced } = { isForced: false }) {
      if (!isFresh()) size = await measure()
      if (size === undefined || (!isForced && size.bytes + bytes > bytesMax)) return false
      size.bytes += bytes
      return true
    },
    release(bytes) {
      if (size !== undefined) size.bytes -= bytes
    },
  }
}
