import { type Kysely, sql, type Transaction } from 'kysely'
import type { ContactTables } from '../contacts/index.ts'
import type { DeliveryIntervals } from '../delivery/index.ts'
import { brakeOf, type DeliveryTables, defaultTransport, noTransport } from '../delivery/index.ts'
import { AppError } from '../kit/app-error.ts'
import type { Clock } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import { pause } from '../kit/pause.ts'
import { WorkLoop } from '../kit/work-loop.ts'
import type { QueueTables } from '../queue/index.ts'
import type { ResolveRoute } from '../routing/index.ts'
import type { Storage } from '../storage/index.ts'
import { domainOf, isSuppressed } from '../suppressions/index.ts'
import { countsOf, endBroadcast, endedOf, isSettled } from './counts.ts'
import { countWaiting, recipientKeyOf, resumeRecipients } from './queued-recipients.ts'
import {
  type BroadcastRow,
  type BroadcastSummary,
  type BroadcastTables,
  summaryColumns,
} from './table.ts'

export type ProducerTables = BroadcastTables & ContactTables & QueueTables & DeliveryTables

/** The contacts of one transaction: some ten milliseconds. */
const contactsPerBatch = 1_000
/** A broadcast with fewer recipients that are due gets more. */
const dueMin = 2_000
/** The most recipients of one broadcast in the queue, due or not. */
const queuedMax = 20_000
/** The broadcasts that are looked at in one turn. */
const broadcastsMax = 1_000

export interface ProducerOptions {
  storage: Storage
  clock: Clock
  log: Log
  intervals: Pick<DeliveryIntervals, 'lookMs' | 'idleMs'>
  resolveRoute: ResolveRoute
  /** The sender of emails without one. */
  defaultFrom: string
  /** How long a message is tried, in milliseconds. */
  lifetimeMs: number
  /** Called when recipients were added to the queue. */
  onDue: () => void
}

/**
 * Keeps the queue filled with recipients of the broadcasts that run: a cursor over the contacts of each. The queue has some
 * thousands of them at a time, so a broadcast of a million starts, pauses and is cancelled immediately.
 */
export class Producer {
  readonly #options: ProducerOptions
  readonly #db: Kysely<ProducerTables>
  readonly #loop: WorkLoop
  /** The broadcasts that ran in the last turn. */
  #running = new Set<number>()

