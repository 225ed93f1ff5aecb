import type { Kysely, Transaction } from 'kysely'
import type { EmailTables } from '../../emails/index.ts'
import { AppError } from '../../kit/app-error.ts'
import type { Caller } from '../../kit/caller.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Log } from '../../kit/log.ts'
import type { Links } from '../../messages/index.ts'
import { readHeadersIfValid, warnOfLinks } from '../../messages/index.ts'
import { readOffsetPage, type Storage } from '../../storage/index.ts'
import {
  checkNoBroadcastHasKey,
  checkNoBroadcastHasKeyLocked,
  findBroadcastByKey,
  type NewBroadcast,
} from '../idempotency.ts'
import { type BroadcastItem, presentBroadcast } from './broadcast-item.ts'
import { type BroadcastState, stateColumns } from './broadcast-store.ts'
import { type CountRequest, countRecipients, type RecipientCount } from './count-recipients.ts'
import { countsOf } from './counts.ts'
import { createBroadcast } from './create-broadcast.ts'
import type { AddRecipientsTables } from './prepare.ts'
import { listRecipients, type RecipientPage, type RecipientQuery } from './recipients.ts'
import { type Retried, retryRefused } from './retry.ts'

import type { BroadcastRow } from './table.ts'

/** The broadcasts of the API: one email to many contacts each. They survive a restart, and all processes share them. */
export interface Broadcasts {
  /** Returns the broadcast that the same request with the same key has created. Throws as `create` does. */
  find(request: NewBroadcast): Promise<BroadcastItem | undefined>
  /** Returns the same broadcast for the same key. Throws an AppError (`conflict`) for a key of another request. */
  create(request: NewBroadcast): Promise<BroadcastItem>
  /** Throws an AppError (`conflict`) if a broadcast was created with this key. */
  checkKey(caller: Caller, key: string): Promise<void>
  /** The same check for a message that is logged with this key, against a broadcast that is being created. */
  checkKeyLocked(caller: Caller, key: string): Promise<void>
  /** Throws an AppError (`not_found`). */
  get(id: number): Promise<BroadcastItem>
  /** The newest first. */
  list(query: BroadcastQuery): Promise<{ total: number; broadcasts: BroadcastItem[] }>
  /** Counts whom a broadcast would reach. Throws an AppError as `create` does. */
  count(request: CountRequest): Promise<RecipientCount>
  listRecipients(id: number, query: RecipientQuery): Promise<RecipientPage>
  /** Sends nothing more; messages in flight end. */
  pause(id: number): Promise<BroadcastItem>
  resume(id: number): Promise<BroadcastItem>
  /** Ends a broadcast. The remaining recipients may be added to another broadcast. */
  cancel(id: number): Promise<BroadcastItem>
  /** Sends to refused recipients again. Throws an AppError (`conflict`) if the broadcast was cancelled. */
  retry(id: number): Promise<Retried & { broadcast: BroadcastItem }>
}

/** Which broadcasts a list has. */
export interface BroadcastQuery {
  start: number
  limit: number
  state?: BroadcastRow['state'] | undefined
  emailId?: number | undefined
}

export interface BroadcastsOptions {
  storage: Storage
  clock: Clock
  log: Log
  /** Called when there may be something to send. */
  onWork: () => void
  /** The links in messages; undefined without a public URL. */
  links: Links | undefined
  /** The sender of emails without one. */
  defaultFrom: string
}

type Tables = AddRecipientsTables & EmailTables

export function openBroadcasts(options: BroadcastsOptions): Broadcasts {
  const { storage, clock, log, onWork } = options
  const db = storage.tables<Tables>()
  const present = createPresent(options)
  const change = async (id: number, change: StatusChange) => {
    const hasChanged = await changeState(storage, id, { ...change, now: clock.now() })
    if (hasChanged) log.info({ broadcastId: id }, `broadcast ${changed[change.to]}`)
    onWork()
    return present([await getRow(db, id)]).then(only)
  }
  return {
    async find(request) {
      const row = await findBroadcastByKey(db, request)
      return row === undefined ? undefined : present([row]).then(only)
    },
    async create(request) {
      const row = await createBroadcast(options, request)
      const { id: broadcastId, email_id: emailId, segment, total: recipients } = row
      log.info({ broadcastId, emailId, segment, recipients }, 'broadcast started')
      if (row.state === 'done') log.info({ broadcastId, ...countsOf(row) }, 'broadcast finished')
      onWork()
      return present([row]).then(only)
    },
    checkKey: (caller, key) => checkNoBroadcastHasKey(db, caller, key),
    checkKeyLocked: (caller, key) => checkNoBroadcastHasKeyLocked(storage, caller, key),
    get: async (id) => present([await getRow(db, id)]).then(only),
    count: (request) => countRecipients(storage, request),
    listRecipients: async (id, query) => listRecipients(storage, await getRow(db, id), query),
    list: (query) => listBroadcasts(db, query, present),
    pause: (id) => change(id, { from: ['running'], to: 'paused' }),
    resume: (id) => change(id, { from: ['paused'], to: 'running' }),
    cancel: (id) => change(id, { from: ['running', 'paused'], to: 'cancelled' }),
    async retry(id) {
      const row = await getRow(db, id)
      if (row.state === 'cancelled') throw cannotRetry()
      const retried = await retryRefused(storage, row, clock.now())
      log.info({ broadcastId: id, recipients: retried.retried }, 'refused recipients queued again')
      onWork()
      const broadcast = await present([await getRow(db, id)]).then(only)
      return { broadcast, ...retried }
    },
  }
}

