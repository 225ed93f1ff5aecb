import type { Kysely, Transaction } from 'kysely'
import { AppError } from '../../kit/app-error.ts'
import type { Caller } from '../../kit/caller.ts'
import type { Clock } from '../../kit/clock.ts'
import { pause as takeTurns } from '../../kit/pause.ts'
import { isUniqueViolation, type Storage } from '../../storage/index.ts'
import { type EnrolTables, enrol } from './enrol.ts'
import { type SendingItem, sendingItemOf } from './sending-item.ts'
import type { SendingRow, SendingStatus } from './table.ts'

/** To whom: contacts by id, or all of a segment. */
export type SendingTarget = { contactIds: readonly number[] } | { segment: string }

/** A sending that somebody asks for. */
export interface NewSending {
  emailId: number
  target: SendingTarget
  caller: Caller
  /** Undefined where each request is a sending of its own. */
  idempotencyKey: string | undefined
}

/** One email to many: jobs that survive a restart, and that any number of processes share. */
export interface Sendings {
  /** The same key gives the same sending. */
  create(request: NewSending): Promise<SendingItem>
  get(id: number): Promise<SendingItem>
  /** The newest first. */
  list(query: { start: number; limit: number }): Promise<{ total: number; sendings: SendingItem[] }>
  pause(id: number): Promise<SendingItem>
  resume(id: number): Promise<SendingItem>
  /** What has left has left; the rest is not sent. */
  cancel(id: number): Promise<SendingItem>
}

const enrolledAtOnce = 1_000

/** `onWork` is called when there may be something to send. */
export function openSendings(parts: {
  storage: Storage
  clock: Clock
  onWork: () => void
}): Sendings {
  const { storage, clock, onWork } = parts
  const db = storage.tables<EnrolTables>()
  const present = (row: SendingRow) => sendingItemOf(storage, row, clock.now())
  const change = async (id: number, from: SendingStatus[], status: SendingStatus) => {
    const finished = status === 'cancelled' ? { finished_at: clock.now() } : {}
    const update = db
      .updateTable('sendings')
      .set({ status, ...finished })
      .where('id', '=', id)
    const { numUpdatedRows } = await update.where('status', 'in', from).executeTakeFirst()
    const row = await getRow(db, id)
    if (numUpdatedRows === 0n && row.status !== status) throw cannotBecome(row.status, status)
    onWork()
    return present(row)
  }
  return {
    async create(request) {
      const existing = await findByKey(db, request)
      const row = existing ?? (await create(parts, request))
      onWork()
      return present(row)
    },
    get: async (id) => present(await getRow(db, id)),
    async list({ start, limit }) {
      const rows = await db
        .selectFrom('sendings')
        .selectAll()
        .orderBy('id', 'desc')
        .offset(start)
        .limit(limit)
        .execute()
      const count = db.selectFrom('sendings').select((row) => row.fn.countAll<number>().as('total'))
      const { total } = await count.executeTakeFirstOrThrow()
      const sendings: SendingItem[] = []
      for (const row of rows) sendings.push(await present(row))
      return { total: Number(total), sendings }
    },
    pause: (id) => change(id, ['running'], 'paused'),
    resume: (id) => change(id, ['paused'], 'running'),
    cancel: (id) => change(id, ['running', 'paused'], 'cancelled'),
  }
}

async function getRow(db: Kysely<EnrolTables>, id: number): Promise<SendingRow> {
  const row = await db.selectFrom('sendings').selectAll().where('id', '=', id).executeTakeFirst()
  if (row === undefined) throw new AppError('not_found', 'sending_not_found', 'Sending not found')
  return row
}

async function findByKey(
  db: Kysely<EnrolTables>,
  request: NewSending,
): Promise<SendingRow | undefined> {
  const key = keyOf(request)
  if (key === null) return undefined
  const row = await db
    .selectFrom('sendings')
    .selectAll()
    .where('idempotency_key', '=', key)
    .executeTakeFirst()
  if (row !== undefined && row.email_id !== request.emailId) {
    const message = 'This Idempotency-Key was used for another request; use a new one.'
    throw new AppError('conflict', 'idempotency_key_used', message)
  }
  return row
}

async function create(
  { storage, clock }: { storage: Storage; clock: Clock },
  request: NewSending,
): Promise<SendingRow> {
  const { emailId, target, caller } = request
  const now = clock.now()
  const values = {
    email_id: emailId,
    caller: caller.name,
    created_at: now,
    finished_at: null,
    status: 'running' as const,
    segment: 'segment' in target ? target.segment : null,
    is_prepared: 'contactIds' in target,
    prepared_to: 0,
    due_at: now,
    total: 0,
    accepted: 0,
    refused: 0,
    uncertain: 0,
    idempotency_key: keyOf(request),
  }
  try {
    return await storage.transaction(async (tx: Transaction<EnrolTables>) => {
      // Two sendings of one email must not enrol the same contact.
      await storage.lock(tx, `sending of email ${emailId}`)
      const insert = tx.insertInto('sendings').values(values).returningAll()
      const row = await insert.executeTakeFirstOrThrow()
      if (!('contactIds' in target)) return row
      const total = await enrolAll(tx, row, { contactIds: target.contactIds, now })
      await tx.updateTable('sendings').set({ total }).where('id', '=', row.id).execute()
      return { ...row, total }
    })
  } catch (error) {
    // Somebody else made it with the same key meanwhile.
    if (!isUniqueViolation(error, 'idempotency_key')) throw error
    const row = await findByKey(storage.tables<EnrolTables>(), request)
    if (row === undefined) throw error
    return row
  }
}

async function enrolAll(
  tx: Transaction<EnrolTables>,
  row: SendingRow,
  { contactIds, now }: { contactIds: readonly number[]; now: number },
): Promise<number> {
  const ids = [...new Set(contactIds)]
  let total = 0
  for (let start = 0; start < ids.length; start += enrolledAtOnce) {
    const some = ids.slice(start, start + enrolledAtOnce)
    await checkContacts(tx, some)
    total += await enrol(tx, row, { contactIds: some, now })
    await takeTurns()
  }
  return total
}

async function checkContacts(tx: Transaction<EnrolTables>, ids: readonly number[]): Promise<void> {
  const found = await tx
    .selectFrom('contacts')
    .select('id')
    .where('id', 'in', [...ids])
    .execute()
  if (found.length === ids.length) return
  const known = new Set(found.map(({ id }) => id))
  const missing = ids.filter((id) => !known.has(id))
  const message = `Contact not found: ${missing.slice(0, 10).join(', ')}${missing.length > 10 ? ', …' : ''}`
  throw new AppError('not_found', 'contact_not_found', message)
}

/** A caller's keys are his own. */
function keyOf({ caller, idempotencyKey }: NewSending): string | null {
  return idempotencyKey === undefined
    ? null
    : `${caller.userId ?? ''} ${caller.name} ${idempotencyKey}`
}

function cannotBecome(is: SendingStatus, wanted: SendingStatus): AppError {
  const message = `The sending is ${is} and cannot become ${wanted}.`
  return new AppError('conflict', 'sending_status', message)
}
