import type { Transaction } from 'kysely'
import type { Released } from '../resource/index.ts'
import type { WebhookTables } from './table.ts'

/** Makes the webhooks whose emails are sent through a transport that is being deleted send them through the default. */
export async function releaseTransport(id: number, tx: Transaction<object>): Promise<Released> {
  const update = tx.withTables<WebhookTables>().updateTable('webhooks').set({ transport_id: null })
  const rows = await update.where('transport_id', '=', id).returning(['id', 'name']).execute()
  if (rows.length === 0) return {}
  const names = rows.map(({ name }) => `"${name}"`).sort()
  const one = names.length === 1
  const which = `${one ? 'webhook' : 'webhooks'} ${names.join(', ')}`
  return {
    consequence: {
      planned: `The ${which} ${one ? 'sends its' : 'send their'} emails through the default transport.`,
      done: `It sent the emails of the ${which}: they go through the default transport now.`,
    },
    related: rows.map((row) => row.id),
  }
}

/**
 * Makes a restored transport send the emails of the webhooks that `releaseTransport` removed it from, where they have none.
 * Returns what could not be restored, as sentences.
 */
export async function restoreTransport(
  id: number,
  related: unknown,
  tx: Transaction<object>,
): Promise<string[]> {
  const ids = (related ?? []) as number[]
  if (ids.length === 0) return []
  const update = tx.withTables<WebhookTables>().updateTable('webhooks').set({ transport_id: id })
  const free = update.where('id', 'in', ids).where('format', '=', 'email')
  const query = free.where('transport_id', 'is', null).returning('id')
  const restored = new Set((await query.execute()).map((row) => row.id))
  const others = ids.filter((each) => !restored.has(each))
  if (others.length === 0) return []
  return [
    `It does not send the emails of these webhooks again (deleted, or changed by now): ${others.join(', ')}.`,
  ]
}
