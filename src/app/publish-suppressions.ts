import type { QueryExecutorProvider } from 'kysely'
import type { AddedSuppression } from '../suppressions/index.ts'
import type { EventSink } from '../webhooks/index.ts'

/** Publishes suppressions that were added, as part of a transaction if it is given one. */
export async function publishSuppressions(
  events: EventSink,
  db: QueryExecutorProvider,
  added: readonly AddedSuppression[],
): Promise<void> {
  if (!events.wants('suppression.created')) return
  await events.publish(
    db,
    added.map(({ address, reason, senderDomain, source }) => ({
      type: 'suppression.created' as const,
      data: { address, reason, senderDomain: senderDomain || null, source },
      cause: reason,
    })),
  )
}
