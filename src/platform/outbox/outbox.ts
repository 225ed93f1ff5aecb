import { type Expression, expressionBuilder, type Kysely, type SqlBool, sql } from 'kysely'
import { type BackOff, backOffMs } from '../../kit/back-off.ts'
import { CircuitBreaker } from '../../kit/circuit-breaker.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Log } from '../../kit/log.ts'
import { createOutage, type Outage } from '../../kit/outage.ts'
import { WorkLoop } from '../../kit/work-loop.ts'
import type { Installation } from '../installation/index.ts'
import type { Storage } from '../storage/index.ts'
import { type OutboxRow, type OutboxTable, queuedAt } from './table.ts'

/** How an attempt to send a row ended. */
export type OutboxResult =
  | { state: 'done' }
  | { state: 'failed'; problem: string }
  | { state: 'queued'; problem: string | null; dueAt: number }
  /** There is nothing to send: the row is deleted. */
  | { state: 'needless' }

export interface OutboxSender<Row> {
  /**
   * Sends one. What it throws is the problem of the row, which is then sent again later. The signal ends it where another process
   * has the row.
   */
  send(row: Row, signal: AbortSignal): Promise<OutboxResult>
  /** Whether an error means that the target works for none of its rows: they all wait. Default: it works for the others. */
  isTargetDown?(error: unknown): boolean
  /** How long the target asks to be sent nothing, in milliseconds. Default: it does not ask. */
  retryAfterMs?(error: unknown): number | undefined
}

export interface OutboxOptions<Row extends OutboxRow> {
  storage: Storage
  table: OutboxTable
  sender: OutboxSender<Row>
  /** While it is not confirmed, nothing is sent. */
  installation: Pick<Installation, 'unconfirmed'>
  clock: Clock
  log: Log
  /** How often it looks for rows that are due again, in milliseconds. */
  idleMs: number
  /** How long after it was queued a row fails that cannot be sent. */
  giveUpMs: number
  /** How long rows are kept that have ended. */
  keepMs: number
  /** How long a target that is down is sent nothing. Default: 15 s. */
  targetPauses?: BackOff
  /** How many rows of a target may wait, and how many that have ended are kept. Default: any number. */
  rowsMax?: number
}

/** Which rows are listed. */
export interface OutboxQuery {
  targetId: number
  state: OutboxRow['state'] | undefined
  /** SQL over a row. Default: every row. */
  conditions?: readonly (Expression<SqlBool> | undefined)[]
  start: number
  limit: number
  /** The key of the caller; see `callerKey`. */
  owner: string
}

/** It is renewed as long as a row is being sent. */
const leaseMs = 120_000
const retries = { firstMs: 5_000, longestMs: 3_600_000 }
const defaultTargetPauses = { firstMs: 15_000, longestMs: 15_000, jitter: 0 }
/** How many rows are sent before the target is looked up again: it may have been edited. */
const rowsPerTurn = 50
const changedPerStatement = 500
const endStates = ['done', 'failed'] as const

