import type { QueryExecutorProvider } from 'kysely'
import type { AddedSuppression } from '../suppressions/index.ts'
import type { EventSink } from '../webhooks/index.ts'

/** Publishes suppressions in the transaction that creates them. */
export async function publishSuppressions(
  events: EventSink,
  tx: QueryExecutorProvider,
  created: readonly AddedSuppression[],
): Promise<void> {
  if (!events.wants('suppression.created')) return
  await events.publish(
    tx,
    created.map(({ address, reason, senderDomain, source }) => ({
      type: 'suppression.created' as const,
      data: { address, reason, senderDomain: senderDomain || null, source },
      cause: reason,
    })),
  )
}
