import type { Transaction } from 'kysely'
import type { EmailRow } from '../../emails/index.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Log } from '../../kit/log.ts'
import type { Storage } from '../../storage/index.ts'
import type { OnSettled } from '../deliveries/deliveries.ts'
import type { DeadProcess } from '../journal/processes.ts'
import type { Outlets } from '../outlets/outlets.ts'
import type { FindRefusal } from '../rendering/email-faults.ts'
import type { EmailRenderer } from '../rendering/email-renderer.ts'
import type { DeliveryTables } from '../table.ts'
import type { FindWay } from '../way/find-way.ts'
import { Lanes } from './lane.ts'
import { recoverRecipients } from './recover.ts'
import { openRenderMarks, pauseRendered } from './render-marks.ts'
import { openSendingStore } from './sending-store.ts'
import { openSendings, type Sendings } from './sendings.ts'
import { settleRecipient } from './settle-recipient.ts'
import type { SendingTables } from './table.ts'
import { Worker } from './worker.ts'

/** What jobs are opened with. */
export interface JobsOptions {
  storage: Storage
  clock: Clock
  log: Log
  processId: string
  outlets: Outlets
  findWay: FindWay
  findEmail: (id: number) => Promise<EmailRow | undefined>
  prepareEmail: (email: EmailRow) => Promise<EmailRenderer>
  findRefusal: FindRefusal
}

/** Sending to many: what the API asks of it, the worker that does it, and what others must tell it. */
export interface Jobs {
  sendings: Sendings
  worker: Worker
  /** Looks after what dead processes have left, in the transaction that buries them. */
  recover: (tx: Transaction<DeliveryTables>, dead: readonly DeadProcess[]) => Promise<void>
  /** Pauses what ended the process before this one, where the database has one process only. */
  start: () => Promise<void>
  /** An operator has decided about an uncertain delivery. */
  onSettled: OnSettled
}

/**
 * How many messages of jobs are under way at once through one transport in one process. As many are in
 * doubt at the most when the process is killed.
 */
const windowMax = 60

export function openJobs(options: JobsOptions): Jobs {
  const { storage, clock, log } = options
  const random = Math.random
  const lanes = new Lanes({ clock, random, windowMax, log })
  const renderMarks = openRenderMarks(storage, options.processId)
  const parts = { ...options, lanes, random, renderMarks }
  const worker = new Worker({ ...parts, store: openSendingStore(storage) })
  return {
    sendings: openSendings({ storage, clock, log, onWork: () => worker.wake() }),
    worker,
    async start() {
      // With PostgreSQL the others may be alive: their sendings are left alone until that is known.
      if (storage.kind === 'sqlite') await renderMarks.pauseOthers()
      worker.start()
    },
    async recover(tx, dead) {
      const processIds = dead.map(({ id }) => id)
      const recovered = await recoverRecipients(tx, processIds, clock.now())
      await pauseRendered(
        tx.withTables<SendingTables & DeliveryTables>(),
        dead.flatMap(({ rendering }) => rendering ?? []),
      )
      const isAny = recovered.requeued + recovered.uncertain > 0
      if (isAny) log.warn(recovered, 'recipients of a process that died were looked after')
    },
    async onSettled(tx, delivery, outcome) {
      await settleRecipient(tx, delivery, { outcome, now: clock.now() })
      worker.wake()
    },
  }
}
