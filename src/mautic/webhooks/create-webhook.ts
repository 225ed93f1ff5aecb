import type { Transaction } from 'kysely'
import type { Storage } from '../../storage/index.ts'
import { toAppError } from '../client/mautic-error.ts'
import type { MauticClients } from '../client/open-clients.ts'
import type { StoredSecrets } from '../stored-secrets.ts'
import type { MauticTables } from '../table.ts'
import { addHook, type Hook, isComplete, listHooks } from './mautic-hooks.ts'
import { webhookPath } from './webhook-route.ts'

/** A webhook of Mautic that leads here. */
export interface CreatedWebhook {
  /** Mautic's id. */
  id: number
  url: string
  /** Whether it was created; else it was there already. */
  isNew: boolean
  /** What may keep it from working. */
  warnings: readonly string[]
}

/** Dependencies of `createCreateWebhook`. */
export interface CreateWebhookOptions {
  storage: Storage
  secrets: StoredSecrets
  clients: Pick<MauticClients, 'get'>
  /** What addresses of Mailyard start with, without a slash at the end. */
  publicUrl: string
}

/**
 * Creates the webhook of a Mautic through its API, and stores its secret. One that is there already is used. `baseUrl` is
 * where the Mautic reaches Mailyard, if not at its public URL. Throws an AppError (`not_found`, `upstream`).
 */
export type CreateWebhook = (mauticId: number, baseUrl?: string) => Promise<CreatedWebhook>

export function createCreateWebhook(options: CreateWebhookOptions): CreateWebhook {
  const { clients, publicUrl } = options
  return async (mauticId, baseUrl = publicUrl) => {
    const client = await clients.get(mauticId)
    const url = `${baseUrl.replace(/\/+$/, '')}${webhookPath(mauticId)}`
    try {
      const same = (await listHooks(client)).filter((hook) => hook.url === url)
      const found = same.find(isComplete)
      const hook = found ?? (await addHook(client, url))
      await storeSecret(options, mauticId, hook.secret)
      const others = same.filter(({ id }) => id !== hook.id)
      const warnings = [
        ...others.map(warnOfOther),
        ...(await warnOfAddress(options, mauticId, url)),
      ]
      return { id: hook.id, url, isNew: found === undefined, warnings }
    } catch (error) {
      throw toAppError(error)
    }
  }
}

function warnOfOther({ id }: Hook): string {
  return `Webhook ${id} of this Mautic has the same address and is refused. Delete it there.`
}

const isLocal = (url: string) => /^(localhost|127\..*|\[::1\])$/.test(new URL(url).hostname)

async function warnOfAddress(
  { storage }: CreateWebhookOptions,
  mauticId: number,
  url: string,
): Promise<string[]> {
  const query = storage.tables<MauticTables>().selectFrom('mautics').select('url')
  const mautic = await query.where('id', '=', mauticId).executeTakeFirst()
  if (mautic === undefined || !isLocal(url) || isLocal(mautic.url)) return []
  const advice = 'Set MAILYARD_PUBLIC_URL, or say in url where Mautic reaches Mailyard.'
  return [`${new URL(url).origin} is reached only from this machine. ${advice}`]
}

/** The revision changes, so that an edit that has read the row before does not write the old secret back. */
async function storeSecret(
  { storage, secrets }: CreateWebhookOptions,
  mauticId: number,
  secret: string,
): Promise<void> {
  for (let isStored = false; !isStored; ) {
    const { text, isCurrent } = await secrets.seal('webhook_secret', secret)
    isStored = await storage.transaction(async (tx: Transaction<MauticTables>) => {
      // The data key may have changed meanwhile.
      if (!(await isCurrent(tx))) return false
      await tx
        .updateTable('mautics')
        .set((row) => ({ webhook_secret: text, revision: row('revision', '+', 1) }))
        .where('id', '=', mauticId)
        .execute()
      return true
    })
  }
}
