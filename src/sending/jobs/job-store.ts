import { type Kysely, sql, type Transaction } from 'kysely'
import type { ContactRow, ContactTables } from '../../contacts/index.ts'
import { fold } from '../../kit/fold.ts'
import type { Storage } from '../../storage/index.ts'
import { emptyDelivery } from '../journal/empty-delivery.ts'
import { createGroupCommit, type GroupCommit } from '../journal/group-commit.ts'
import type { DeliveryRow, DeliveryTables } from '../table.ts'
import { enrol } from './enrol.ts'
import type { RecipientStatus, SendingRow, SendingTables } from './table.ts'

type Tables = SendingTables & ContactTables & DeliveryTables

/** What one attempt for one contact came to. */
export interface Attempt {
  sending: SendingRow
  contact: ContactRow
  /** `queued` to try again at `dueAt`. */
  status: Exclude<RecipientStatus, 'claimed'>
  dueAt: number
  delivery: Omit<DeliveryRow, 'id'>
}

/** What workers do in the database. */
export class JobStore {
  readonly #storage: Storage
  readonly #db: Kysely<Tables>
  readonly #group: GroupCommit<Tables>
  #unrecorded: Attempt[] = []
  #recording: Promise<void> | undefined

  constructor(storage: Storage) {
    this.#storage = storage
    this.#db = storage.tables<Tables>()
    this.#group = createGroupCommit<Tables>(storage)
  }

  /** The sendings that may have something to send now. */
  due(now: number): Promise<SendingRow[]> {
    const running = this.#db.selectFrom('sendings').selectAll().where('status', '=', 'running')
    return running.where('due_at', '<=', now).orderBy('id').limit(20).execute()
  }

  /** Writes down some more contacts of the segment; returns whether that was all. */
  prepare(sending: SendingRow, { now, limit }: { now: number; limit: number }): Promise<boolean> {
    return this.#storage.transaction(async (tx: Transaction<Tables>) => {
      await this.#storage.lock(tx, `sending of email ${sending.email_id}`)
      const current = await tx
        .selectFrom('sendings')
        .selectAll()
        .where('id', '=', sending.id)
        .forUpdate()
        .executeTakeFirst()
      if (current === undefined || current.is_prepared) return true
      const members = await tx
        .selectFrom('contact_segments')
        .select('contact_id')
        .where('segment', '=', current.segment ?? '')
        .where('contact_id', '>', current.prepared_to)
        .orderBy('contact_id')
        .limit(limit)
        .execute()
      const contactIds = members.map((member) => member.contact_id)
      const enrolled = await enrol(tx.withTables<Tables>(), current, { contactIds, now })
      const isPrepared = members.length < limit
      const last = contactIds.at(-1) ?? current.prepared_to
      const change = { is_prepared: isPrepared, prepared_to: last, total: current.total + enrolled }
      await tx.updateTable('sendings').set(change).where('id', '=', current.id).execute()
      return isPrepared
    })
  }

  /** Takes some recipients who are due; nobody else will take them. */
  claim(
    sending: SendingRow,
    claim: { now: number; limit: number; processId: string },
  ): Promise<Claimed[]> {
    const { now, limit, processId } = claim
    return this.#group.run(async (tx) => {
      // Somebody may have paused it a moment ago.
      const status = await tx
        .selectFrom('sendings')
        .select('status')
        .where('id', '=', sending.id)
        .executeTakeFirst()
      if (status?.status !== 'running') return []
      const due = await tx
        .selectFrom('sending_recipients')
        .select(['contact_id', 'attempts'])
        .where('sending_id', '=', sending.id)
        .where('status', '=', 'queued')
        .where('due_at', '<=', now)
        .orderBy('due_at')
        .limit(limit)
        .forUpdate()
        .skipLocked()
        .execute()
      if (due.length === 0) return []
      const ids = due.map((recipient) => recipient.contact_id)
      await tx
        .updateTable('sending_recipients')
        .set({ status: 'claimed', claimed_by: processId })
        .where('sending_id', '=', sending.id)
        .where('contact_id', 'in', ids)
        .execute()
      const contacts = await tx.selectFrom('contacts').selectAll().where('id', 'in', ids).execute()
      const attempts = new Map(due.map((recipient) => [recipient.contact_id, recipient.attempts]))
      return contacts.map((contact) => ({ contact, attempts: attempts.get(contact.id) ?? 0 }))
    })
  }

  /** Writes down what an attempt came to, together with the others that came to something meanwhile. */
  record(attempt: Attempt): Promise<void> {
    this.#unrecorded.push(attempt)
    this.#recording ??= this.#group.run((tx) => {
      const attempts = this.#unrecorded
      this.#unrecorded = []
      this.#recording = undefined
      return recordAll(tx, attempts)
    })
    return this.#recording
  }

  /** Gives a claim back: nothing was sent. */
  async release(sending: SendingRow, contact: ContactRow): Promise<void> {
    await this.#db
      .updateTable('sending_recipients')
      .set({ status: 'queued', claimed_by: null })
      .where('sending_id', '=', sending.id)
      .where('contact_id', '=', contact.id)
      .where('status', '=', 'claimed')
      .execute()
  }

  /** Ends the sendings that have nothing left to send. */
  async finish(sending: SendingRow, now: number): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('sendings')
      .set({ status: 'done', finished_at: now })
      .where('id', '=', sending.id)
      .where('status', '=', 'running')
      .where('is_prepared', '=', true)
      .where((where) =>
        where.not(
          where.exists(
            where
              .selectFrom('sending_recipients')
              .select('contact_id')
              .where('sending_id', '=', sending.id)
              .where('status', 'in', ['queued', 'claimed']),
          ),
        ),
      )
      .executeTakeFirst()
    return numUpdatedRows > 0n
  }

  /** Holds a whole sending off, after its transport failed. */
  async postpone(sending: SendingRow, dueAt: number): Promise<void> {
    await this.#db
      .updateTable('sendings')
      .set({ due_at: dueAt })
      .where('id', '=', sending.id)
      .execute()
  }

  /** What dead processes had claimed may have left: it is uncertain, and not sent again. */
  async bury(processIds: readonly string[], now: number): Promise<void> {
    await this.#storage.transaction(async (tx: Transaction<Tables>) => {
      const lost = await tx
        .updateTable('sending_recipients')
        .set({ status: 'uncertain', finished_at: now })
        .where('status', '=', 'claimed')
        .where('claimed_by', 'in', [...processIds])
        .returning(['sending_id', 'contact_id', 'email_id', 'status'])
        .execute()
      await addToCounts(tx, lost)
      for (const recipient of lost) await recordLost(tx, recipient, now)
    })
  }
}