async function listBroadcasts(
  db: Kysely<Tables>,
  { start, limit, state, emailId }: BroadcastQuery,
  present: Present,
): Promise<{ total: number; broadcasts: BroadcastItem[] }> {
  let wanted = db.selectFrom('broadcasts')
  if (state !== undefined) wanted = wanted.where('state', '=', state)
  if (emailId !== undefined) wanted = wanted.where('email_id', '=', emailId)
  const newest = wanted.select(stateColumns).orderBy('id', 'desc')
  const { rows, total } = await readOffsetPage(newest, { start, limit })
  return { total, broadcasts: await present(rows) }
}

type Present = (rows: readonly BroadcastState[]) => Promise<BroadcastItem[]>

function createPresent({ storage, clock, links }: BroadcastsOptions): Present {
  const db = storage.tables<Tables>()
  return async (rows) => {
    const ids = [...new Set(rows.map((row) => row.email_id))]
    const query = db.selectFrom('emails').select(['id', 'name', 'headers'])
    const emails = ids.length === 0 ? [] : await query.where('id', 'in', ids).execute()
    const facts = new Map(
      emails.map(({ id, name, headers }) => [
        id,
        { name, warnings: warnOfLinks(readHeadersIfValid(headers), links) },
      ]),
    )
    const unknown = { name: '', warnings: [] }
    return rows.map((row) => presentBroadcast(row, facts.get(row.email_id) ?? unknown, clock.now()))
  }
}

function only([item]: BroadcastItem[]): BroadcastItem {
  if (item === undefined) throw new Error('The broadcast has no presentation.')
  return item
}

async function getRow(db: Kysely<Tables>, id: number): Promise<BroadcastState> {
  const query = db.selectFrom('broadcasts').select(stateColumns).where('id', '=', id)
  const row = await query.executeTakeFirst()
  if (row === undefined)
    throw new AppError('not_found', 'broadcast_not_found', 'Broadcast not found')
  return row
}

interface StatusChange {
  from: BroadcastRow['state'][]
  to: BroadcastRow['state']
}

/** The words of the log lines. */
const changed = { running: 'resumed', paused: 'paused', cancelled: 'cancelled', done: 'finished' }

/** Changes the state. It waits for messages that are being started; none is sent after it. Returns whether it changed. */
async function changeState(
  storage: Storage,
  id: number,
  { from, to, now }: StatusChange & { now: number },
): Promise<boolean> {
  return storage.transaction(async (tx: Transaction<Tables>) => {
    const row = await tx
      .selectFrom('broadcasts')
      .select(['state', 'due_at'])
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst()
    if (row === undefined || row.state === to) return false
    if (!from.includes(row.state)) throw cannotBecome(row.state, to)
    const finished = to === 'cancelled' ? { finished_at: now, contact_ids: null } : {}
    // The worker checks it again: its problem may be fixed, or nothing may be left to send.
    const resumed =
      to === 'running'
        ? {
            problem: null,
            due_at: Math.min(now, row.due_at),
            // The brake counts from here.
            braked_at: null,
            brake_attempts: 0,
            brake_refused: 0,
          }
        : {}
    const update = tx.updateTable('broadcasts').set({ state: to, ...finished, ...resumed })
    await update.where('id', '=', id).execute()
    return true
  })
}

function cannotRetry(): AppError {
  const message =
    'The broadcast is cancelled. Create another broadcast: it includes the contacts that were refused.'
  return new AppError('conflict', 'broadcast_status', message)
}

function cannotBecome(is: BroadcastRow['state'], wanted: BroadcastRow['state']): AppError {
  const message = `The broadcast is ${is} and cannot become ${wanted}.`
  return new AppError('conflict', 'broadcast_status', message)
}
