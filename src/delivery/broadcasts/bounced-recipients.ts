import type { Storage } from '../../storage/index.ts'
import type { Bounce, BounceRecorder } from '../suppressed/bounces.ts'
import type { DeliveryTables } from '../table.ts'
import type { AttemptOutcome } from './outcomes.ts'

/** Suppresses the recipients whose address does not exist, once their outcomes are written. */
export function recordBounces(
  outcomes: readonly AttemptOutcome[],
  { storage, bounces }: { storage: Storage; bounces: BounceRecorder | undefined },
): void {
  const bounced = outcomes.filter(({ isBounce }) => isBounce === true)
  if (bounced.length > 0) bounces?.record(() => findBounces(storage, bounced))
}

async function findBounces(
  storage: Storage,
  outcomes: readonly AttemptOutcome[],
): Promise<Bounce[]> {
  const db = storage.tables<DeliveryTables>()
  const bounces: Bounce[] = []
  for (const { broadcastId, contactId, delivery } of outcomes) {
    const row = await db
      .selectFrom('deliveries')
      .select('id')
      .where('contact_id', '=', contactId)
      .where('broadcast_id', '=', broadcastId)
      .orderBy('started_at', 'desc')
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst()
    bounces.push({ address: delivery.recipient, deliveryId: row?.id })
  }
  return bounces
}
