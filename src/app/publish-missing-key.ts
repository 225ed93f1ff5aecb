import type { QueryExecutorProvider } from 'kysely'
import type { MissingKey } from '../dkim/index.ts'
import type { EventSink } from '../webhooks/index.ts'

/** Publishes that the DNS record of a DKIM key is gone, in the transaction that notes it. */
export async function publishMissingKey(
  events: EventSink,
  tx: QueryExecutorProvider,
  { id, domain, selector, problem }: MissingKey,
): Promise<void> {
  if (!events.wants('dkim.missing')) return
  const message = `Receivers cannot verify the DKIM signatures of ${domain} any more. ${problem}`
  const data = { dkimKeyId: id, domain, selector, problem, message }
  await events.publish(tx, [{ type: 'dkim.missing', data, cause: domain }])
}
