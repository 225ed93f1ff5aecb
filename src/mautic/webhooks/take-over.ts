import { hash } from 'node:crypto'
import type { Clock } from '../../kit/clock.ts'
import type { Log } from '../../kit/log.ts'
import { emailKey } from '../../kit/normalize-for-search.ts'
import { within } from '../../kit/within.ts'
import type { Storage } from '../../storage/index.ts'
import type { DoNotContactList, SuppressionTarget } from '../do-not-contact/do-not-contact-list.ts'
import type { FindContacts } from '../find/find-contacts.ts'
import type { FindSends } from '../find/find-sends.ts'
import type { StateStore } from '../mirror/state-store.ts'
import type { MauticReports } from '../reports/reports.ts'
import { sourceOf } from '../reports/suppression-reports.ts'
import type { SenderDomains } from '../sender-domains.ts'
import type { MauticTables } from '../table.ts'
import type { SentEvent, SubscriptionEvent, WebhookEvents } from './read-events.ts'

/** Dependencies of `openTakeOver`. */
export interface TakeOverOptions {
  storage: Storage
  clock: Clock
  log: Log
  states: Pick<StateStore, 'find'>
  sends: Pick<FindSends, 'save'>
  contacts: Pick<FindContacts, 'remember'>
  reports: Pick<MauticReports, 'isReported' | 'forgetEnded'>
  senderDomains: Pick<SenderDomains, 'list'>
  suppressions: Pick<SuppressionTarget, 'add'>
  list: Pick<DoNotContactList, 'remove'>
}

/** Takes over what webhooks of Mautic say. */
export interface TakeOver {
  /** A Mautic that was reinstalled is not believed: its ids mean other records. */
  apply(mauticId: number, events: WebhookEvents): Promise<void>
  /** Deletes what is not needed any more. */
  prune(): Promise<void>
}

/** Mautic waits for the answer, and an owner who is not known has to be asked for. */
const rememberMs = 1_000
/** How long a change of the list is known, so that it is not taken over again. */
const keepMs = 7 * 86_400_000

export function openTakeOver(options: TakeOverOptions): TakeOver {
  const { storage, clock, states, sends, contacts } = options
  return {
    async apply(mauticId, { sent, subscriptions }) {
      const state = (await states.find([mauticId])).get(mauticId)
      if (state?.is_reinstalled) return
      await sends.save(
        mauticId,
        sent.map(({ send }) => send),
      )
      const remember = ({ contact }: SentEvent) =>
        contacts.remember(mauticId, contact).catch(() => undefined)
      await within(rememberMs, Promise.all(sent.map(remember)))
      const inOrder = subscriptions.toSorted((one, other) => one.at - other.at)
      for (const event of inOrder) await applyOnce(options, mauticId, event)
    },
    async prune() {
      const old = storage.tables<MauticTables>().deleteFrom('mautic_events')
      await old.where('created_at', '<', clock.now() - keepMs).execute()
    },
  }
}

/** Applies a change, unless it is old or was applied before: Mautic repeats requests, and others may replay them. */
async function applyOnce(
  options: TakeOverOptions,
  mauticId: number,
  event: SubscriptionEvent,
): Promise<void> {
  const { storage, clock } = options
  const now = clock.now()
  if (event.at < now - keepMs) return
  const db = storage.tables<MauticTables>()
  const { contactId, address, status, at } = event
  const own = hash('sha256', JSON.stringify([contactId, emailKey(address), status, at]))
  const known = db.selectFrom('mautic_events').select('hash').where('mautic_id', '=', mauticId)
  if ((await known.where('hash', '=', own).executeTakeFirst()) !== undefined) return
  await applyChange(options, mauticId, event)
  await db
    .insertInto('mautic_events')
    .values({ mautic_id: mauticId, hash: own, created_at: now })
    .onConflict((conflict) => conflict.columns(['mautic_id', 'hash']).doNothing())
    .execute()
}

async function applyChange(
  { reports, suppressions, senderDomains, list, log }: TakeOverOptions,
  mauticId: number,
  { contactId, address, status, at }: SubscriptionEvent,
): Promise<void> {
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
    log.info({ mauticId, contactId, reason: status }, 'change of mautic ignored: no sender domain')
    return
  }
  await suppressions.add(
    domains.map((senderDomain) => ({ address, reason: status, senderDomain, source })),
  )
  log.info({ mauticId, contactId, reason: status }, 'suppression taken over from mautic')
}