  constructor(options: ProducerOptions) {
    this.#options = options
    this.#db = options.storage.tables<ProducerTables>()
    this.#loop = new WorkLoop({
      work: () => this.#work(),
      idleMs: options.intervals.idleMs,
      log: options.log,
      events: { failed: 'broadcasts interrupted', recovered: 'broadcasts resumed' },
    })
  }

  start(): void {
    this.#loop.start()
  }

  /** Makes it look for broadcasts that run immediately. */
  wake(): void {
    this.#loop.wake()
  }

  async stop(): Promise<void> {
    await this.#loop.stop()
  }

  /**
   * Adds the next contacts of a broadcast that was just created, in its transaction; returns the changed row. `transportId` is
   * the transport that the email has, if its contacts have no other.
   */
  async addFirst(
    tx: Transaction<ProducerTables>,
    row: BroadcastRow,
    transportId: number,
  ): Promise<BroadcastRow> {
    const { clock } = this.#options
    const changed = await this.#addBatch(tx, row, transportId)
    if (!isSettled(changed)) return changed
    await endBroadcast(tx, row.id, clock.now())
    return { ...changed, state: 'done', finished_at: clock.now() }
  }

  /** Returns the transport that recipients of an email are claimed for; their owners may have another. */
  async findTransport(emailId: number): Promise<number> {
    const { target } = await this.#options.resolveRoute({ emailId })
    if (target.kind === 'transport') return target.row.id
    return target.kind === 'default' ? defaultTransport : noTransport
  }

  async #work(): Promise<number> {
    const { intervals } = this.#options
    const running = await this.#db
      .selectFrom('broadcasts')
      .select(summaryColumns)
      .where('state', '=', 'running')
      .orderBy('id')
      .limit(broadcastsMax)
      .execute()
    const ids = new Set(running.map(({ id }) => id))
    await this.#logEnded([...this.#running].filter((id) => !ids.has(id)))
    this.#running = ids
    let hasAdded = false
    for (const row of running) {
      if (this.#loop.isStopped) break
      const isAdding = await this.#advance(row)
      hasAdded ||= isAdding
      await pause()
    }
    if (hasAdded) return 0
    return running.length > 0 ? intervals.lookMs : intervals.idleMs
  }

  /** An unexpected error of one broadcast must not stop those after it. */
  async #advance(row: BroadcastSummary): Promise<boolean> {
    try {
      await this.#resumeLate(row)
      return row.is_prepared ? await this.#endIfDone(row) : await this.#fill(row)
    } catch (err) {
      if (err instanceof AppError && err.kind === 'upstream') throw err
      this.#options.log.error({ err, broadcastId: row.id }, 'broadcast failed')
      return false
    }
  }

  /** Resumes recipients whose attempt ended while their broadcast was resumed: it may not have seen that. */
  async #resumeLate({ id }: BroadcastSummary): Promise<void> {
    const { storage, clock, lifetimeMs, onDue } = this.#options
    const { rows } = await sql`select 1 from queue_recipients
      where broadcast_id = ${id} and state = 'paused' limit 1`.execute(this.#db)
    if (rows.length === 0) return
    const isRunning = await storage.transaction(async (tx: Transaction<ProducerTables>) => {
      const current = tx.selectFrom('broadcasts').select('state').where('id', '=', id)
      if ((await current.forUpdate().executeTakeFirst())?.state !== 'running') return false
      await resumeRecipients(tx, id, clock.now() + lifetimeMs)
      return true
    })
    if (isRunning) onDue()
  }

  /** Adds contacts where few recipients are due. Returns whether there may be more to add. */
  async #fill({ id, email_id: emailId }: BroadcastSummary): Promise<boolean> {
    const { storage, clock, onDue } = this.#options
    const { due, all } = await this.#countQueued(id)
    if (due >= dueMin || all >= queuedMax) return false
    const transportId = await this.findTransport(emailId)
    const isAdded = await storage.transaction(async (tx: Transaction<ProducerTables>) => {
      await storage.lock(tx, addingLock(emailId))
      const row = await tx
        .selectFrom('broadcasts')
        .selectAll()
        .where('id', '=', id)
        .where('state', '=', 'running')
        .forUpdate()
        .executeTakeFirst()
      // Another process may have added them.
      if (row === undefined || row.is_prepared) return false
      const changed = await this.#addBatch(tx, row, transportId)
      if (isSettled(changed)) await endBroadcast(tx, id, clock.now())
      return true
    })
    if (isAdded) onDue()
    return isAdded
  }

  async #countQueued(id: number): Promise<{ due: number; all: number }> {
    const { rows } = await sql<{ due: number | null; count: number }>`select count(*) as count,
        sum(case when state = 'queued' and due_at <= ${this.#options.clock.now()} then 1 else 0 end) as due
      from queue_recipients where broadcast_id = ${id} and state <> 'uncertain'`.execute(this.#db)
    return { due: Number(rows[0]?.due ?? 0), all: Number(rows[0]?.count ?? 0) }
  }

  /** Ends a broadcast whose recipients were removed otherwise, such as by deleting old ones. */
  async #endIfDone({ id }: BroadcastSummary): Promise<boolean> {
    const { storage, clock } = this.#options
    if ((await this.#countQueued(id)).all > 0) return false
    await storage.transaction(async (tx: Transaction<ProducerTables>) => {
      const current = tx.selectFrom('broadcasts').select(summaryColumns).where('id', '=', id)
      const row = await current.forUpdate().executeTakeFirst()
      if (row === undefined || (await countWaiting(tx, id)) > 0) return
      await tx
        .updateTable('broadcasts')
        .set({ total: endedOf(row) })
        .where('id', '=', id)
        .execute()
      await endBroadcast(tx, id, clock.now())
    })
    return false
  }

  async #logEnded(ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return
    const { storage, log } = this.#options
    const query = this.#db.selectFrom('broadcasts').select(summaryColumns)
    for (const row of await query.where(storage.isAmong('id', ids)).execute()) {
      const broadcastId = row.id
      const brake = brakeOf(row)
      if (brake !== undefined) {
        const { kind, attempts, refused, events, accepted } = brake
        const facts = { broadcastId, kind, attempts, refused, events, accepted }
        log.warn(facts, 'broadcast paused by its brake')
      }
      if (row.state === 'done') {
        const durationMs = (row.finished_at ?? row.created_at) - row.created_at
        log.info({ broadcastId, ...countsOf(row), durationMs }, 'broadcast finished')
      }
    }
  }

  /** Adds the next contacts of a broadcast to the queue; returns the changed row. */
  async #addBatch(
    tx: Transaction<ProducerTables>,
    row: BroadcastRow,
    transportId: number,
  ): Promise<BroadcastRow> {
    const { storage, clock, defaultFrom, lifetimeMs } = this.#options
    const { contactIds, preparedTo, isLast } =
      row.segment === null ? nextListed(row) : await nextOfSegment(tx, row, row.segment)
    const { rows: emails } = await sql<{ from_address: string | null }>`
      select from_address from emails where id = ${row.email_id}`.execute(tx)
    const senderDomain = domainOf(emails[0]?.from_address ?? defaultFrom)
    const batch = { storage, contactIds, senderDomain }
    const now = clock.now()
    const added = await addRecipients(tx, row, {
      ...batch,
      transportId,
      now,
      expiresAt: now + lifetimeMs,
    })
    const skipped =
      added === contactIds.length ? noneSkipped : await countSkipped(tx, row, { ...batch, added })
    // The members of a segment may have changed since they were counted.
    const total = isLast
      ? endedOf(row) + (await countWaiting(tx, row.id))
      : row.total - (contactIds.length - added)
    const change = {
      is_prepared: isLast,
      prepared_to: preparedTo,
      total,
      skipped: JSON.stringify(addSkipped(row.skipped, skipped)),
      contact_ids: isLast ? null : row.contact_ids,
    }
    await tx.updateTable('broadcasts').set(change).where('id', '=', row.id).execute()
    return { ...row, ...change }
  }
}

