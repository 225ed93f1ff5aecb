import type { Transaction } from 'kysely'
import type { Log } from '../../kit/log.ts'
import { createTrouble } from '../../kit/trouble.ts'
import type { Storage } from '../../storage/index.ts'
import type { DeliveryTables, ProcessRow } from '../table.ts'
import { acknowledgeForCrashed } from './acknowledgements.ts'

const heartbeatMs = 2_000
/** A process that was not seen for so long is dead; what it was sending is uncertain. */
const deadAfterMs = 15_000

/** A process that has ended, and the sending whose email it was rendering. */
export type DeadProcess = Pick<ProcessRow, 'id' | 'rendering'>

/** What processes are watched with. */
export interface ProcessesOptions {
  storage: Storage
  log: Log
  processId: string
  /** Looks after what dead processes have left, in the transaction that buries them. */
  onDead: (tx: Transaction<DeliveryTables>, dead: readonly DeadProcess[]) => Promise<void>
}

/**
 * Which processes send: each says that it lives, and looks after what the dead have left behind. What
 * one was sending when it died may have arrived or not: it is uncertain. Time is the database's, which
 * is the same for all of them.
 */
export class Processes {
  readonly #options: ProcessesOptions
  #timer: NodeJS.Timeout | undefined
  #lookedAt: number | undefined
  #buriesNobodyBefore = 0

  constructor(options: ProcessesOptions) {
    this.#options = options
  }

  /** Says that this process lives, and begins to look after the dead. */
  async start(): Promise<void> {
    await this.lookAround()
    const trouble = createTrouble(this.#options.log, {
      level: 'warn',
      begun: 'the processes that send could not be looked after',
      over: 'the processes that send are looked after again',
    })
    this.#timer = setInterval(() => {
      this.lookAround().then(trouble.end, trouble.meet)
    }, heartbeatMs)
  }

  /** Says that this process is done. What it has not finished is looked after as if it had died. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    const { processId, log } = this.#options
    try {
      await this.#bury([processId])
    } catch (err) {
      // Others will find it gone in a while.
      log.warn({ err }, 'the end of this process could not be written down')
    }
  }

  /** Says that this process lives, and buries those that were not seen for long. */
  async lookAround(): Promise<void> {
    const { storage, processId, log } = this.#options
    const now = await storage.now()
    // While the database was away, or where its clock was set, nobody could be seen: all get time to say that they live.
    const wasAway = Math.abs(now - (this.#lookedAt ?? now)) > deadAfterMs / 2
    if (wasAway) this.#buriesNobodyBefore = now + deadAfterMs
    this.#lookedAt = now
    const seen = { seen_at: now }
    const db = storage.tables<DeliveryTables>()
    await db
      .insertInto('sending_processes')
      .values({ id: processId, ...seen })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(seen))
      .execute()
    // Who was seen by a clock that has been set back since would be dead only when it is that late again.
    const early = db.updateTable('sending_processes').set(seen)
    await early.where('seen_at', '>', now + heartbeatMs).execute()
    if (now < this.#buriesNobodyBefore) return
    const query = db.selectFrom('sending_processes').select('id')
    const silent = await query.where('seen_at', '<', now - deadAfterMs).execute()
    if (silent.length === 0) return
    const ids = silent.map(({ id }) => id)
    const buried = await this.#bury(ids, now - deadAfterMs)
    if (buried.length > 0) log.warn({ processes: buried }, 'a process that sent has died')
  }

  /**
   * All in one transaction, which begins with taking the processes away: whoever claims something
   * looks first whether he is still there.
   */
  #bury(ids: readonly string[], notSeenSince?: number): Promise<string[]> {
    const { storage, onDead } = this.#options
    return storage.transaction(async (tx: Transaction<DeliveryTables>) => {
      let gone = tx.deleteFrom('sending_processes').where('id', 'in', [...ids])
      if (notSeenSince !== undefined) gone = gone.where('seen_at', '<', notSeenSince)
      const ended = await gone.returning(['id', 'rendering']).execute()
      const dead = ended.map(({ id }) => id)
      if (dead.length === 0) return []
      await tx
        .updateTable('deliveries')
        .set({
          outcome: 'uncertain',
          reason: 'The process that sent it died before the answer came.',
        })
        .where('outcome', '=', 'started')
        .where('process_id', 'in', dead)
        .execute()
      // A process that stopped has written down whom it acknowledged; one that crashed may have lost that.
      if (notSeenSince !== undefined)
        await acknowledgeForCrashed(tx, { processIds: dead, now: notSeenSince + deadAfterMs })
      await onDead(tx, ended)
      return dead
    })
  }
}
