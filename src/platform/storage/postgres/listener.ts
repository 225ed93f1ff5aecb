import type pg from 'pg'
import { backOffMs } from '../../../kit/back-off.ts'
import { startStopwatch } from '../../../kit/clock.ts'
import { every, sleep } from '../../../kit/timers.ts'
import type { DatabaseOptions, NotificationListener } from '../database.ts'
import { openPool, type TimeLimits } from './pool.ts'

/** The channel of PostgreSQL. Its payloads are the process that notifies, a space, and a channel of Mailyard. */
export const channelName = 'mailyard'
/** A connection that hears nothing would be taken for lost. */
const pingMs = 30_000
const reconnects = { firstMs: 500, longestMs: 15_000 }

/**
 * Listens on a connection of its own, which is opened again when it is lost. `onNotify` gets the channel that another process than
 * `origin` notified; undefined after each connection, because notifications may have been missed before it.
 */
export function openListener(
  options: DatabaseOptions,
  limits: TimeLimits,
  { origin, onNotify }: { origin: string; onNotify: (channel: string | undefined) => void },
): NotificationListener {
  const pool = openPool(options, limits, { max: 1 })
  const closing = new AbortController()
  const listenOnce = async () => {
    const client = await pool.connect()
    const ended = new Promise<void>((resolve) => client.once('end', () => resolve()))
    const end = () => endConnection(client)
    closing.signal.addEventListener('abort', end, { once: true })
    const endPings = every(pingMs, () => void client.query('select 1').catch(end))
    try {
      client.on('notification', ({ payload = '' }) => {
        if (!payload.startsWith(origin)) onNotify(payload.slice(origin.length))
      })
      // It may have been closed while it connected.
      closing.signal.throwIfAborted()
      await client.query(`listen ${channelName}`)
      onNotify(undefined)
      await ended
    } finally {
      endPings()
      closing.signal.removeEventListener('abort', end)
      client.release(true)
    }
  }
  const run = async () => {
    for (let failures = 0; !closing.signal.aborted; failures += 1) {
      const elapsedMs = startStopwatch()
      // Every query of the process reports a lost database.
      await listenOnce().catch(() => undefined)
      if (elapsedMs() > reconnects.longestMs) failures = 0
      await sleep(backOffMs(reconnects, failures), { signal: closing.signal, isRef: false })
    }
  }
  const running = run()
  return {
    async close() {
      closing.abort()
      await running
      await pool.end()
    },
  }
}

function endConnection(client: pg.PoolClient): void {
  void (client as pg.PoolClient & { end(): Promise<void> }).end().catch(() => undefined)
}
