import type { Clock } from '../../kit/clock.ts'
import type { Storage } from '../../storage/index.ts'
import type { DeliveryTables } from '../table.ts'

/** Whoever has lost an answer asks again within minutes. */
const lostAnswerMs = 300_000
/** Beyond so many the oldest are let go of sooner. */
const toldMax = 100_000
const keysAtOnce = 500

/**
 * Accepted messages that are known by nothing but their bytes, and whose senders were told so. The same bytes once more are
 * the same message for as long as the answer may have been lost; later they are another one, such as an alert.
 */
export interface ToldMessages {
  /** The sender of these is being told that they were accepted. */
  note: (messageKeys: readonly string[]) => void
  /** Lets go of the keys of those who were told minutes ago. */
  forget(): Promise<void>
  /** Lets go of all. */
  forgetAll(): Promise<void>
}

export function openToldMessages(storage: Storage, clock: Clock): ToldMessages {
  const toldAt = new Map<string, number>()
  const letGo = async (isDue: (at: number) => boolean) => {
    for (;;) {
      const keys: string[] = []
      // In the order in which they were told.
      for (const [key, at] of toldAt) {
        if (keys.length === keysAtOnce || !isDue(at)) break
        keys.push(key)
      }
      if (keys.length === 0) return
      await release(storage, keys)
      for (const key of keys) toldAt.delete(key)
    }
  }
  return {
    note(messageKeys) {
      // Who is told again is no later for it: an alert each minute would never go out a second time.
      for (const key of messageKeys) if (!toldAt.has(key)) toldAt.set(key, clock.now())
    },
    forget: () => letGo((at) => at <= clock.now() - lostAnswerMs || toldAt.size > toldMax),
    forgetAll: () => letGo(() => true),
  }
}

async function release(storage: Storage, keys: readonly string[]): Promise<void> {
  const db = storage.tables<DeliveryTables>()
  const update = db.updateTable('deliveries').set({ message_key: null })
  await update.where('message_key', 'in', keys).where('outcome', '=', 'accepted').execute()
}
