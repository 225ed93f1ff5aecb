import type { Transaction } from 'kysely'
import type { TransportTables } from '../../../core/transports/index.ts'
import type { OfBrand } from '../../../kit/caller.ts'
import type { Consequence } from '../../../platform/resource/index.ts'
import type { Storage } from '../../../platform/storage/index.ts'
import type { TransportWebhookTables } from './table.ts'

/** A webhook whose last request was refused. */
export interface RefusedWebhook extends OfBrand {
  id: number
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
    .select(['transports.id', 'transports.name', 'brand_id', 'provider', 'problem'])
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

/** Describes what happens to the webhooks of a transport that is being deleted. Undefined where there are none. */
export async function describeWebhooks(
  id: number,
  tx: Transaction<object>,
): Promise<Consequence | undefined> {
  const rows = await tx
    .withTables<TransportWebhookTables>()
    .selectFrom('transport_webhooks')
    .select('provider')
    .where('transport_id', '=', id)
    .execute()
  if (rows.length === 0) return undefined
  const which = rows.length === 1 ? 'Its webhook receives' : 'Its webhooks receive'
  const sentence = `${which} no events until it is restored.`
  return { planned: sentence, done: sentence }
}
