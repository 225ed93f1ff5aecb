import { type Kysely, sql } from 'kysely'
import type { Clock } from '../../../kit/clock.ts'
import type { Log } from '../../../kit/log.ts'
import { pause } from '../../../kit/pause.ts'
import { WorkLoop } from '../../../kit/work-loop.ts'
import type { Storage } from '../../../platform/storage/index.ts'
import type { Mautics, MauticTables, NewReport } from '../../mautic/index.ts'
import { outcomes } from '../outcomes.ts'
import { type DeliveryRow, type DeliveryTables, isRefusalOf } from '../table.ts'

export interface RefusalTaggerOptions {
  storage: Storage
  mautics: { reports: Pick<Mautics['reports'], 'add'> }
  clock: Clock
  log: Log
  /** How often it looks for new refusals. */
  idleMs: number
}

/** The log has the time at which an attempt started. After this time its outcome is in the log, too. */
const settledMs = 15 * 60_000
/** Rows of one batch. */
const rowsMax = 2_000

/** Tags the contacts of refused messages, in the Mautics that are to be tagged. Several processes may do it at the same time. */
export class RefusalTagger {
  readonly #options: RefusalTaggerOptions
  readonly #db: Kysely<MauticTables>
  readonly loop: WorkLoop

  constructor(options: RefusalTaggerOptions) {
    const { storage, log, idleMs } = options
    this.#options = options
    this.#db = storage.tables<MauticTables>()
    this.loop = new WorkLoop({
      work: async () => {
        await this.run()
        return idleMs
      },
      idleMs,
      log,
      events: { failed: 'refusals not tagged', recovered: 'refusals tagged again' },
    })
  }

  /** Tags what is due, until it is stopped. */
  async run(): Promise<void> {
    const { clock } = this.#options
    // A clock was set back: until it reaches the mark again, nothing would be tagged.
    const ahead = this.#db.updateTable('mautic_tag_marks').set({ reached_at: clock.now() })
    await ahead.where('reached_at', '>', clock.now()).execute()
    const marks = this.#db.selectFrom('mautic_tag_marks').selectAll().orderBy('mautic_id')
    for (const { mautic_id: mauticId, reached_at: reachedAt } of await marks.execute()) {
      if (this.loop.isStopped) return
      await this.#tag(mauticId, reachedAt)
    }
  }

  /**
   * Queues a tag for each contact, and moves the mark after each batch, until another process moves it. The same report is
   * queued once, so two processes may do it.
   */
  async #tag(mauticId: number, from: number): Promise<void> {
    const { mautics, clock } = this.#options
    const until = clock.now() - settledMs
    if (until <= from) return
    let after = from
    for await (const { rows, readUntil } of this.#read(mauticId, after, until)) {
      const tagged = rows.filter(({ outcome }) => outcomes[outcome].refusal?.isTagged)
      await mautics.reports.add(tagged.map((row) => toReport(mauticId, row)))
      if (!(await this.#advance(mauticId, after, readUntil)) || this.loop.isStopped) return
      after = readUntil
    }
  }

  /** Yields the refusals that started after `after`, up to `until`: the oldest first, in batches. None is empty. */
  async *#read(mauticId: number, after: number, until: number) {
    const db = this.#options.storage.tables<DeliveryTables>()
    let first: Pick<DeliveryRow, 'id' | 'started_at'> = { id: 0, started_at: after + 1 }
    while (true) {
      const { rows } = await sql<DeliveryRow>`select * from deliveries
        where ${isRefusalOf(mauticId)} and started_at >= ${first.started_at} and started_at <= ${until}
          and (started_at > ${first.started_at} or id >= ${first.id})
        order by started_at, id limit ${rowsMax + 1}`.execute(db)
      const next = rows.length > rowsMax ? rows.pop() : undefined
      if (rows.length > 0)
        yield { rows, readUntil: next === undefined ? until : next.started_at - 1 }
      if (next === undefined) return
      first = next
      await pause()
    }
  }

  /** Moves a mark. Returns false if another process has moved it. */
  async #advance(mauticId: number, from: number, to: number): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('mautic_tag_marks')
      .set({ reached_at: to })
      .where('mautic_id', '=', mauticId)
      .where('reached_at', '=', from)
      .executeTakeFirst()
    return numUpdatedRows > 0n
  }
}

function toReport(mauticId: number, row: DeliveryRow): NewReport {
  const { contact_id: contactId, email_id: emailId, recipient: address } = row
  const comments = row.reply ?? row.reason ?? ''
  return { mauticId, contactId, emailId, address, reason: 'refused', comments }
}
