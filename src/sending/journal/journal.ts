import type { Transaction } from 'kysely'
import type { Clock } from '../../kit/clock.ts'
import { fold } from '../../kit/fold.ts'
import type { DeliveryResult, RecipientResult } from '../../mailer/index.ts'
import type { Storage } from '../../storage/index.ts'
import type { DeliveryRow, DeliveryTables } from '../table.ts'
import type { WayStep } from '../way/way.ts'
import { emptyDelivery } from './empty-delivery.ts'
import { createGroupCommit } from './group-commit.ts'

/** A message that is about to be handed to a transport. */
export interface NewDelivery {
  source: DeliveryRow['source']
  caller: string
  emailId: number | null
  contactId: number | null
  sendingId: number | null
  sender: string
  recipients: readonly JournalRecipient[]
  transportId: number | null
  transport: string | null
  messageId: string | null
  trace: readonly WayStep[]
}

/** One recipient, and what the same message to him is known by when it is handed in again. */
export interface JournalRecipient {
  address: string
  messageKey: string | null
  bulkKey: string | null
}

/** What is known of an earlier delivery of the same message to the same recipient. */
export type Earlier = Pick<
  DeliveryRow,
  'id' | 'outcome' | 'started_at' | 'reply' | 'email_id' | 'contact_id'
>

/** What may be sent now, recipient by recipient. */
export type Admission =
  /** Written down; it may be sent. */
  | { state: 'begun'; id: number; address: string }
  /** Another delivery of it stands in the way. */
  | { state: 'known'; earlier: Earlier; address: string }

/**
 * What is being delivered, and what became of it. It is on disk before a byte of the message leaves, so
 * that whatever dies, nothing is sent twice, and what is not known is known as such.
 */
export interface Journal {
  /** Which process this is; see `Processes`. */
  processId: string
  /** Writes down that the message is about to be sent to each recipient who has not had it yet. */
  begin(delivery: NewDelivery): Promise<Admission[]>
  /** Writes down what became of it. */
  finish(begun: readonly { id: number; address: string }[], result: DeliveryResult): Promise<void>
  /** Writes down that nothing was sent, and why; it may be handed in again. */
  abandon(ids: readonly number[], reason: string): Promise<void>
}

export function openJournal(parts: { storage: Storage; clock: Clock; processId: string }): Journal {
  const { storage, clock, processId } = parts
  const group = createGroupCommit<DeliveryTables>(storage)
  return {
    processId,
    begin: (delivery) => group.run((tx) => begin(tx, delivery, { now: clock.now(), processId })),
    async finish(begun, result) {
      await group.run((tx) => finish(tx, begun, result))
    },
    async abandon(ids, reason) {
      await group.run(async (tx) => {
        const change = { outcome: 'refused', reason, message_key: null, bulk_key: null } as const
        const update = tx.updateTable('deliveries').set({ ...change, is_permanent: false })
        await update.where('id', 'in', [...ids]).execute()
      })
    },
  }
}

async function begin(
  tx: Transaction<DeliveryTables>,
  delivery: NewDelivery,
  { now, processId }: { now: number; processId: string },
): Promise<Admission[]> {
  const { recipients, trace, source, caller } = delivery
  const common = {
    ...emptyDelivery({ source, caller, startedAt: now, processId }),
    ...columnsOf(delivery),
    trace: JSON.stringify(trace),
  }
  const admissions: Admission[] = []
  for (const recipient of recipients) admissions.push(await admit(tx, common, recipient))
  return admissions
}

/** A key that stands already belongs to a delivery of the same message. */
async function admit(
  tx: Transaction<DeliveryTables>,
  common: Omit<DeliveryRow, 'id'>,
  { address, messageKey, bulkKey }: JournalRecipient,
): Promise<Admission> {
  const keys = { message_key: messageKey, bulk_key: bulkKey }
  const row = { ...common, ...keys, recipient: address, recipient_key: fold(address) }
  for (;;) {
    const inserted = await tx
      .insertInto('deliveries')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst()
    if (inserted !== undefined) return { state: 'begun', id: inserted.id, address }
    const earlier = await findEarlier(tx, keys)
    if (earlier !== undefined) return { state: 'known', earlier, address }
    // It gave its key up between the two: try again.
  }
}

function columnsOf(delivery: NewDelivery) {
  return {
    email_id: delivery.emailId,
    contact_id: delivery.contactId,
    sending_id: delivery.sendingId,
    sender: delivery.sender,
    transport_id: delivery.transportId,
    transport: delivery.transport,
    message_id: delivery.messageId,
  }
}

function findEarlier(
  tx: Transaction<DeliveryTables>,
  keys: Pick<DeliveryRow, 'message_key' | 'bulk_key'>,
): Promise<Earlier | undefined> {
  return tx
    .selectFrom('deliveries')
    .select(['id', 'outcome', 'started_at', 'reply', 'email_id', 'contact_id'])
    .where((where) =>
      where.or([
        where('message_key', '=', keys.message_key),
        where('bulk_key', '=', keys.bulk_key),
      ]),
    )
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

async function finish(
  tx: Transaction<DeliveryTables>,
  begun: readonly { id: number; address: string }[],
  result: DeliveryResult,
): Promise<void> {
  const byAddress = new Map(result.recipients.map((recipient) => [recipient.address, recipient]))
  for (const { id, address } of begun) {
    const recipient = byAddress.get(address) ?? { address, ...overall(result) }
    const isRefused = recipient.outcome === 'refused'
    await tx
      .updateTable('deliveries')
      .set({
        outcome: recipient.outcome,
        duration_ms: Math.round(result.durationMs),
        member: result.member,
        is_permanent: recipient.isPermanent,
        reply: replyText(recipient),
        reason: recipient.outcome === 'accepted' ? null : (result.fault?.message ?? null),
        provider_id: result.messageId,
        // What was refused may be handed in again.
        ...(isRefused ? { message_key: null, bulk_key: null } : {}),
      })
      .where('id', '=', id)
      // An operator may have decided meanwhile, where this process was taken for dead.
      .where('outcome', 'in', ['started', 'uncertain'])
      .execute()
  }
}

function overall(result: DeliveryResult): Omit<RecipientResult, 'address'> {
  return { outcome: result.outcome, reply: result.reply, isPermanent: result.isPermanent }
}

/** A reply as it stood on the line. */
export function replyText({ reply }: Pick<RecipientResult, 'reply'>): string | null {
  if (reply === null) return null
  return [String(reply.code), reply.enhancedCode, reply.text]
    .filter((part) => part !== null)
    .join(' ')
}
