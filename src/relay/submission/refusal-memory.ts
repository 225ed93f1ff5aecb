import type { Clock } from '../../kit/clock.ts'
import type { Reply } from '../smtp/index.ts'

/**
 * Who was refused for good a moment ago. One run of Mautic's `broadcasts:send` tries a refused contact up
 * to 98 times in a row; only the first try needs to reach the server that refused it.
 */
export interface RefusalMemory {
  find(key: string): Reply | undefined
  remember(key: string, reply: Reply): void
}

const entriesMax = 50_000

export function createRefusalMemory(clock: Clock, keepMs: number): RefusalMemory {
  const entries = new Map<string, { reply: Reply; until: number }>()
  return {
    find(key) {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      if (entry.until > clock.now()) return entry.reply
      entries.delete(key)
      return undefined
    },
    remember(key, reply) {
      if (keepMs === 0) return
      // A key that stands already goes to the end of the line.
      entries.delete(key)
      for (const oldest of entries.keys()) {
        if (entries.size < entriesMax) break
        entries.delete(oldest)
      }
      entries.set(key, { reply, until: clock.now() + keepMs })
    },
  }
}
