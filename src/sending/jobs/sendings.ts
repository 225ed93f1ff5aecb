import type { Kysely, Transaction } from 'kysely'
import type { EmailTables } from '../../emails/index.ts'
import { AppError } from '../../kit/app-error.ts'
import type { Caller } from '../../kit/caller.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Log } from '../../kit/log.ts'
import type { Storage } from '../../storage/index.ts'
import { countsOf } from './counts.ts'
import { createSending } from './create-sending.ts'
import type { EnrolTables } from './enrol.ts'
import { findByKey, refuseKeyOfSending, refuseKeyOfSendingNow } from './keyed-sendings.ts'
import type { NewSending } from './new-sending.ts'
import { presentSending, type SendingItem } from './sending-item.ts'
import { type SendingState, stateColumns } from './sending-store.ts'
import type { SendingStatus } from './table.ts'

/** One email to many: jobs that survive a restart, and that any number of processes share. */
export interface Sendings {
  /** The sending that the same request with the same key has made. Throws as `create` does. */
  find(request: NewSending): Promise<SendingItem | undefined>
  /** The same key gives the same sending. Throws an AppError (`conflict`) for a key of another request. */
  create(request: NewSending): Promise<SendingItem>
  /** Throws an AppError (`conflict`) where a sending was made with this key. */
  refuseKey(caller: Caller, key: string): Promise<void>
  /** The same for a message that is written down with this key: of it and a sending that is just being made one goes on. */
  refuseKeyNow(caller: Caller, key: string): Promise<void>
  /** Throws an AppError (`not_found`). */
  get(id: number): Promise<SendingItem>
  /** The newest first. */
  list(query: { start: number; limit: number }): Promise<{ total: number; sendings: SendingItem[] }>
  /** What is under way ends; nothing more leaves. */
  pause(id: number): Promise<SendingItem>
  resume(id: number): Promise<SendingItem>
  /** What has left has left; the rest is not sent, and may be sent by another sending. */
  cancel(id: number): Promise<SendingItem>
}

/** What sendings are opened with. */
export interface SendingsOptions {
  storage: Storage
  clock: Clock
  log: Log
  /** Called when there may be something to send. */
  onWork: () => void
}

type Tables = EnrolTables & EmailTables

export function openSendings(options: SendingsOptions): Sendings {
  const { storage, clock, log, onWork } = options
  const db = storage.tables<Tables>()
  const change = async (id: number, change: StatusChange) => {
    const hasChanged = await changeStatus(storage, id, { ...change, now: clock.now() })
    if (hasChanged) log.info({ broadcastId: id }, `broadcast ${changed[change.to]}`)
    onWork()
    return present(db, [await getRow(db, id)], clock).then(only)
  }
  return {
    async find(request) {
      const row = await findByKey(db, request)
      return row === undefined ? undefined : present(db, [row], clock).then(only)
    },
    async create(request) {
      const row = await createSending(options, request)
      const { id: broadcastId, email_id: emailId, segment, total: recipients } = row
      log.info({ broadcastId, emailId, segment, recipients }, 'broadcast started')
      if (row.status === 'done') log.info({ broadcastId, ...countsOf(row) }, 'broadcast finished')
      onWork()
      return present(db, [row], clock).then(only)
    },
    refuseKey: (caller, key) => refuseKeyOfSending(db, caller, key),
    refuseKeyNow: (caller, key) => refuseKeyOfSendingNow(storage, caller, key),
    get: async (id) => present(db, [await getRow(db, id)], clock).then(only),
    async list({ start, limit }) {
      const newest = db.selectFrom('sendings').select(stateColumns).orderBy('id', 'desc')
      const rows = await newest.offset(start).limit(limit).execute()
      const count = db.selectFrom('sendings').select((row) => row.fn.countAll<number>().as('total'))
      const { total } = await count.executeTakeFirstOrThrow()
      return { total: Number(total), sendings: await present(db, rows, clock) }
    },
    pause: (id) => change(id, { from: ['running'], to: 'paused' }),
    resume: (id) => change(id, { from: ['paused'], to: 'running' }),
    cancel: (id) => change(id, { from: ['running', 'paused'], to: 'cancelled' }),
  }
}

async function present(
  db: Kysely<Tables>,
  rows: readonly SendingState[],
  clock: Clock,
): Promise<SendingItem[]> {
  const ids = [...new Set(rows.map((row) => row.email_id))]
  const emails =
    ids.length === 0
      ? []
      : await db.selectFrom('emails').select(['id', 'name']).where('id', 'in', ids).execute()
  const names = new Map(emails.map(({ id, name }) => [id, name]))
  return rows.map((row) => presentSending(row, names.get(row.email_id) ?? '', clock.now()))
}

function only([item]: SendingItem[]): SendingItem {
  if (item === undefined) throw new Error('A sending was shown as nothing.')
  return item
}

async function getRow(db: Kysely<Tables>, id: number): Promise<SendingState> {
  const query = db.selectFrom('sendings').select(stateColumns).where('id', '=', id)
  const row = await query.executeTakeFirst()
  if (row === undefined) throw new AppError('not_found', 'sending_not_found', 'Sending not found')
  return row
}

interface StatusChange {
  from: SendingStatus[]
  to: SendingStatus
}

/** What the log says of a change. */
const changed = { running: 'resumed', paused: 'paused', cancelled: 'cancelled', done: 'finished' }

/** Messages that are about to leave are let go first; none leaves after it. Returns whether it changed anything. */
async function changeStatus(
  storage: Storage,
  id: number,
  { from, to, now }: StatusChange & { now: number },
): Promise<boolean> {
  return storage.transaction(async (tx: Transaction<Tables>) => {
    const row = await tx
      .selectFrom('sendings')
      .select(['status', 'due_at'])
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst()
    if (row === undefined || row.status === to) return false
    if (!from.includes(row.status)) throw cannotBecome(row.status, to)
    const finished = to === 'cancelled' ? { finished_at: now, contact_ids: null } : {}
    // It is looked at anew: there may be nothing left of it, or what was wrong may be mended.
    const resumed = to === 'running' ? { problem: null, due_at: Math.min(now, row.due_at) } : {}
    const update = tx.updateTable('sendings').set({ status: to, ...finished, ...resumed })
    await update.where('id', '=', id).execute()
    return true
  })
}

function cannotBecome(is: SendingStatus, wanted: SendingStatus): AppError {
  const message = `The sending is ${is} and cannot become ${wanted}.`
  return new AppError('conflict', 'sending_status', message)
}