const where = expressionBuilder<Record<string, OutboxRow>, string>()

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
  /** The rows that are being sent, with the ends of their leases, and what ends sending them. */
  readonly #claimed = new Map<Row, AbortController>()
  /** Targets that had due rows while others of theirs were sent. */
  readonly #missed = new Set<number>()
  /** The targets that are down, by id. */
  readonly #targets: CircuitBreaker<number>
  #stopListening: (() => void) | undefined

  constructor(options: OutboxOptions<Row>) {
    const { storage, table, log, idleMs, clock, targetPauses = defaultTargetPauses } = options
    const events = { failed: `${table.label} interrupted`, recovered: `${table.label} resumed` }
    this.#options = options
    this.#table = table
    this.#db = storage.tables<Record<string, OutboxRow>>()
    this.#targets = new CircuitBreaker({ pauses: targetPauses, now: () => clock.now() })
    this.#outage = createOutage(log, { level: 'error', ...events })
    this.#loop = new WorkLoop({
      work: () => this.#startDue(),
      running: () => this.#sending.values(),
      idleMs,
      log,
      events,
    })
  }

  start(): void {
    this.#stopListening = this.#options.storage.listen(this.#table.name, () => this.#loop.wake())
    this.#loop.start()
  }

  /** Makes all processes look for due rows at once. */
  notify(): void {
    this.#options.storage.notify(this.#table.name)
  }

  /** Resolves when nothing is due any more: whether something was. */
  idle(): Promise<boolean> {
    return this.#loop.idle()
  }

  /** Sends what is due and waits for its end, also without `start`: whether something was. */
  async sendDue(): Promise<boolean> {
    await this.#startDue()
    return (await Promise.all(this.#sending.values())).length > 0
  }

  /** Cancels what is being sent and waits for its end. It is due again at once, for another process. */
  async stop(): Promise<void> {
    this.#stopListening?.()
    this.#stopping.abort()
    await this.#loop.stop()
    await Promise.all(this.#sending.values())
  }

  /** Lists rows of a target, the newest first. */
  async list(query: OutboxQuery): Promise<{ rows: Row[]; total: number }> {
    const { targetId, state, conditions = [], start, limit, owner } = query
    const { db, isInTime } = this.#options.storage.lists<Record<string, OutboxRow>>(owner, true)
    let all = db
      .selectFrom(this.#table.name)
      .where(sql.id(this.#table.targetColumn), '=', targetId)
      .where(isInTime)
      .$if(state !== undefined, (rows) => rows.where('state', '=', state ?? 'queued'))
    for (const condition of conditions) if (condition !== undefined) all = all.where(condition)
    const counted = all.select((row) => row.fn.countAll<number>().as('count'))
    const { count } = await counted.executeTakeFirstOrThrow()
    const page = all.selectAll().$castTo<Row>().orderBy('id', 'desc').limit(limit).offset(start)
    return { rows: await page.execute(), total: Number(count) }
  }

  /**
   * Makes a row due now, as if it were new. Returns undefined if the target has none with this id.
   *
   * @param condition SQL over a row.
   */
  async retry(
    targetId: number,
    id: number,
    condition: Expression<SqlBool> = where.and([]),
  ): Promise<Row | undefined> {
    const row = await this.#db
      .updateTable(this.#table.name)
      .set(queuedAt(this.#options.clock.now()))
      .where('id', '=', id)
      .where(condition)
      .where(sql.id(this.#table.targetColumn), '=', targetId)
      .returningAll()
      .$castTo<Row>()
      .executeTakeFirst()
    if (row !== undefined) this.resume(targetId)
    return row
  }

  /** Sends what is due for a target that was down, without waiting for the end of its pause. */
  resume(targetId: number): void {
    this.#targets.pass(targetId)
    this.notify()
  }

  /** Deletes a row and returns it; undefined if the target has none with this id. */
  async remove(
    targetId: number,
    id: number,
    condition: Expression<SqlBool> = where.and([]),
  ): Promise<Row | undefined> {
    return this.#db
      .deleteFrom(this.#table.name)
      .where('id', '=', id)
      .where(condition)
      .where(sql.id(this.#table.targetColumn), '=', targetId)
      .returningAll()
      .$castTo<Row>()
      .executeTakeFirst()
  }

  /** Ends the rows of a target that wait. */
  async failQueued(targetId: number, problem: string, countMax = Number.MAX_SAFE_INTEGER) {
    const { name } = this.#table
    for (let rest = countMax; rest > 0; ) {
      const queued = this.#oldest(targetId, ['queued']).limit(Math.min(rest, changedPerStatement))
      const end = { state: 'failed' as const, due_at: this.#options.clock.now(), problem }
      const update = this.#db.updateTable(name).set(end).where('id', 'in', queued)
      const { numUpdatedRows } = await update.executeTakeFirst()
      if (numUpdatedRows === 0n) return
      rest -= Number(numUpdatedRows)
    }
  }

  /** Ends the oldest rows of a target that wait, and deletes the oldest that have ended, where there are more than `rowsMax`. */
  async trim(targetId: number): Promise<void> {
    const { rowsMax } = this.#options
    if (rowsMax === undefined) return
    const { name } = this.#table
    const waiting = (await this.#count(targetId, ['queued'])) - rowsMax
    if (waiting > 0) {
      const problem = `More than ${rowsMax.toLocaleString('en')} ${this.#table.label} waited; the oldest were given up.`
      await this.failQueued(targetId, problem, waiting)
    }
    for (let rest = (await this.#count(targetId, endStates)) - rowsMax; rest > 0; ) {
      const ended = this.#oldest(targetId, endStates).limit(Math.min(rest, changedPerStatement))
      const removal = this.#db.deleteFrom(name).where('id', 'in', ended)
      const { numDeletedRows } = await removal.executeTakeFirst()
      if (numDeletedRows === 0n) break
      rest -= Number(numDeletedRows)
    }
  }

  async #count(targetId: number, states: readonly OutboxRow['state'][]): Promise<number> {
    const rows = this.#rowsOf(targetId, states)
    const counted = rows.select((row) => row.fn.countAll<number>().as('count'))
    return Number((await counted.executeTakeFirstOrThrow()).count)
  }

  #oldest(targetId: number, states: readonly OutboxRow['state'][]) {
    return this.#rowsOf(targetId, states).select('id').orderBy('due_at').orderBy('id')
  }

  #rowsOf(targetId: number, states: readonly OutboxRow['state'][]) {
    const rows = this.#db.selectFrom(this.#table.name).where('state', 'in', states)
    return rows.where(sql.id(this.#table.targetColumn), '=', targetId)
  }

  /** Deletes rows that ended long ago. */
  prune(): Promise<void> {
    const endedBefore = this.#options.clock.now() - this.#options.keepMs
    return this.#removeWhere(where('state', 'in', endStates).and('due_at', '<', endedBefore))
  }

  /** Deletes rows whose target was deleted. */
  async pruneOrphans(): Promise<void> {
    const { name, targets, targetColumn } = this.#table
    const all = this.#db.selectFrom(targets).select('id')
    const ids = (await all.orderBy('id').execute()).map(({ id }) => id)
    const column = sql.id<number>(name, targetColumn)
    // A target that was created meanwhile has rows, too.
    const isOrphan = where.not(where.exists(all.where(sql.id(targets, 'id'), '=', column)))
    // The index of the targets finds what is between their ids.
    const ends = [...ids, Number.MAX_SAFE_INTEGER]
    for (const [index, end] of ends.entries()) {
      const isBetween = where(column, '>', ids[index - 1] ?? 0).and(column, '<', end)
      await this.#removeWhere(isBetween.and(isOrphan))
    }
  }

  async #removeWhere(condition: Expression<SqlBool>): Promise<void> {
    const { name } = this.#table
    const some = this.#db.selectFrom(name).select('id').where(condition).limit(changedPerStatement)
    for (let removed = changedPerStatement; removed === changedPerStatement; ) {
      const removal = this.#db.deleteFrom(name).where('id', 'in', some)
      removed = Number((await removal.executeTakeFirst()).numDeletedRows)
    }
  }

  /** Claims the oldest due row of a target until the lease ends. */
  async claim(targetId: number): Promise<Row | undefined> {
    const { name, targets, targetColumn, isReady, isWanted } = this.#table
    const now = this.#options.clock.now()
    const oldest = sql<Pick<OutboxRow, 'id' | 'due_at' | 'attempts'>>`
      select ${sql.id(name, 'id')} as id, due_at, attempts from ${sql.table(name)}
        join ${sql.table(targets)} on ${sql.id(targets, 'id')} = ${sql.id(targetColumn)}
      where ${sql.id(targetColumn)} = ${targetId} and state = 'queued' and due_at <= ${now}
        and ${isReady} and ${isWanted}
      order by due_at, ${sql.id(name, 'id')} limit 1`
    for (;;) {
      const [due] = (await oldest.execute(this.#db)).rows
      if (due === undefined) return undefined
      const [row] = await this.#db
        .updateTable(name)
        .set({ due_at: now + leaseMs, attempts: due.attempts + 1 })
        .where('id', '=', due.id)
        .where('state', '=', 'queued')
        .where('due_at', '=', due.due_at)
        .where('attempts', '=', due.attempts)
        .returningAll()
        .$castTo<Row>()
        .execute()
      // Undefined: another process was faster.
      if (row !== undefined) return row
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

  async #startDue(): Promise<number> {
    const { clock, idleMs, installation } = this.#options
    const now = clock.now()
    // Those of deleted targets, too.
    this.#targets.forgetOlder(2 * retries.longestMs)
    for (const [row, sending] of this.#claimed)
      if (row.due_at - now < leaseMs / 2 && !(await this.#renew(row, now + leaseMs)))
        sending.abort()
    if (installation.unconfirmed !== undefined) return idleMs
    for (const targetId of await this.#findDueTargets(now)) {
      if (this.#sending.has(targetId)) this.#missed.add(targetId)
      else if (!this.#targets.isPaused(targetId) && !this.#stopping.signal.aborted)
        this.#sending.set(targetId, this.#sendTo(targetId))
    }
    return idleMs
  }

  /** Moves the end of a lease, unless the row was claimed or retried meanwhile: whether it did. */
  async #renew(row: Row, until: number): Promise<boolean> {
    const update = this.#db.updateTable(this.#table.name).set({ due_at: until })
    const claimed = update.where('id', '=', row.id).where('state', '=', 'queued')
    const { attempts, due_at: dueAt } = row
    const same = claimed.where('attempts', '=', attempts).where('due_at', '=', dueAt)
    const { numUpdatedRows } = await same.executeTakeFirst()
    row.due_at = until
    return numUpdatedRows > 0n
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
    const { sender, log, clock } = this.#options
    const sending = new AbortController()
    const signal = AbortSignal.any([this.#stopping.signal, sending.signal])
    let isDown = false
    let askedMs = 0
    let result: OutboxResult
    this.#claimed.set(row, sending)
    try {
      result = await sender.send(row, signal)
    } catch (error) {
      if (signal.aborted) {
        await this.settle(row, { state: 'queued', problem: row.problem, dueAt: clock.now() })
        return false
      }
      isDown = sender.isTargetDown?.(error) ?? false
      askedMs = sender.retryAfterMs?.(error) ?? 0
      result = this.#resultOf(error, row, askedMs)
      const facts = { err: error, targetId, id: row.id, attempts: row.attempts }
      log.warn(facts, `one of ${this.#table.label} not sent`)
    } finally {
      this.#claimed.delete(row)
    }
    await this.settle(row, result)
    if (isDown) this.#targets.fail(targetId, undefined, (pauseMs) => Math.max(pauseMs, askedMs))
    else this.#targets.pass(targetId)
    return !isDown
  }

  #resultOf(
    error: unknown,
    { attempts, created_at: createdAt }: Row,
    askedMs: number,
  ): OutboxResult {
    const now = this.#options.clock.now()
    const problem = error instanceof Error ? error.message : String(error)
    if (now - createdAt > this.#options.giveUpMs && attempts > 1)
      return { state: 'failed', problem }
    return {
      state: 'queued',
      problem,
      dueAt: now + Math.max(backOffMs(retries, attempts - 1), askedMs),
    }
  }
}
