import { hash, randomBytes } from 'node:crypto'
import type { Kysely, Transaction } from 'kysely'
import type { Storage } from '../../../platform/storage/index.ts'
import { addressKeyOf } from '../contact-address.ts'
import type { FoundEntry } from '../do-not-contact/list-store.ts'
import { mauticNotFound } from '../errors.ts'
import { byMautic, problemColumns } from '../state-store.ts'
import type { StoredSecrets } from '../stored-secrets.ts'
import type { MauticTables, MauticWebhookRow } from '../table.ts'

/** How many found entries are compared with what has come. */
const entriesMax = 20
/** Mautic writes an entry a moment before the time of its event, or after it. */
const toleranceMs = 60_000

/** Returns the key of a contact and its address in the changes that have come. */
export function eventHash(contactId: number | null, address: string): string {
  return hash('sha256', JSON.stringify([contactId, addressKeyOf(address)]))
}

/** What is wrong with a webhook that API credentials have created, once its Mautic is connected as a user. */
export const withoutOwner =
  'has no owner. Create it again, and the user of this connection becomes its owner'

/** Notes in a transaction that the webhook of a Mautic has no owner. */
export async function noteWithoutOwner(
  tx: Transaction<MauticTables>,
  mauticId: number,
  now: number,
): Promise<void> {
  const webhooks = tx.selectFrom('mautic_webhooks').select('hook_id')
  const webhook = await webhooks.where('mautic_id', '=', mauticId).executeTakeFirst()
  const problem = `Webhook ${webhook?.hook_id} ${withoutOwner}.`
  const update = tx.updateTable('mautic_webhooks').set({ problem, problem_since: now })
  await update.where('mautic_id', '=', mauticId).execute()
}

/** What is stored of a webhook when it was created. */
export type NewWebhook = Pick<
  MauticWebhookRow,
  'mautic_id' | 'hook_id' | 'url' | 'accepts_unproven' | 'created_at'
>

/** A Mautic and its webhook, where it has one. */
export interface WebhookState {
  mauticUrl: string
  /** Whether Mailyard logs in to it as a user. What a user creates has an owner. */
  hasUser: boolean
  /** The secret that signs its webhooks; null if it has none, or if the key of the secret is missing. */
  secret: string | null
  /** As it is stored. */
  sealedSecret: string | null
  webhook: MauticWebhookRow | undefined
}

/** The SQL of the webhooks. */
export class WebhookStore {
  readonly #storage: Storage
  readonly #secrets: StoredSecrets
  readonly #db: Kysely<MauticTables>

  constructor({ storage, secrets }: { storage: Storage; secrets: StoredSecrets }) {
    this.#storage = storage
    this.#secrets = secrets
    this.#db = storage.tables<MauticTables>()
  }

