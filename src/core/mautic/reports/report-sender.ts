import type { Kysely } from 'kysely'
import { AppError } from '../../../kit/app-error.ts'
import type { Clock } from '../../../kit/clock.ts'
import type { Log } from '../../../kit/log.ts'
import { emailKey } from '../../../kit/normalize-for-search.ts'
import type { OutboxSender } from '../../../platform/outbox/index.ts'
import type { Storage } from '../../../platform/storage/index.ts'
import {
  asList,
  asObject,
  type MauticClient,
  MauticError,
  undefinedIfMissing,
} from '../../mautic-client/index.ts'
import { contactAddress, listAddresses } from '../contact-address.ts'
import { noteListRemoval } from '../do-not-contact/list-store.ts'
import type { MauticClients } from '../mautic-clients.ts'
import type { MauticReportRow, MauticTables } from '../table.ts'
import { reportReasons } from './report.ts'

/** The tag of contacts whose messages are refused. */
const refusedTag = 'mailyard-refused'
/** Several contacts may share an address. */
const contactsMax = 20
/** Reports whose contacts are found with one request: an import of suppressions may add 100,000. */
const togetherMax = 100
const contactsTogetherMax = 300
/** Servers limit the length of a URL, mostly to 8,000 bytes. */
const addressesBytesMax = 4_000
/** Failures that other requests to the same Mautic would have too. */
const commonFailures: readonly string[] = [
  'unreachable',
  'blocked',
  'timeout',
  'redirected',
  'unauthorized',
  'forbidden',
]

export interface ReportSenderParts {
  storage: Storage
  clients: Pick<MauticClients, 'find'>
  clock: Clock
  log: Log
}

/** Where one report is sent. */
interface Sending {
  client: MauticClient
  report: MauticReportRow
  signal: AbortSignal
}

/**
 * Sends reports to Mautics: it puts the contacts with the address of a report on the Do not contact list, takes them off it, or tags
 * them.
 */
export class ReportSender implements OutboxSender<MauticReportRow> {
  readonly #parts: ReportSenderParts
  readonly #db: Kysely<MauticTables>

  constructor(parts: ReportSenderParts) {
    this.#parts = parts
    this.#db = parts.storage.tables<MauticTables>()
  }

  /** Throws a MauticError, or an AppError where the secret of the Mautic cannot be decrypted. */
  async send(report: MauticReportRow, signal: AbortSignal) {
    const { storage, clients, log } = this.#parts
    const { id: reportId, mautic_id: mauticId } = report
    const client = await clients.find(mauticId)
    // The Mautic was deleted, and its reports with it.
    if (client === undefined) return { state: 'needless' as const }
    if (report.is_removal) {
      await removeReported({ client, report, signal })
      // What was read of the list before must not bring the entry back once the report is deleted.
      await noteListRemoval(storage, this.#db, { mauticId, address: report.address })
      log.info({ mauticId, reportId }, 'report to mautic taken back')
      return { state: 'needless' as const }
    }
    const contactIds = await this.#findContacts({ client, report, signal })
    const answers: unknown[] = []
    for (const id of contactIds) answers.push(await sendTo(id, { client, report, signal }))
    if (answers.some((answer) => answer !== undefined)) {
      log.info({ mauticId, reportId }, 'contact reported to mautic')
      return { state: 'done' as const }
    }
    // A suppression is reported to every Mautic that it concerns, and few of them have a contact with its address.
    if (report.contact_id === null && report.email_id === null)
      return { state: 'needless' as const }
    const problem = 'No contact of this Mautic has the address.'
    return { state: 'failed' as const, problem }
  }

  isTargetDown(error: unknown): boolean {
    if (error instanceof MauticError) return commonFailures.includes(error.code)
    return error instanceof AppError
  }

  /** Finds the contact that the message was for, unless its address has changed, or those with the address. */
  async #findContacts(sending: Sending): Promise<number[]> {
    const { contact_id: contactId, email_id: emailId, attempts } = sending.report
    if (contactId !== null && (await hasAddress(contactId, sending))) return [contactId]
    const isFresh = contactId === null && emailId === null && attempts === 1
    const contactIds = isFresh ? await this.#findTogether(sending) : undefined
    return contactIds ?? findByAddress(sending)
  }

