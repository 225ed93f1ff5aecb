import type { QueryExecutorProvider } from 'kysely'
import { Alarm } from '../../kit/timers.ts'
import type { NotificationListener, RemoteChannels } from './database.ts'

/**
 * Wakes what waits for a change: in this process at once, in others soon. It carries no data and may be lost with a
 * connection, so listeners look into the database, and look again after a while.
 */
export interface Channels {
  /** Calls `callback` after each `notify` of the channel in any process; sometimes without one. Returns how to end it. */
  listen(channel: string, callback: () => void): () => void
  /** Call it after the commit of the change. It does not throw. */
  notify(channel: string): void
  /** Sends what was notified just now, and stops listening. */
  close(): Promise<void>
}

/** Notified after each change of what decides about the routes of messages, for those that wait for one. */
export const routesChannel = 'routes'
/** Notified after each change of limits. */
export const limitsChannel = 'limits'
/** Notified after each change of brands. */
export const brandsChannel = 'brands'

/** Notifications within this time are sent to other processes as one. */
const gatherMs = 20

export function openChannels(db: QueryExecutorProvider, remote: RemoteChannels): Channels {
  const callbacks = new Map<string, Set<() => void>>()
  const due = new Set<string>()
  let listener: NotificationListener | undefined
  const emit = (channel: string | undefined) => {
    const sets = channel === undefined ? callbacks.values() : [callbacks.get(channel) ?? []]
    for (const set of sets) for (const callback of set) callback()
  }
  const send = async () => {
    gathering.cancel()
    const channels = [...due]
    due.clear()
    // Without an answer, the other processes look by themselves after a while.
    await Promise.allSettled(channels.map(async (channel) => remote.notify(db, channel)))
  }
  const gathering = new Alarm(() => void send())
  return {
    listen(channel, callback) {
      const set = callbacks.get(channel) ?? new Set()
      callbacks.set(channel, set.add(callback))
      listener ??= remote.openListener(emit)
      return () => set.delete(callback)
    },
    notify(channel) {
      emit(channel)
      if (due.size === 0) gathering.set(gatherMs)
      due.add(channel)
    },
    async close() {
      callbacks.clear()
      await send()
      await listener?.close()
    },
  }
}
