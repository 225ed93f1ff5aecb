import { batches } from '../../../kit/batches.ts'
import {
  asCount,
  asList,
  asObject,
  asTime,
  type MauticClient,
  MauticError,
  toFilterDate,
  where,
} from '../../mautic-client/index.ts'
import { addressKeyOf, isAddress, listAddresses } from '../contact-address.ts'

/** An entry of a Mautic's Do not contact list for email. */
export interface ListEntry {
  id: number
  contactId: number
  /** Mautic's number; see `reportReasons`. */
  reason: number
  /** By Mautic's clock, in milliseconds since the epoch. */
  addedAt: number
}

/** Entries in the order of their ids. */
export interface ListPage {
  /** Those for email. */
  entries: ListEntry[]
  /** The highest id, also of other channels; `after` where the page is empty. */
  lastId: number
  /** Whether there are no entries after this page. */
  isLast: boolean
}

/** Which entries are read. */
export interface ListQuery {
  /** Only higher ids. */
  after: number
  /** Only entries that were added or changed since then, by Mautic's clock. */
  since?: number | undefined
  /** Only entries of these contacts. */
  among?: readonly number[]
  signal: AbortSignal
}

const pageSize = 1_000
/** A list of a slow Mautic takes long. */
const timeoutMs = 60_000
const path = '/api/stats/lead_donotcontact'

/**
 * Reads one page of a Mautic's Do not contact list.
 *
 * @throws {MauticError} also for an answer that is not such a page: a list that is read in part must not look like a short one.
 */
export async function readEntries(
  client: Pick<MauticClient, 'get'>,
  { after, since, among, signal }: ListQuery,
): Promise<ListPage> {
  const query = {
    limit: pageSize,
    'order[0][col]': 'id',
    'order[0][dir]': 'ASC',
    ...where(
      ['id', 'gt', after],
      ...(since === undefined ? [] : [['date_added', 'gt', toFilterDate(since)] as const]),
      ...(among === undefined ? [] : [['lead_id', 'in', among.join(',')] as const]),
    ),
  }
  const answer = asObject(await client.get(path, query, { timeoutMs, isProbe: true, signal }))
  const total = asCount(answer['total'])
  if (typeof answer['stats'] !== 'object' || answer['stats'] === null || total === undefined)
    throw strange('has no entries or no total')
  const rows = asList(answer['stats']).map(asObject)
  if (rows.length > pageSize)
    throw strange(`has ${rows.length} entries instead of at most ${pageSize}`)
  let lastId = after
  for (const row of rows) {
    const id = asCount(row['id']) ?? 0
    if (id <= lastId) throw strange('is not in the order of the ids')
    lastId = id
  }
  if (rows.length === 0 && total > 0) throw strange(`is empty and has a total of ${total}`)
  return { entries: rows.flatMap(readEntry), lastId, isLast: rows.length >= total }
}

function readEntry(row: Readonly<Record<string, unknown>>): ListEntry[] {
  const [id, contactId] = [asCount(row['id']), asCount(row['lead_id'])]
  const reason = asCount(row['reason'])
  if (row['channel'] !== 'email' || id === undefined || contactId === undefined) return []
  // 0: contactable.
  if (reason === undefined || reason === 0) return []
  return [{ id, contactId, reason, addedAt: asTime(row['date_added']) ?? 0 }]
}

function strange(fault: string): MauticError {
  const detail = `The answer of GET ${path} ${fault}.`
  return new MauticError('unexpected', { detail, hint: 'Look into the log of Mautic (var/logs).' })
}

/** Servers limit the length of a URL, mostly to 8,000 bytes; an answer has some 10 kB for each contact. */
const contactsPerRequest = 200

/**
 * Finds the entries of contacts on a Mautic's Do not contact list, by the id of the contact.
 *
 * @throws {MauticError} or the reason of the signal.
 */
export async function readEntriesOf(
  client: Pick<MauticClient, 'get'>,
  contactIds: readonly number[],
  signal: AbortSignal,
): Promise<Map<number, ListEntry[]>> {
  const entries: ListEntry[] = []
  for (const among of batches(contactIds, contactsPerRequest))
    entries.push(...(await readEntries(client, { after: 0, among, signal })).entries)
  return Map.groupBy(entries, ({ contactId }) => contactId)
}

/**
 * Finds the addresses of contacts, as keys; see `emailKey`. A contact without a usable address is left out.
 *
 * @throws {MauticError}
 */
export async function readAddresses(
  client: Pick<MauticClient, 'get'>,
  contactIds: readonly number[],
  signal: AbortSignal,
): Promise<Map<number, string>> {
  const addresses = new Map<number, string>()
  for (const batch of batches(contactIds, contactsPerRequest)) {
    const among = { condition: ['id', 'in', batch.join(',')] as const, limit: batch.length }
    for (const { id, address } of await listAddresses(client, among, {
      timeoutMs,
      isProbe: true,
      signal,
    }))
      if (isAddress(address)) addresses.set(id, addressKeyOf(address))
  }
  return addresses
}
