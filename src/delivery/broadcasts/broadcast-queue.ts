import type { Transaction } from 'kysely'
import type { EmailRow } from '../../emails/index.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Log } from '../../kit/log.ts'
import type { EmailRenderer, FindRefusal, Links } from '../../messages/index.ts'
import type { ResolveRoute } from '../../routing/index.ts'
import type { Storage } from '../../storage/index.ts'
import type { FindSuppressions } from '../../suppressions/index.ts'
import type { OnSettled } from '../deliveries/settle-delivery.ts'
import type { DeliveryIntervals } from '../intervals.ts'
import type { DeliveryLog } from '../log/delivery-log.ts'
import type { ExpiredProcess } from '../log/processes.ts'
import type { BounceRecorder } from '../suppressed/bounces.ts'
import type { DeliveryTables } from '../table.ts'
import type { TransportPool } from '../transport-pool.ts'
import type { OnUnattempted } from '../unattempted.ts'
import { openBroadcastStore } from './broadcast-store.ts'
import { type Broadcasts, openBroadcasts } from './broadcasts.ts'
import type { JobRunnerParts } from './job-runner.ts'
import { recoverRecipients, settleUncertain } from './recipient-states.ts'
import { openRenderMarks, pauseRendered } from './render-marks.ts'
import type { BroadcastTables } from './table.ts'
import type { TransportThrottles } from './transport-throttle.ts'
import { Worker } from './worker.ts'

export interface BroadcastQueueOptions {
  storage: Storage
  clock: Clock
  log: Log
  processId: string
  /** The sender of emails without one. */
  defaultFrom: string
  intervals: DeliveryIntervals
  deliveryLog: DeliveryLog
  throttles: TransportThrottles
  transportPool: TransportPool
  limiter: JobRunnerParts['limiter']
  resolveRoute: ResolveRoute
  findEmail: (id: number) => Promise<EmailRow | undefined>
  prepareEmail: (email: EmailRow) => Promise<EmailRenderer>
  findRefusal: FindRefusal
  findSuppressions: FindSuppressions
  /** How long a message is tried, in milliseconds. */
  lifetimeMs: number
  onUnattempted?: OnUnattempted
  /** The links in messages; undefined without a public URL. */
  links: Links | undefined
  bounces: BounceRecorder
}

/** The broadcasts of the API, the worker that sends them, and the hooks that change their recipients. */
export interface BroadcastQueue {
  broadcasts: Broadcasts
  worker: Worker
  /** Makes the workers of all processes look for what is due. Call it after the commit. */
  wake: () => void
  /** Recovers the work of expired processes, in the transaction that removes them. */
  recover: (tx: Transaction<DeliveryTables>, expired: readonly ExpiredProcess[]) => Promise<void>
  /** Starts the worker. On SQLite, first pauses the broadcast whose email ended the previous process. */
  start: () => Promise<void>
  /** Called when an operator settles an uncertain delivery. */
  onSettled: OnSettled
}

/** Wakes the workers of all processes when a broadcast is created or resumed. */
const channel = 'broadcasts'

export function openBroadcastQueue(options: BroadcastQueueOptions): BroadcastQueue {
  const { storage, clock, log, links } = options
  const wake = () => storage.notify(channel)
  const random = Math.random
  const renderMarks = openRenderMarks(storage, options.processId)
  const parts = { ...options, random, renderMarks }
  const worker = new Worker({ ...parts, store: openBroadcastStore(storage) })
  return {
    broadcasts: openBroadcasts({
      storage,
      clock,
      log,
      links,
      defaultFrom: options.defaultFrom,
      onWork: wake,
    }),
    worker,
    wake,
    async start() {
      // Other processes of a shared database may be running: their broadcasts wait until they expire.
      if (!storage.isShared) await renderMarks.pauseOthers()
      storage.listen(channel, () => worker.wake())
      worker.start()
    },
    async recover(tx, expired) {
      const processIds = expired.map(({ id }) => id)
      const recovered = await recoverRecipients(tx, processIds, clock.now())
      await pauseRendered(
        tx.withTables<BroadcastTables & DeliveryTables>(),
        expired.flatMap(({ rendering }) => rendering ?? []),
      )
      const isAny = recovered.requeued + recovered.uncertain > 0
      if (isAny) log.warn(recovered, 'recipients of expired process recovered')
    },
    async onSettled(tx, delivery, outcome) {
      const { email_id: emailId, contact_id: contactId, broadcast_id: broadcastId } = delivery
      if (emailId !== null && contactId !== null && broadcastId !== null) {
        const recipient = { emailId, contactId, broadcastId }
        await settleUncertain(tx, recipient, { outcome, now: clock.now() })
      }
    },
  }
}
