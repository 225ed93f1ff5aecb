import { createLookUp } from '../../storage/index.ts'
import type { MauticRow, MauticTables } from '../table.ts'
import {
  type CreateWebhook,
  type CreateWebhookOptions,
  createCreateWebhook,
} from './create-webhook.ts'
import { openTakeOver, type TakeOver, type TakeOverOptions } from './take-over.ts'
import type { WebhookReceiver } from './webhook-route.ts'

/** The webhooks of Mautics. */
export interface Webhooks extends WebhookReceiver, TakeOver {
  create: CreateWebhook
}

/** Dependencies of `openWebhooks`. */
export type WebhooksOptions = CreateWebhookOptions & TakeOverOptions

export function openWebhooks(options: WebhooksOptions): Webhooks {
  const { storage, secrets } = options
  const findRow = createLookUp<MauticRow>(storage, () =>
    storage.tables<MauticTables>().selectFrom('mautics').selectAll().where('id', '=', 0).compile(),
  )
  return {
    ...openTakeOver(options),
    create: createCreateWebhook(options),
    async findSecret(mauticId) {
      const row = await findRow(mauticId)
      if (row === undefined || !row.is_published) return undefined
      return (await secrets.open(row, 'webhook_secret')) ?? undefined
    },
  }
}