/** Somebody whose turn it is. */
export interface Claimed {
  contact: ContactRow
  /** How often it was tried before. */
  attempts: number
}

async function recordAll(tx: Transaction<Tables>, attempts: readonly Attempt[]): Promise<void> {
  const rows = attempts.map(({ delivery }) => ({
    ...delivery,
    recipient_key: fold(delivery.recipient),
  }))
  await tx.insertInto('deliveries').values(rows).execute()
  await addToCounts(tx, await updateRecipients(tx, attempts))
}

interface Changed {
  sending_id: number
  status: RecipientStatus
}

/**
 * All in one statement, which every database reads alike. Who is no longer claimed was buried with a
 * process that was taken for dead.
 */
async function updateRecipients(
  tx: Transaction<Tables>,
  attempts: readonly Attempt[],
): Promise<Changed[]> {
  const rows = attempts.map(({ sending, contact, status, dueAt, delivery }) => {
    const finishedAt =
      status === 'queued' ? null : delivery.started_at + (delivery.duration_ms ?? 0)
    const ids = sql`cast(${sending.id} as bigint), cast(${contact.id} as bigint)`
    const times = sql`cast(${dueAt} as bigint), cast(${finishedAt} as bigint)`
    return sql`(${ids}, cast(${status} as text), ${times})`
  })
  const { rows: changed } = await sql<Changed>`
    with results (sending_id, contact_id, status, due_at, finished_at) as (values ${sql.join(rows)})
    update sending_recipients set
      status = results.status, due_at = results.due_at, finished_at = results.finished_at,
      attempts = sending_recipients.attempts + 1, claimed_by = null
    from results
    where sending_recipients.sending_id = results.sending_id
      and sending_recipients.contact_id = results.contact_id
      and sending_recipients.status = 'claimed'
    returning sending_recipients.sending_id as sending_id, sending_recipients.status as status`.execute(
    tx,
  )
  return changed
}

async function addToCounts(tx: Transaction<Tables>, changed: readonly Changed[]): Promise<void> {
  for (const [id, ofOne] of Map.groupBy(changed, (row) => row.sending_id)) {
    const count = (status: RecipientStatus) => ofOne.filter((row) => row.status === status).length
    const change = {
      accepted: sql<number>`accepted + ${count('accepted')}`,
      refused: sql<number>`refused + ${count('refused')}`,
      uncertain: sql<number>`uncertain + ${count('uncertain')}`,
    }
    await tx.updateTable('sendings').set(change).where('id', '=', id).execute()
  }
}

async function recordLost(
  tx: Transaction<Tables>,
  lost: { sending_id: number; contact_id: number; email_id: number },
  now: number,
): Promise<void> {
  const contact = await tx
    .selectFrom('contacts')
    .select('email')
    .where('id', '=', lost.contact_id)
    .executeTakeFirst()
  const recipient = contact?.email ?? ''
  const row = emptyDelivery({ source: 'job', caller: '', startedAt: now, processId: '' })
  await tx
    .insertInto('deliveries')
    .values({
      ...row,
      email_id: lost.email_id,
      contact_id: lost.contact_id,
      sending_id: lost.sending_id,
      recipient,
      recipient_key: fold(recipient),
      outcome: 'uncertain',
      reason: 'The process that sent it died before the answer came.',
    })
    .execute()
}