/** The lock under which contacts are added to broadcasts of an email: in any order, two transactions could deadlock. */
export function addingLock(emailId: number): string {
  return `broadcast of email ${emailId}`
}

interface ContactBatch {
  contactIds: number[]
  preparedTo: number
  isLast: boolean
}

function nextListed({ contact_ids: text, prepared_to: from }: BroadcastRow): ContactBatch {
  const all = JSON.parse(text ?? '[]') as number[]
  const to = from + contactsPerBatch
  return { contactIds: all.slice(from, to), preparedTo: to, isLast: to >= all.length }
}

async function nextOfSegment(
  tx: Transaction<ProducerTables>,
  { prepared_to: from }: BroadcastRow,
  segment: string,
): Promise<ContactBatch> {
  const members = await tx
    .selectFrom('contact_segments')
    .select('contact_id')
    .where('segment', '=', segment)
    .where('contact_id', '>', from)
    .orderBy('contact_id')
    .limit(contactsPerBatch)
    .execute()
  const contactIds = members.map((member) => member.contact_id)
  const preparedTo = contactIds.at(-1) ?? from
  return { contactIds, preparedTo, isLast: members.length < contactsPerBatch }
}

/** The number of contacts that a broadcast left out, by reason. */
export interface Skipped {
  /** They got the email by another broadcast, or may have got it. */
  alreadySent: number
  /** Another broadcast is about to send it to them. */
  beingSent: number
  withoutAddress: number
  unpublished: number
  deleted: number
  /** Their address is suppressed. */
  suppressed: number
}

/** Contacts to add to a broadcast. */
export interface ContactsToAdd {
  storage: Pick<Storage, 'isAmong'>
  contactIds: readonly number[]
  transportId: number
  now: number
  expiresAt: number
  /** The domain of the sender, which suppressions may name. */
  senderDomain: string
}