  /**
   * Finds the contacts of a report of a suppression and of others that are due, with one request. It stores the contacts of the
   * others, and deletes those whose address no contact has. Returns undefined where that was not possible.
   */
  async #findTogether({ client, report, signal }: Sending): Promise<number[] | undefined> {
    const others = await this.#listUnidentified(report.mautic_id)
    const reports = fitIntoUrl([report, ...others])
    if (reports.length < 2 || reports[0] !== report) return undefined
    const addresses = reports.map(({ address }) => address).join(',')
    const search = { condition: ['email', 'in', addresses] as const, limit: contactsTogetherMax }
    const contacts = await listAddresses(client, search, { signal }).catch((error: unknown) => {
      if (error instanceof MauticError) return undefined
      throw error
    })
    // There may be more of them.
    if (contacts === undefined || contacts.length >= contactsTogetherMax) return undefined
    const byAddress = Map.groupBy(contacts, ({ address }) => emailKey(address))
    const unknown = reports.filter((row) => row !== report && !byAddress.has(row.address_key))
    await this.#remove(unknown)
    for (const { id, address_key: key } of reports) {
      const [contact, ...namesakes] = byAddress.get(key) ?? []
      if (id === report.id || contact === undefined || namesakes.length > 0) continue
      const update = this.#db.updateTable('mautic_reports').set({ contact_id: contact.id })
      await update.where('id', '=', id).execute()
    }
    return (byAddress.get(report.address_key) ?? []).map(({ id }) => id)
  }

  /** Lists due reports that were not tried yet, and know neither contact nor email. */
  #listUnidentified(mauticId: number): Promise<MauticReportRow[]> {
    return this.#db
      .selectFrom('mautic_reports')
      .selectAll()
      .where('mautic_id', '=', mauticId)
      .where('state', '=', 'queued')
      .where('due_at', '<=', this.#parts.clock.now())
      .where('contact_id', 'is', null)
      .where('email_id', 'is', null)
      .where('attempts', '=', 0)
      .orderBy('due_at')
      .orderBy('id')
      .limit(togetherMax)
      .execute()
  }

  async #remove(reports: readonly MauticReportRow[]): Promise<void> {
    if (reports.length === 0) return
    const ids = reports.map(({ id }) => id)
    const removal = this.#db.deleteFrom('mautic_reports').where('id', 'in', ids)
    await removal.where('state', '=', 'queued').execute()
  }
}

/** Returns the first reports whose addresses fit into a URL. A comma separates addresses. */
function fitIntoUrl(reports: readonly MauticReportRow[]): MauticReportRow[] {
  let bytes = 0
  return reports.filter(({ address }) => {
    const size = encodeURIComponent(address).length + 3
    if (address.includes(',') || bytes + size > addressesBytesMax) return false
    bytes += size
    return true
  })
}

/** Puts a contact on the list, or tags it. Returns undefined where Mautic does not know it any more. */
async function sendTo(id: number, { client, report, signal }: Sending): Promise<unknown> {
  const { reason, email_id: emailId, comments } = report
  const entry = { reason, ...(emailId === null ? {} : { channelId: emailId }), comments }
  const sent =
    reason === reportReasons.refused
      ? // Mautic adds tags to those that a contact has.
        client.send('PATCH', `/api/contacts/${id}/edit`, { tags: [refusedTag] }, { signal })
      : client.send('POST', `/api/contacts/${id}/dnc/email/add`, entry, { signal })
  return sent.catch(undefinedIfMissing)
}

/**
 * Takes the contacts with the address of a report off the list, where their entry is still the reported one: what they or others
 * have decided since then stays.
 */
async function removeReported(sending: Sending): Promise<void> {
  const { client, report, signal } = sending
  for (const id of await findByAddress(sending)) {
    const contact = await client.find('contacts', id, { signal })
    const isReported = asList(contact?.['doNotContact'])
      .map(asObject)
      .some(
        ({ channel, reason, comments }) =>
          channel === 'email' && Number(reason) === report.reason && comments === report.comments,
      )
    if (isReported)
      await client.send('POST', `/api/contacts/${id}/dnc/email/remove`, {}, { signal })
  }
}

/** Whether a contact exists and has the address: ids may mean other contacts since the message was sent. */
async function hasAddress(
  contactId: number,
  { client, report, signal }: Sending,
): Promise<boolean> {
  const contact = await client.find('contacts', contactId, { signal })
  return emailKey(contactAddress(contact)) === report.address_key
}

async function findByAddress({ client, report, signal }: Sending): Promise<number[]> {
  const search = { condition: ['email', 'eq', report.address] as const, limit: contactsMax }
  const contacts = await listAddresses(client, search, { signal })
  return contacts
    .filter(({ address }) => emailKey(address) === report.address_key)
    .map(({ id }) => id)
}
