import { AppError } from '../../../kit/app-error.ts'
import { batches } from '../../../kit/batches.ts'
import { noBrand } from '../../../kit/caller.ts'
import type { Clock } from '../../../kit/clock.ts'
import type { Log } from '../../../kit/log.ts'
import type { MaybePromise } from '../../../kit/maybe-promise.ts'
import { within } from '../../../kit/within.ts'
import { excluded, type Storage } from '../../../platform/storage/index.ts'
import { MauticError } from '../../mautic-client/index.ts'
import { inputOf } from '../../suppressions/index.ts'
import type { DoNotContactList, SuppressionTarget } from '../do-not-contact/do-not-contact-list.ts'
import { readEntriesOf } from '../do-not-contact/read-entries.ts'
import type { MauticClients } from '../mautic-clients.ts'
import { reportReasons, sourceOf } from '../reports/report.ts'
import type { MauticReports } from '../reports/reports.ts'
import type { SenderDomains } from '../sender-domains.ts'
import type { StateStore } from '../state-store.ts'
import type { StoredSecrets } from '../stored-secrets.ts'
import type { MauticRow, MauticTables } from '../table.ts'
import type { SubscriptionEvent } from './read-events.ts'
import { eventHash, type WebhookStore } from './webhook-store.ts'

export interface WebhookReceiverOptions {
  storage: Storage
  /** Also finds an unpublished one. */
  findRow: (id: number) => MaybePromise<MauticRow | undefined>
  secrets: StoredSecrets
  clients: Pick<MauticClients, 'get'>
  clock: Clock
  log: Log
  states: StateStore
  reports: MauticReports
  senderDomains: SenderDomains
  suppressions: Pick<SuppressionTarget, 'add'>
  list: DoNotContactList
  store: Pick<WebhookStore, 'noteArrived'>
}

const dayMs = 86_400_000
/** Mautic repeats requests for hours. What is older than this has to be on its list still. */
const oldMs = 7 * dayMs
/** How long Mautic is asked for its list: it may wait for the answer to its webhook. */
const listWaitMs = 5_000
/** The clock of Mautic may be ahead of this one by so much. */
const skewMs = 60_000
/** How long the last change of a contact is known. */
const keepMs = 30 * dayMs
const rowsPerStatement = 200
const unknown = { changed_at: Number.NEGATIVE_INFINITY, status: undefined }

