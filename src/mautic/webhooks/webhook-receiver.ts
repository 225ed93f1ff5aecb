import { hash } from 'node:crypto'
import type { Clock } from '../../kit/clock.ts'
import type { Log } from '../../kit/log.ts'
import type { MaybePromise } from '../../kit/maybe-promise.ts'
import { emailKey } from '../../kit/normalize-for-search.ts'
import type { Storage } from '../../storage/index.ts'
import type { DoNotContactList, SuppressionTarget } from '../do-not-contact/do-not-contact-list.ts'
import { sourceOf } from '../reports/report.ts'
import type { MauticReports } from '../reports/reports.ts'
import type { SenderDomains } from '../sender-domains.ts'
import type { StateStore } from '../state-store.ts'
import type { StoredSecrets } from '../stored-secrets.ts'
import type { MauticRow, MauticTables } from '../table.ts'
import type { SubscriptionEvent } from './read-events.ts'

export interface WebhookReceiverOptions {
  storage: Storage
  /** Also finds an unpublished one. */
  findRow: (id: number) => MaybePromise<MauticRow | undefined>
  secrets: StoredSecrets
  clock: Clock
  log: Log
  states: StateStore
  reports: MauticReports
  senderDomains: SenderDomains
  suppressions: Pick<SuppressionTarget, 'add'>
  list: DoNotContactList
}

/** How long a change of the list is known, so that it is not applied again. */
const keepMs = 7 * 86_400_000

/** Applies what the webhooks of Mautics say. */
export class WebhookReceiver {
  readonly #options: WebhookReceiverOptions

  constructor(options: WebhookReceiverOptions) {
    this.#options = options
  }

  /** Returns the secret that signs the webhooks of a Mautic; undefined if there is none. */
  async findSecret(mauticId: number): Promise<string | undefined> {
    const row = await this.#options.findRow(mauticId)
    if (row === undefined) return undefined
    return (await this.#options.secrets.open(row, 'webhook_secret')) ?? undefined
  }

  /** Applies events. A Mautic that was reinstalled is not believed: its ids mean other records. */
  async apply(mauticId: number, events: readonly SubscriptionEvent[]): Promise<void> {
    const { findRow, states } = this.#options
    if (!(await findRow(mauticId))?.is_published) return
    if ((await states.find(mauticId))?.is_reinstalled) return
    const inOrder = events.toSorted((one, other) => one.at - other.at)
    for (const event of inOrder) await this.#applyOnce(mauticId, event)
  }

  /** Deletes what is not needed any more. */
  async prune(): Promise<void> {
    const { storage, clock } = this.#options
    const old = storage.tables<MauticTables>().deleteFrom('mautic_events')
    await old.where('created_at', '<', clock.now() - keepMs).execute()
  }

  /** Applies a change, unless it is old or was applied before: Mautic repeats requests, and others may replay them. */
  async #applyOnce(mauticId: number, event: SubscriptionEvent): Promise<void> {
    const { storage, clock } = this.#options
    const now = clock.now()
    if (event.at < now - keepMs) return
    const db = storage.tables<MauticTables>()
    const { contactId, address, status, at } = event
    const eventHash = hash('sha256', JSON.stringify([contactId, emailKey(address), status, at]))
    const known = db.selectFrom('mautic_events').select('hash').where('mautic_id', '=', mauticId)
    if ((await known.where('hash', '=', eventHash).executeTakeFirst()) !== undefined) return
    await this.#applyChange(mauticId, event)
    await db
      .insertInto('mautic_events')
      .values({ mautic_id: mauticId, hash: eventHash, created_at: now })
      .onConflict((conflict) => conflict.columns(['mautic_id', 'hash']).doNothing())
      .execute()
  }

  async #applyChange(
    mauticId: number,
    { contactId, address, status, at }: SubscriptionEvent,
  ): Promise<void> {
    const { reports, suppressions, senderDomains, list, log } = this.#options
    if (status === 'contactable') {
      await list.remove({ mauticId, contactId, address, at })
      await reports.forgetEnded(mauticId, address)
      log.info({ mauticId, contactId }, 'contact may be sent to again')
      return
    }
    if (await reports.isReported(mauticId, address, status)) return
    // What one Mautic decides is about its own senders. It lists some temporary failures as bounced, too.
    const source = sourceOf(mauticId)
    const domains = await senderDomains.list(mauticId)
    if (domains.length === 0) {
      log.info(
        { mauticId, contactId, reason: status },
        'change of mautic ignored: no sender domain',
      )
      return
    }
    await suppressions.add(
      domains.map((senderDomain) => ({ address, reason: status, senderDomain, source })),
    )
    log.info({ mauticId, contactId, reason: status }, 'suppression taken over from mautic')
  }
}
