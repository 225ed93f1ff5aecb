import { createLookUp } from '../../storage/index.ts'
import type { MauticClients } from '../client/open-clients.ts'
import type { StoredSecrets } from '../stored-secrets.ts'
import type { MauticRow, MauticTables } from '../table.ts'
import { OwnWebhooks } from './own-webhooks.ts'
import { openTakeOver, type TakeOver, type TakeOverOptions } from './take-over.ts'
import type { WebhookReceiver } from './webhook-route.ts'
import { openSecret, WebhookStore } from './webhook-store.ts'

/** The webhooks of Mautics: what they say, and those that Mailyard created. */
export interface Webhooks extends WebhookReceiver, TakeOver {
  own: OwnWebhooks
  store: WebhookStore
}

/** Dependencies of `openWebhooks`. */
export interface WebhooksOptions extends TakeOverOptions {
  secrets: StoredSecrets
  clients: Pick<MauticClients, 'find' | 'get' | 'dispatcher'>
  /** What addresses of Mailyard start with, without a slash at the end. */
  publicUrl: string
}

export function openWebhooks(options: WebhooksOptions): Webhooks {
  const { storage, secrets, clients, publicUrl, clock, log } = options
  const findRow = createLookUp<MauticRow>(storage, () =>
    storage.tables<MauticTables>().selectFrom('mautics').selectAll().where('id', '=', 0).compile(),
  )
  const store = new WebhookStore({ storage, secrets })
  const takeOver = openTakeOver(options)
  return {
    store,
    own: new OwnWebhooks({ store, clients, publicUrl, clock, log }),
    async findSecret(mauticId) {
      const row = await findRow(mauticId)
      return row === undefined ? undefined : ((await openSecret(secrets, row)) ?? undefined)
    },
    async apply(mauticId, events) {
      const row = await findRow(mauticId)
      if (row?.is_published) await takeOver.apply(mauticId, events)
    },
    prune: () => takeOver.prune(),
  }
}
