import type { Transaction } from 'kysely'
import type { Clock } from '../../kit/clock.ts'
import type { Permit } from '../../limits/index.ts'
import type { DeliveryResult } from '../../mailer/index.ts'
import type { Route } from '../../routing/index.ts'
import { retryAt, untriedUntil } from '../back-off.ts'
import type { DeliverRequest } from '../deliver.ts'
import { type UnattemptedEnd, writeUnattempted } from '../log/unattempted-rows.ts'
import type { DeliveryTables } from '../table.ts'
import type { OpenTransport } from '../transport-pool.ts'
import type { BroadcastState } from './broadcast-store.ts'
import type { Claim, ClaimContext } from './claims.ts'
import { type RecipientId, type Settlement, settleRecipients } from './recipient-states.ts'
import type { RenderedMessage } from './render-message.ts'
import { isWithdrawn, type TransportThrottle } from './transport-throttle.ts'

/** The open transport for the contacts of one owner. */
export interface OwnerTransport {
  openTransport: OpenTransport
  throttle: TransportThrottle
  route: Route
}

/** A message that may be sent now. */
export interface PermittedMessage extends RenderedMessage {
  broadcast: BroadcastState
  through: OwnerTransport
  permit: Permit
}

const noKeys = { messageKey: null, bulkKey: null }

/** Returns the delivery of a message. It has no keys: the claim keeps it from being sent twice. */
export function requestOf({
  broadcast,
  claim,
  message,
  messageId,
}: PermittedMessage): Omit<DeliverRequest, 'route'> {
  const about = deliveryOf(claim, broadcast)
  return { ...about, messageId, message, keysOf: () => noKeys, isFlushedFirst: true }
}

function deliveryOf({ broadcastId, emailId, contactId }: Claim, { caller }: BroadcastState) {
  return {
    ...{ source: 'broadcast' as const, caller, emailId, contactId, broadcastId },
    requestHash: null,
  }
}

function idsOf({ broadcastId, emailId, contactId }: Claim): RecipientId {
  return { broadcastId, emailId, contactId }
}

export interface SettleOptions {
  clock: Clock
  /** Returns a number from 0 to 1, exclusive. */
  random: () => number
  /** How long a message is tried, in milliseconds. */
  lifetimeMs: number
}

/** Returns what becomes of a recipient after an attempt: the outcome, or another attempt after a temporary refusal. */
export function settlementOf(
  claim: Claim,
  { result, startedAt }: { result: DeliveryResult; startedAt: number },
  { clock, random, lifetimeMs }: SettleOptions,
): Settlement {
  const now = clock.now()
  const { outcome, isPermanent, retryAfterMs, fault } = result
  if (isWithdrawn(result)) return { ...idsOf(claim), state: 'queued', dueAt: now, triedAt: null }
  const settled = {
    ...idsOf(claim),
    state: outcome,
    dueAt: startedAt,
    triedAt: startedAt,
  }
  if (outcome !== 'refused' || isPermanent) return settled
  const facts = { now, attempts: claim.attempts, retryAfterMs, random: random() }
  const untried = untriedUntil(fault, facts)
  const dueAt = untried ?? retryAt(facts)
  const isOver = dueAt - (claim.triedAt ?? startedAt) > lifetimeMs
  if (isOver) return settled
  return { ...settled, state: 'queued', dueAt, triedAt: untried === undefined ? startedAt : null }
}

/** A recipient whose message is given to no transport, and why. */
export interface UnsentRecipient extends Pick<UnattemptedEnd, 'outcome' | 'reason'> {
  claim: Claim
  broadcast: BroadcastState
  /** The sender; empty if it is not known. */
  from: string
}

/** Writes the end of recipients whose messages are not sent. It may be repeated after a failure. */
export async function recordUnsent(
  unsent: readonly UnsentRecipient[],
  { storage, processId, now }: ClaimContext,
): Promise<void> {
  if (unsent.length === 0) return
  const entries = unsent.map(({ claim, broadcast, outcome, reason, from: sender }) => {
    const unknown = { transportId: null, transport: null, messageId: null, trace: [] }
    const delivery = { ...deliveryOf(claim, broadcast), ...unknown, sender, recipients: [] }
    const ends = [{ address: claim.contact?.email ?? '', outcome, reason }]
    const settlement: Settlement = {
      ...idsOf(claim),
      state: outcome,
      dueAt: now,
      triedAt: now,
      isAttempted: false,
    }
    return { delivery, ends, startedAt: now, processId, settlement }
  })
  await storage.transaction(async (tx: Transaction<DeliveryTables>) => {
    const settlements = entries.map(({ settlement }) => settlement)
    const settled = await settleRecipients(tx, settlements, { storage, processId, now })
    await writeUnattempted(
      tx,
      entries.filter(({ settlement }) => settled.has(settlement)),
    )
  })
}
