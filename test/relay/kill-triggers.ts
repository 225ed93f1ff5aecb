import { watch } from 'node:fs'
import { dirname } from 'node:path'
import pg from 'pg'
import type { SmtpMode } from '../../src/kit/smtp-mode.ts'
import { commitSteps } from './failing-machine.ts'
import type { WatchSteps } from './killer.ts'
import { queueSteps, watchQueue } from './queue-steps.ts'
import { upstreamSteps } from './scripted-upstream.ts'
import { clientSteps } from './submit.ts'

/**
 * When the relay is killed: as soon as a client, the upstream or a queued message has come to a step for so many times,
 * when so much was written into the database, or after a time. The relay itself knows nothing of it.
 */
export interface KillTrigger {
  kind: 'client' | 'upstream' | 'queue' | 'deliveryLog' | 'database' | 'time'
  step: string
}

const networkTriggers: readonly KillTrigger[] = [
  ...clientSteps.map((step) => ({ kind: 'client' as const, step })),
  ...upstreamSteps.map((step) => ({ kind: 'upstream' as const, step })),
]

/** All events at which a relay can be killed that stores no messages. */
const directTriggers: readonly KillTrigger[] = [
  ...networkTriggers,
  ...['1', '2', '3'].map((step) => ({ kind: 'deliveryLog' as const, step })),
  ...['1', '2', '3'].map((step) => ({ kind: 'time' as const, step })),
]

const queueTriggers = queueSteps.map((step) => ({ kind: 'queue' as const, step }))

/** All events at which a relay can be killed. */
export function killTriggersOf(mode: SmtpMode): readonly KillTrigger[] {
  return mode === 'direct' ? directTriggers : [...queueTriggers, ...directTriggers]
}

/** All events at which a machine can fail. */
export const machineTriggers: readonly KillTrigger[] = [
  ...networkTriggers,
  ...commitSteps.map((step) => ({ kind: 'database' as const, step })),
]

/** The events after which a power failure does harm, if something did not wait for the disk; then all others. */
export const powerTriggers: readonly KillTrigger[] = [
  { kind: 'client', step: 'answered' },
  { kind: 'upstream', step: 'dot' },
  { kind: 'upstream', step: 'answer' },
  ...machineTriggers,
]

/** Watches the database of a relay in another process. */
export function watchDatabase(databaseUrl: string): WatchSteps {
  return async (notice) => {
    const steps = ['1', '2', '3']
    const unwatch = await watchDeliveryLog(databaseUrl, () => {
      for (const step of steps) notice('deliveryLog', step)
    })
    const unwatchQueue = watchQueue(databaseUrl, (step) => notice('queue', step))
    return async () => {
      await unwatch()
      await unwatchQueue()
    }
  }
}

/** Calls `onWrite` when the database is written to, as seen from outside of the process. */
async function watchDeliveryLog(
  databaseUrl: string,
  onWrite: () => void,
): Promise<() => Promise<void>> {
  const path = /^sqlite:(.*)$/.exec(databaseUrl)?.[1]
  return path === undefined
    ? watchPostgres(databaseUrl, onWrite)
    : watchFolder(dirname(path), onWrite)
}

/** SQLite writes its write-ahead log to a file beside the database. */
function watchFolder(folder: string, onWrite: () => void): () => Promise<void> {
  const watcher = watch(folder, (_event, name) => {
    if (name?.endsWith('-wal')) onWrite()
  })
  return async () => watcher.close()
}

/** PostgreSQL reports the position of its write-ahead log. */
async function watchPostgres(url: string, onWrite: () => void): Promise<() => Promise<void>> {
  const client = new pg.Client(url)
  await client.connect()
  let position = ''
  let isOpen = true
  const poll = async () => {
    while (isOpen) {
      const { rows } = await client.query<{ at: string }>('select pg_current_wal_lsn()::text as at')
      if (position !== '' && rows[0]?.at !== position) onWrite()
      position = rows[0]?.at ?? ''
      await new Promise((done) => setTimeout(done, 5))
    }
    await client.end()
  }
  const polling = poll()
  return async () => {
    isOpen = false
    await polling
  }
}
