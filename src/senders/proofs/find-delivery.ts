import { type SelectQueryBuilder, sql } from 'kysely'
import { type DeliveryRow, type DeliveryTables, recentDeliveries } from '../../delivery/index.ts'
import { emailKey } from '../../kit/normalize-for-search.ts'
import { readHeaders } from '../../mailer/index.ts'
import type { Storage } from '../../storage/index.ts'

const columns = [
  'id',
  'started_at',
  'mautic_id',
  'sender',
  'recipient',
  'transport_id',
  'member',
  'message_id',
] as const satisfies (keyof DeliveryRow)[]

/** An accepted delivery of a message that was received. */
export type ProvenDelivery = Pick<DeliveryRow, (typeof columns)[number]>

/** What a received message says of itself. */
export interface ReceivedIdentity {
  source: Uint8Array
  /** With brackets. */
  messageId: string
  /** Milliseconds since the epoch. */
  date: number | null
}

const recipientFields = new Set([
  'to',
  'cc',
  'delivered-to',
  'x-original-to',
  'envelope-to',
  'x-delivered-to',
])
const recipientsMax = 20
const fieldLengthMax = 4_096
const dayMs = 86_400_000
const keptDays = 3 * recentDeliveries.days
const afterDays = 5

/**
 * Finds the newest accepted delivery of a received message: among those to its recipients, and else among those of its days. A provider
 * that gives messages an id of its own is found by that one. `several`: they were sent through different transports or members, so it is
 * not known which of them the message is.
 */
export async function findProvenDelivery(
  storage: Storage,
  { source, messageId, date }: ReceivedIdentity,
  { owner, now }: { owner: string; now: number },
): Promise<ProvenDelivery | 'several' | undefined> {
  const bare = messageId.replace(/^<|>$/g, '')
  const ids = [...new Set([messageId, bare, bare.split('@')[0] ?? bare])]
  const { db, isInTime } = storage.lists<DeliveryTables>(owner)
  const accepted = db
    .selectFrom('deliveries')
    .where('outcome', '=', 'accepted')
    .where('started_at', '>', now - keptDays * dayMs)
  const recipients = readRecipients(source)
  const known =
    recipients.length === 0
      ? undefined
      : await findNewest(
          accepted
            .where('recipient_key', 'in', recipients)
            .where((each) =>
              each.or([each('message_id', '=', messageId), each('provider_id', 'in', ids)]),
            ),
        )
  if (known !== undefined || date === null) return known
  return findNewest(
    accepted
      .where('started_at', '>=', date - dayMs)
      .where('started_at', '<=', date + afterDays * dayMs)
      .where('message_id', '=', messageId)
      .where(sql<boolean>`${isInTime}`),
  )
}

async function findNewest(
  matching: SelectQueryBuilder<DeliveryTables, 'deliveries', object>,
): Promise<ProvenDelivery | 'several' | undefined> {
  const routes = await matching
    .select(['transport_id', 'member', 'mautic_id'])
    .distinct()
    .limit(2)
    .execute()
  if (routes.length > 1) return 'several'
  return matching.select(columns).orderBy('started_at', 'desc').limit(1).executeTakeFirst()
}

function readRecipients(source: Uint8Array): string[] {
  const values = readHeaders(source)
    .filter(({ name }) => recipientFields.has(name.toLowerCase()))
    .map(({ value }) => value.slice(0, fieldLengthMax))
  const addresses = values.flatMap(
    (value) => value.match(/[^\s<>,;:"()]{1,64}@[^\s<>,;:"()]{1,253}/g) ?? [],
  )
  return [...new Set(addresses.map(emailKey))].slice(0, recipientsMax)
}