  /** Throws an AppError (`not_found`). */
  async read(mauticId: number): Promise<WebhookState> {
    const query = this.#db.selectFrom('mautics').selectAll().where('id', '=', mauticId)
    const mautic = await query.executeTakeFirst()
    if (mautic === undefined) throw mauticNotFound(mauticId)
    return {
      mauticUrl: mautic.url,
      hasUser: mautic.username !== null,
      secret: (await this.#secrets.open(mautic, 'webhook_secret')) ?? null,
      sealedSecret: mautic.webhook_secret,
      webhook: await this.#find(mauticId),
    }
  }

  /** Returns the webhooks of some Mautics, by the id of the Mautic. */
  list(mauticIds: readonly number[]): Promise<Map<number, MauticWebhookRow>> {
    return byMautic(this.#db.selectFrom('mautic_webhooks').selectAll(), mauticIds)
  }

  async #find(mauticId: number): Promise<MauticWebhookRow | undefined> {
    return (await this.list([mauticId])).get(mauticId)
  }

  /** Returns the secret of a Mautic. Where it has none that can be read, a new one is stored, encrypted. */
  async ensureSecret(mauticId: number): Promise<string> {
    for (;;) {
      const { secret, sealedSecret } = await this.read(mauticId)
      if (secret !== null) return secret
      const created = randomBytes(32).toString('hex')
      const { text, isCurrent } = await this.#secrets.seal('webhook_secret', created)
      const isStored = await this.#storage.transaction(async (tx: Transaction<MauticTables>) => {
        // The data key may have changed meanwhile, and another request may have stored a secret.
        const mautic = tx.selectFrom('mautics').select('webhook_secret').where('id', '=', mauticId)
        const row = await mautic.forUpdate().executeTakeFirst()
        if (row?.webhook_secret !== sealedSecret || !(await isCurrent(tx))) return false
        await writeSecret(tx, mauticId, text)
        return true
      })
      if (isStored) return created
    }
  }

  /** Stores a webhook, unless the Mautic is deleted. Of one that was there already, what has come stays known. */
  save(webhook: NewWebhook, isNew: boolean): Promise<void> {
    const { mautic_id: mauticId } = webhook
    return this.#storage.transaction(async (tx: Transaction<MauticTables>) => {
      const parent = tx.selectFrom('mautics').select('id').where('id', '=', mauticId).forUpdate()
      if ((await parent.executeTakeFirst()) === undefined) return
      const row = { ...webhook, problem: null, problem_since: null, expected_since: null }
      const arrivals = isNew ? { arrived_at: null } : {}
      await tx
        .insertInto('mautic_webhooks')
        .values({ ...row, arrived_at: null })
        .onConflict((conflict) => conflict.column('mautic_id').doUpdateSet({ ...row, ...arrivals }))
        .execute()
    })
  }

  /** Notes that Mautic has sent a change. */
  async noteArrived(mauticId: number, now: number): Promise<void> {
    const arrived = { arrived_at: now, expected_since: null }
    await this.#update(mauticId).set(arrived).execute()
  }

  /** Notes that a webhook is expected, where entries that reading the list has found came with none since it was created. */
  async noteFound(mauticId: number, entries: readonly FoundEntry[], now: number): Promise<void> {
    const webhook = await this.#find(mauticId)
    if (webhook === undefined || webhook.expected_since !== null) return
    const later = entries.filter(({ addedAt }) => addedAt >= webhook.created_at)
    // A list may have many changes; some show whether they come.
    for (const { contactId, addressKey, addedAt } of later.slice(-entriesMax)) {
      const events = this.#db.selectFrom('mautic_events').select('hash')
      const ofContact = events
        .where('mautic_id', '=', mauticId)
        .where('hash', '=', eventHash(contactId, addressKey))
      const arrived = ofContact.where('changed_at', '>=', addedAt - toleranceMs)
      if ((await arrived.executeTakeFirst()) !== undefined) continue
      await this.#update(mauticId).set({ expected_since: now }).execute()
      return
    }
  }

  /** Stores what is wrong with a webhook, and since when; null if nothing is. */
  async noteProblem(mauticId: number, problem: string | null, now: number): Promise<void> {
    await this.#update(mauticId).set(problemColumns(problem, now)).execute()
  }

  #update(mauticId: number) {
    return this.#db.updateTable('mautic_webhooks').where('mautic_id', '=', mauticId)
  }

  /** Deletes what is stored of a webhook, with its secret. */
  remove(mauticId: number): Promise<void> {
    return this.#storage.transaction(async (tx: Transaction<MauticTables>) => {
      await writeSecret(tx, mauticId, null)
      await tx.deleteFrom('mautic_webhooks').where('mautic_id', '=', mauticId).execute()
    })
  }
}

/** The revision changes, so that an edit that has read the row before does not write the old secret back. */
async function writeSecret(
  tx: Transaction<MauticTables>,
  mauticId: number,
  secret: string | null,
): Promise<void> {
  await tx
    .updateTable('mautics')
    .set((row) => ({ webhook_secret: secret, revision: row('revision', '+', 1) }))
    .where('id', '=', mauticId)
    .execute()
}
