import type { Log } from '../../kit/log.ts'
import { pause } from '../../kit/pause.ts'
import { Periodic } from '../../kit/periodic.ts'
import type { TransportWebhookStore } from './transport-webhook-store.ts'

const hourMs = 3_600_000

/** Creates the task that deletes, once an hour, old tokens and the webhooks of transports that were erased. */
export function createWebhookPruner({
  store,
  log,
}: {
  store: TransportWebhookStore
  log: Log
}): Periodic {
  return new Periodic({
    task: async (signal) => {
      await store.pruneWebhooks()
      while ((await store.pruneTokens()) > 0 && !signal.aborted) await pause()
    },
    intervalMs: hourMs,
    runsAtStart: true,
    log,
    events: {
      failed: 'old tokens of webhooks not deleted',
      recovered: 'old tokens of webhooks deleted again',
    },
  })
}
