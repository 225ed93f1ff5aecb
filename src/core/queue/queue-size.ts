import { type Clock, startStopwatch } from '../../kit/clock.ts'
import type { Storage } from '../../platform/storage/index.ts'
import type { QueueTables } from './table.ts'

/** How long a measured size is used: other processes change it. Measuring takes a tenth of the time at most. */
const measuredForMs = 10_000
const measuredFactor = 10

export type QueueSize = ReturnType<typeof createQueueSize>

/** The bytes of all messages in the queue: measured now and then, and counted in between. */
export function createQueueSize(storage: Storage, clock: Clock, bytesMax: number) {
  const db = storage.tables<QueueTables>()
  const query = storage.runsInProcess
    ? db.selectFrom('queue_size').select('bytes')
    : db
        .selectFrom('queue_messages')
        .select((row) => row.fn.coalesce(row.fn.sum<number>('size_bytes'), row.val(0)).as('bytes'))
  let size: { bytes: number; freshUntil: number } | undefined
  const current = async () => {
    if (size !== undefined && clock.monotonic() <= size.freshUntil) return size
    const tookMs = startStopwatch()
    const { bytes } = await query.executeTakeFirstOrThrow()
    const forMs = Math.max(measuredForMs, measuredFactor * tookMs())
    size = { bytes: Number(bytes), freshUntil: clock.monotonic() + forMs }
    return size
  }
  return {
    read: async () => (await current()).bytes,
    /** Reserves bytes for a message, if they are below the limit or `isForced`; returns whether it did. */
    async reserve(bytes: number, { isForced } = { isForced: false }) {
      const now = await current()
      if (!isForced && now.bytes + bytes > bytesMax) return false
      now.bytes += bytes
      return true
    },
    /** Releases the bytes of a message that was deleted, or not stored. */
    release(bytes: number) {
      if (size !== undefined) size.bytes -= bytes
    },
  }
}