/** A change that is new, unless its time does not show whether it is. */
interface DueEvent extends SubscriptionEvent {
  isUnsure: boolean
}

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

  /** Applies events, in their order. A Mautic that was reinstalled is not believed: its ids mean other records. */
  async apply(mauticId: number, events: readonly SubscriptionEvent[]): Promise<void> {
    const { findRow, states, store, clock } = this.#options
    if (!(await findRow(mauticId))?.is_published) return
    if (events.length > 0) await store.noteArrived(mauticId, clock.now())
    if ((await states.find(mauticId))?.is_reinstalled) return
    const due = await this.#confirm(mauticId, await this.#findDue(mauticId, events))
    let added: SubscriptionEvent[] = []
    for (const event of due) {
      if (event.status !== 'contactable') {
        added.push(event)
        continue
      }
      await this.#add(mauticId, added)
      added = []
      await this.#remove(mauticId, event)
    }
    await this.#add(mauticId, added)
    await this.#save(mauticId, due)
  }

  /** Deletes what is not needed any more. */
  async prune(): Promise<void> {
    const { storage, clock } = this.#options
    const old = storage.tables<MauticTables>().deleteFrom('mautic_events')
    await old.where('created_at', '<', clock.now() - keepMs).execute()
  }

  /**
   * Leaves out changes that are old or unsure, and that Mautic's list does not show. Where it cannot be asked, an old change is left
   * to the next reading of the list, and an unsure one counts if it withholds.
   */
  async #confirm(mauticId: number, events: readonly DueEvent[]): Promise<readonly DueEvent[]> {
    const oldest = this.#options.clock.now() - oldMs
    const asked = new Set(events.filter(({ at, isUnsure }) => isUnsure || at < oldest))
    if (asked.size === 0) return events
    const contactIds = new Set([...asked].flatMap(({ contactId }) => contactId ?? []))
    const entries = await this.#readEntries(mauticId, [...contactIds])
    return events.filter((event) => {
      const { contactId, status, at } = event
      if (!asked.has(event)) return true
      if (entries === undefined || contactId === null)
        return at >= oldest && status !== 'contactable'
      const listed = entries.get(contactId) ?? []
      if (status === 'contactable') return listed.length === 0
      return listed.some(({ reason }) => reason === reportReasons[status])
    })
  }

  async #readEntries(mauticId: number, contactIds: readonly number[]) {
    const { clients, log } = this.#options
    const signal = AbortSignal.timeout(listWaitMs)
    const read = async () => readEntriesOf(await clients.get(mauticId), contactIds, signal)
    // A log-in that other requests wait for, too, is not cancelled.
    const entries = await within(listWaitMs, read()).catch((error: unknown) => {
      // A refusal can end a run of Mautic.
      if (error instanceof MauticError || error instanceof AppError || signal.aborted)
        return undefined
      throw error
    })
    if (entries === undefined)
      log.info({ mauticId, contacts: contactIds.length }, 'changes of mautic not confirmed')
    return entries
  }

  /**
   * Finds the changes that are later than what is known of their contacts: Mautic repeats requests, and others may replay them.
   * The times of two changes do not show which one is later if they are the same, or one is in the future: a clock was wrong.
   */
  async #findDue(mauticId: number, events: readonly SubscriptionEvent[]): Promise<DueEvent[]> {
    const { storage, clock } = this.#options
    const now = clock.now()
    const db = storage.tables<MauticTables>()
    const hashes = [...new Set(events.map(hashOf))]
    const known = new Map<string, { changed_at: number; status: string }>()
    for (const some of batches(hashes, rowsPerStatement)) {
      const query = db.selectFrom('mautic_events').selectAll().where('mautic_id', '=', mauticId)
      for (const row of await query.where('hash', 'in', some).execute()) known.set(row.hash, row)
    }
    return events
      .toSorted((one, other) => one.at - other.at)
      .flatMap((event) => {
        const { at, status } = event
        const { changed_at: lastAt, status: lastStatus } = known.get(hashOf(event)) ?? unknown
        const isKnown = lastAt === at && lastStatus === status
        if (isKnown || (at < lastAt && lastAt <= now)) return []
        known.set(hashOf(event), { changed_at: at, status })
        const isAhead = lastStatus !== undefined && at > now + skewMs
        return [{ ...event, isUnsure: isAhead || at <= lastAt }]
      })
  }

  async #save(mauticId: number, events: readonly SubscriptionEvent[]): Promise<void> {
    const { storage, clock } = this.#options
    const rows = events.map((event) => ({
      mautic_id: mauticId,
      hash: hashOf(event),
      created_at: clock.now(),
      changed_at: event.at,
      status: event.status,
    }))
    // A statement changes a row only once. The last one of a contact counts.
    const distinct = [...new Map(rows.map((row) => [row.hash, row])).values()]
    for (const some of batches(distinct, rowsPerStatement))
      await storage
        .tables<MauticTables>()
        .insertInto('mautic_events')
        .values(some)
        .onConflict((conflict) =>
          conflict
            .columns(['mautic_id', 'hash'])
            .doUpdateSet(excluded('created_at', 'changed_at', 'status')),
        )
        .execute()
  }

  async #remove(mauticId: number, { contactId, address, at }: SubscriptionEvent): Promise<void> {
    const { reports, list, log } = this.#options
    await list.remove({ mauticId, contactId, address, at })
    await reports.forgetEnded(mauticId, address)
    log.info({ mauticId, contactId }, 'contact may be sent to again')
  }

  /** Suppresses addresses for the brand of the Mautic, or else its senders: what it decides is about these. It lists some temporary failures as bounced, too. */
  async #add(mauticId: number, events: readonly SubscriptionEvent[]): Promise<void> {
    const { reports, suppressions, senderDomains, findRow, log } = this.#options
    const source = sourceOf(mauticId)
    const { brand_id: brand = noBrand } = (await findRow(mauticId)) ?? {}
    const domains = brand === noBrand ? await senderDomains.list(mauticId) : [null]
    const scopes = domains.map((senderDomain) => inputOf({ brand, senderDomain }))
    const added: Parameters<SuppressionTarget['add']>[0][number][] = []
    for (const { contactId, address, status: reason } of events) {
      if (reason === 'contactable' || (await reports.isReported(mauticId, address, reason)))
        continue
      const line = { mauticId, contactId, reason }
      if (scopes.length === 0) log.info(line, 'change of mautic ignored: no sender domain')
      else log.info(line, 'suppression taken over from mautic')
      added.push(...scopes.map((scope) => ({ address, reason, ...scope, source })))
    }
    await suppressions.add(added)
  }
}

const hashOf = ({ contactId, address }: SubscriptionEvent) => eventHash(contactId, address)
