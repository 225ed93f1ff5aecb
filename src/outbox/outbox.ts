import { type Kysely, sql } from 'kysely'
import { backOffMs } from '../kit/back-off.ts'
import type { Clock } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import { createOutage, type Outage } from '../kit/outage.ts'
import { WorkLoop } from '../kit/work-loop.ts'
import type { Storage } from '../storage/index.ts'
import { type OutboxRow, type OutboxTable, queuedAt } from './table.ts'

/** How an attempt to send a row ended. */
export type OutboxResult =
  | { state: 'done' }
  | { state: 'failed'; problem: string }
  | { state: 'queued'; problem: string; dueAt: number }
  /** There is nothing to send: the row is deleted. */
  | { state: 'needless' }

/** Sends the rows of an outbox. */
export interface OutboxSender<Row> {
  /** Sends one. What it throws is the problem of the row, which is then sent again later. */
  send(row: Row, signal: AbortSignal): Promise<OutboxResult>
  /** Whether an error means that the target works for none of its rows: they all wait. */
  isTargetDown(error: unknown): boolean
}

export interface OutboxOptions<Row extends OutboxRow> {
  storage: Storage
  table: OutboxTable
  sender: OutboxSender<Row>
  clock: Clock
  log: Log
  /** How often it looks for rows that are due again, in milliseconds. */
  idleMs: number
  /** How long after it was queued a row fails that cannot be sent. */
  giveUpMs: number
  /** How long rows are kept that have ended. */
  keepMs: number
}

/** Which rows are listed. */
export interface OutboxQuery {
  targetId: number
  state: OutboxRow['state'] | undefined
  start: number
  limit: number
  /** The key of the caller; see `callerKey`. */
  owner: string
}

/** Longer than the requests for one row take. */
const leaseMs = 120_000
const retries = { firstMs: 5_000, longestMs: 3_600_000 }
/** A target that is down is tried again after this time. */
const targetPauseMs = 15_000
/** How many rows are sent before the target is looked up again: it may have been edited. */
const rowsPerTurn = 50
const removedPerStatement = 500

/**
 * Sends stored rows until each target has accepted them: to one target one after the other, to several at the same time. Rows
 * are inserted by their own module, in the transaction of what they tell, with the columns of `queuedAt`; then `notify` is called.
 *
 * A process that claims a row moves `due_at` to the end of its lease: without a result, the row is then due again. A row changes
 * only where it is still as it was read, so that of several processes one sends it.
 */
export class Outbox<Row extends OutboxRow> {
  readonly #options: OutboxOptions<Row>
  readonly #table: OutboxTable
  readonly #db: Kysely<Record<string, OutboxRow>>
  readonly #outage: Outage
  readonly #loop: WorkLoop
  readonly #stopping = new AbortController()
  readonly #sending = new Map<number, Promise<void>>()
  /** Targets that had due rows while others of theirs were sent. */
  readonly #missed = new Set<number>()
  /** Until when a target that is down is sent nothing. */
  readonly #pausedUntil = new Map<number, number>()
  #stopListening: (() => void) | undefined

  constructor(options: OutboxOptions<Row>) {
    const { storage, table, log, idleMs } = options
    const events = { failed: `${table.label} interrupted`, recovered: `${table.label} resumed` }
    this.#options = options
    this.#table = table
    this.#db = storage.tables<Record<string, OutboxRow>>()
    this.#outage = createOutage(log, { level: 'error', ...events })
    this.#loop = new WorkLoop({ work: () => this.#sendDue(), idleMs, log, events })
  }

  start(): void {
    this.#stopListening = this.#options.storage.listen(this.#table.name, () => this.#loop.wake())
    this.#loop.start()
  }

  /** Makes all processes look for due rows at once. */
  notify(): void {
    this.#options.storage.notify(this.#table.name)
  }

