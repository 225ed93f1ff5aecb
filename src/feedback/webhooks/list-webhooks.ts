import type { Storage } from '../../storage/index.ts'
import type { TransportTables } from '../../transports/index.ts'
import type { TransportWebhookTables } from './table.ts'

/** A webhook whose last request was refused. */
export interface RefusedWebhook {
  /** The id of the transport. */
  id: number
  /** The name of the transport. */
  name: string
  provider: string
  problem: string
}

/** Lists the webhooks of published transports whose last request was refused. */
export async function listRefusedWebhooks(storage: Storage): Promise<RefusedWebhook[]> {
  const rows = await storage
    .tables<TransportWebhookTables & TransportTables>()
    .selectFrom('transport_webhooks')
    .innerJoin('transports', 'transports.id', 'transport_webhooks.transport_id')
    .select(['transports.id', 'transports.name', 'provider', 'problem'])
    .where('transports.is_published', '=', true)
    .where('problem', 'is not', null)
    .orderBy('transports.id')
    .orderBy('provider')
    .execute()
  return rows.map((row) => ({ ...row, problem: row.problem ?? '' }))
}

/** Lists the webhooks of some transports, as `3 sendgrid`. */
export async function listWebhooks(storage: Storage, ids: readonly number[]): Promise<string[]> {
  const rows = await storage
    .tables<TransportWebhookTables>()
    .selectFrom('transport_webhooks')
    .select(['transport_id', 'provider'])
    .where(storage.isAmong('transport_id', ids))
    .execute()
  return rows.map((row) => `${row.transport_id} ${row.provider}`)
}
