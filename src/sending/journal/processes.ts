import type { Kysely } from 'kysely'
import type { Clock } from '../../kit/clock.ts'
import type { Log } from '../../kit/log.ts'
import type { Storage } from '../../storage/index.ts'
import type { DeliveryTables } from '../table.ts'

const heartbeatMs = 2_000
/** A process that was not seen for so long is dead; what it had begun is uncertain. */
const deadAfterMs = 15_000

/** What processes are watched with. */
export interface ProcessesOptions {
  storage: Storage
  clock: Clock
  log: Log
  processId: string
  /** Told of the processes that are found dead, after their deliveries became uncertain. */
  onDead: (processIds: readonly string[]) => Promise<void>
}

/**
 * Which processes send: each says that it lives, and looks after what the dead have left behind. What
 * one had begun to send when it died may have arrived or not: it is uncertain.
 */
export class Processes {
  readonly #options: ProcessesOptions
  readonly #db: Kysely<DeliveryTables>
  #timer: NodeJS.Timeout | undefined

  constructor(options: ProcessesOptions) {
    this.#options = options
    this.#db = options.storage.tables<DeliveryTables>()
  }

  /** Says that this process lives, and begins to look after the dead. */
  async start(): Promise<void> {
    await this.#lookAround()
    const { log } = this.#options
    this.#timer = setInterval(() => {
      this.#lookAround().catch((err: unknown) => {
        log.warn({ err }, 'the processes that send could not be looked after')
      })
    }, heartbeatMs)
  }

  /** Says that this process is done; it must have finished what it began. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    const { processId, log } = this.#options
    try {
      await this.#db.deleteFrom('sending_processes').where('id', '=', processId).execute()
    } catch (err) {
      // Others will find it gone in a while, and nothing of it left to look after.
      log.warn({ err }, 'the end of this process could not be written down')
    }
  }

  async #lookAround(): Promise<void> {
    const { clock, processId } = this.#options
    const seen = { seen_at: clock.now() }
    await this.#db
      .insertInto('sending_processes')
      .values({ id: processId, ...seen })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(seen))
      .execute()
    const query = this.#db.selectFrom('sending_processes').select('id')
    const dead = await query.where('seen_at', '<', clock.now() - deadAfterMs).execute()
    if (dead.length > 0) await this.#bury(dead.map(({ id }) => id))
  }

  async #bury(ids: readonly string[]): Promise<void> {
    const reason = 'The process that sent it died before the answer came.'
    const lost = await this.#db
      .updateTable('deliveries')
      .set({ outcome: 'uncertain', reason })
      .where('outcome', '=', 'started')
      .where('process_id', 'in', [...ids])
      .executeTakeFirst()
    await this.#options.onDead(ids)
    await this.#db
      .deleteFrom('sending_processes')
      .where('id', 'in', [...ids])
      .execute()
    const line = { processes: ids, uncertain: Number(lost.numUpdatedRows) }
    this.#options.log.warn(line, 'a process that sent has died')
  }
}