  /** Cancels what is being sent and waits for its end. It is due again when its lease ends. */
  async stop(): Promise<void> {
    this.#stopListening?.()
    this.#stopping.abort()
    await this.#loop.stop()
    await Promise.all(this.#sending.values())
  }

  /** Lists rows of a target, the newest first. */
  async list(query: OutboxQuery): Promise<{ rows: Row[]; total: number }> {
    const { targetId, state, start, limit, owner } = query
    const { db, isInTime } = this.#options.storage.lists<Record<string, OutboxRow>>(owner, true)
    const all = db
      .selectFrom(this.#table.name)
      .where(sql.id(this.#table.targetColumn), '=', targetId)
      .where(isInTime)
      .$if(state !== undefined, (rows) => rows.where('state', '=', state ?? 'queued'))
    const counted = all.select((row) => row.fn.countAll<number>().as('count'))
    const { count } = await counted.executeTakeFirstOrThrow()
    const page = all.selectAll().orderBy('id', 'desc').limit(limit).offset(start)
    return { rows: (await page.execute()) as unknown as Row[], total: Number(count) }
  }

  /** Makes a row due now, as if it were new. Returns undefined if the target has none with this id. */
  async retry(targetId: number, id: number): Promise<Row | undefined> {
    const row = await this.#db
      .updateTable(this.#table.name)
      .set(queuedAt(this.#options.clock.now()))
      .where('id', '=', id)
      .where(sql.id(this.#table.targetColumn), '=', targetId)
      .returningAll()
      .executeTakeFirst()
    if (row !== undefined) this.notify()
    return row as unknown as Row | undefined
  }

  /** Deletes a row and returns it; undefined if the target has none with this id. */
  async remove(targetId: number, id: number): Promise<Row | undefined> {
    const row = await this.#db
      .deleteFrom(this.#table.name)
      .where('id', '=', id)
      .where(sql.id(this.#table.targetColumn), '=', targetId)
      .returningAll()
      .executeTakeFirst()
    return row as unknown as Row | undefined
  }

  /** Deletes rows that ended long ago. */
  async prune(): Promise<void> {
    const { name } = this.#table
    const ended = this.#db
      .selectFrom(name)
      .select('id')
      .where('state', 'in', ['done', 'failed'])
      .where('due_at', '<', this.#options.clock.now() - this.#options.keepMs)
      .limit(removedPerStatement)
    for (let removed = removedPerStatement; removed === removedPerStatement; ) {
      const removal = this.#db.deleteFrom(name).where('id', 'in', ended)
      removed = Number((await removal.executeTakeFirst()).numDeletedRows)
    }
  }

  /** Claims the oldest due row of a target until the lease ends. */
  async claim(targetId: number): Promise<Row | undefined> {
    const { name, targets, targetColumn, isWanted } = this.#table
    const now = this.#options.clock.now()
    const oldest = sql<Pick<OutboxRow, 'id' | 'due_at' | 'attempts'>>`
      select ${sql.id(name, 'id')} as id, due_at, attempts from ${sql.table(name)}
        join ${sql.table(targets)} on ${sql.id(targets, 'id')} = ${sql.id(targetColumn)}
      where ${sql.id(targetColumn)} = ${targetId} and state = 'queued' and due_at <= ${now} and ${isWanted}
      order by due_at, ${sql.id(name, 'id')} limit 1`
    for (;;) {
      const [due] = (await oldest.execute(this.#db)).rows
      if (due === undefined) return undefined
      const row = await this.#db
        .updateTable(name)
        .set({ due_at: now + leaseMs, attempts: due.attempts + 1 })
        .where('id', '=', due.id)
        .where('state', '=', 'queued')
        .where('due_at', '=', due.due_at)
        .where('attempts', '=', due.attempts)
        .returningAll()
        .executeTakeFirst()
      // Undefined: another process was faster.
      if (row !== undefined) return row as unknown as Row
    }
  }

  /** Records the result of a claimed row, unless it was claimed or retried meanwhile. */
  async settle(row: Pick<OutboxRow, 'id' | 'attempts'>, result: OutboxResult): Promise<void> {
    const { name } = this.#table
    const { id, attempts } = row
    if (result.state === 'needless') {
      const removal = this.#db.deleteFrom(name).where('id', '=', id).where('state', '=', 'queued')
      await removal.where('attempts', '=', attempts).execute()
      return
    }
    const update = this.#db.updateTable(name).set({
      state: result.state,
      due_at: result.state === 'queued' ? result.dueAt : this.#options.clock.now(),
      problem: result.state === 'done' ? null : result.problem,
    })
    const claimed = update.where('id', '=', id).where('state', '=', 'queued')
    await claimed.where('attempts', '=', attempts).execute()
  }

  async #sendDue(): Promise<number> {
    const now = this.#options.clock.now()
    for (const targetId of await this.#findDueTargets(now)) {
      if (this.#sending.has(targetId)) this.#missed.add(targetId)
      else if ((this.#pausedUntil.get(targetId) ?? 0) <= now)
        this.#sending.set(targetId, this.#sendTo(targetId))
    }
    return this.#options.idleMs
  }

  async #findDueTargets(now: number): Promise<number[]> {
    const { name, targets, targetColumn, isReady, isWanted } = this.#table
    const { rows } = await sql<{ id: number }>`
      select ${sql.id(targets, 'id')} as id from ${sql.table(targets)}
      where ${isReady} and exists (
        select 1 from ${sql.table(name)}
        where ${sql.id(name, targetColumn)} = ${sql.id(targets, 'id')}
          and ${sql.id(name, 'state')} = 'queued' and ${sql.id(name, 'due_at')} <= ${now} and ${isWanted})
      order by ${sql.id(targets, 'id')}`.execute(this.#db)
    return rows.map(({ id }) => id)
  }

  /** Sends what is due for a target, until the target is down. */
  async #sendTo(targetId: number): Promise<void> {
    let count = 0
    try {
      for (; count < rowsPerTurn && !this.#stopping.signal.aborted; count += 1) {
        const row = await this.claim(targetId)
        if (row === undefined || !(await this.#attempt(targetId, row))) break
      }
      this.#outage.recover()
    } catch (error) {
      this.#outage.report(error)
    }
    this.#sending.delete(targetId)
    if (this.#missed.delete(targetId) || count === rowsPerTurn) this.#loop.wake()
  }

  /** Sends a row and records the result. Returns false where the target is down, or sending was cancelled. */
  async #attempt(targetId: number, row: Row): Promise<boolean> {
    const { sender, clock, log } = this.#options
    const { signal } = this.#stopping
    let isDown = false
    let result: OutboxResult
    try {
      result = await sender.send(row, signal)
    } catch (error) {
      if (signal.aborted) return false
      isDown = sender.isTargetDown(error)
      result = this.#resultOf(error, row)
      const facts = { err: error, targetId, id: row.id, attempts: row.attempts }
      log.warn(facts, `one of ${this.#table.label} not sent`)
    }
    await this.settle(row, result)
    if (isDown) this.#pausedUntil.set(targetId, clock.now() + targetPauseMs)
    return !isDown
  }

  #resultOf(error: unknown, { attempts, created_at: createdAt }: Row): OutboxResult {
    const now = this.#options.clock.now()
    const problem = error instanceof Error ? error.message : String(error)
    if (now - createdAt > this.#options.giveUpMs && attempts > 1)
      return { state: 'failed', problem }
    return { state: 'queued', problem, dueAt: now + backOffMs(retries, attempts - 1) }
  }
}