/**
 * Adds contacts to the queue as recipients of a broadcast; returns their number. It leaves out contacts that are not published,
 * have no address, are suppressed, or have the email from another broadcast or wait for it. Contacts that were refused there,
 * or not reached before it was cancelled, are added.
 */
export async function addRecipients(
  tx: Transaction<ProducerTables>,
  { id, email_id: emailId }: Pick<BroadcastRow, 'id' | 'email_id'>,
  { storage, contactIds, transportId, now, expiresAt, senderDomain }: ContactsToAdd,
): Promise<number> {
  if (contactIds.length === 0) return 0
  const key = recipientKeyOf(emailId, 'contacts.id')
  const { numAffectedRows } = await sql`insert into queue_recipients
      (message_id, broadcast_id, contact_id, address, address_key, state, lane, transport_id, due_at, created_at,
        expires_at, attempts, message_key)
    select queue_messages.id, queue_messages.broadcast_id, contacts.id, contacts.email, contacts.email_key, 'queued',
      'bulk', cast(${transportId} as bigint), cast(${now} as bigint), cast(${now} as bigint),
      cast(${expiresAt} as bigint), 0, ${key}
    from contacts, queue_messages
    where queue_messages.broadcast_id = ${id} and ${storage.isAmong('contacts.id', contactIds)}
      and contacts.email is not null and contacts.is_published
      and not ${isSuppressed('contacts.email_key', senderDomain)}
      and (select 1 from delivery_keys where delivery_keys.key = ${key}) is null
    on conflict do nothing`.execute(tx)
  return Number(numAffectedRows ?? 0n)
}

export const noneSkipped: Skipped = {
  alreadySent: 0,
  beingSent: 0,
  withoutAddress: 0,
  unpublished: 0,
  deleted: 0,
  suppressed: 0,
}

/** Why a contact is left out; null if it is not. `own`: the broadcast whose recipients count as added. */
export function skipReason(
  { id, emailId }: { id: number | null; emailId: number },
  senderDomain: string,
) {
  const key = recipientKeyOf(emailId, 'contacts.id')
  return sql<keyof Skipped | null>`case
    when (select 1 from queue_recipients r where r.message_key = ${key}
      and r.broadcast_id = ${id ?? 0}) is not null then null
    when contacts.email is null then 'withoutAddress'
    when not contacts.is_published then 'unpublished'
    when (select 1 from delivery_keys where delivery_keys.key = ${key}) is not null then 'alreadySent'
    when ${isSuppressed('contacts.email_key', senderDomain)} then 'suppressed'
    when (select 1 from queue_recipients r where r.message_key = ${key}) is not null then 'beingSent'
    else null end`
}

/** Counts why contacts were left out. It costs as much as adding them, and runs only if some were left out. */
async function countSkipped(
  tx: Transaction<ProducerTables>,
  { id, email_id: emailId }: Pick<BroadcastRow, 'id' | 'email_id'>,
  {
    storage,
    contactIds,
    senderDomain,
    added,
  }: Pick<ContactsToAdd, 'storage' | 'contactIds' | 'senderDomain'> & { added: number },
): Promise<Skipped> {
  const { rows } = await sql<{ reason: keyof Skipped | null; count: number }>`
    select reason, count(*) as count from (
      select ${skipReason({ id, emailId }, senderDomain)} as reason
      from contacts where ${storage.isAmong('contacts.id', contactIds)}) as reasons
    group by reason`.execute(tx)
  const skipped = { ...noneSkipped, deleted: contactIds.length - added }
  for (const { reason, count } of rows) {
    if (reason === null) continue
    skipped[reason] = Number(count)
    skipped.deleted -= Number(count)
  }
  return skipped
}

/** Adds counts to those of a `skipped` column. */
function addSkipped(text: string, more: Skipped): Skipped {
  const sum = readSkipped(text)
  for (const reason of Object.keys(noneSkipped) as (keyof Skipped)[]) sum[reason] += more[reason]
  return sum
}

/** Parses a `skipped` column. */
export function readSkipped(text: string): Skipped {
  return { ...noneSkipped, ...(JSON.parse(text) as Partial<Skipped>) }
}
