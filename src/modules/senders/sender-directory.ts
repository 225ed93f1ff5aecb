import { sql } from 'kysely'
import { domainOf } from '../../core/suppressions/index.ts'
import type { TransportTables } from '../../core/transports/index.ts'
import { type Brands, type Caller, noBrand, owns, sees } from '../../kit/caller.ts'
import type { Clock } from '../../kit/clock.ts'
import { SingleFlight } from '../../kit/single-flight.ts'
import { asciiDomain } from '../../libraries/mailer/index.ts'
import type { Storage } from '../../platform/storage/index.ts'
import type { SenderSource } from './schema.ts'
import { usedMs } from './sender-uses.ts'
import { defaultTransportId, type SenderTables } from './table.ts'

/** A From domain that is sent through a transport, and from where that is known. */
interface SenderPair {
  domain: string
  /** See `defaultTransportId`; null for an email that is sent through no certain transport. */
  transportId: number | null
  brand: number
  source: SenderSource
  lastUsedAt: number | null
}

/** A published transport, as the list of senders shows it. */
export interface SenderTransportRow {
  id: number
  name: string
  brand_id: number
}

/** A From domain as one caller sees it. */
export interface KnownSender {
  domain: string
  /** Whose messages are sent as it. */
  brands: Set<number>
  sources: Set<SenderSource>
  lastUsedAt: number | null
  /** The transports by id, and whose messages are sent through them; see `defaultTransportId`. */
  transports: Map<number, SenderTransportRow & { brands: Set<number> }>
}

interface Snapshot {
  readAt: number
  pairs: readonly SenderPair[]
  transports: ReadonlyMap<number, SenderTransportRow>
}

/** How long a snapshot is used. */
const keptMs = 10_000
const emailRowsMax = 100_000

export interface SenderDirectoryOptions {
  storage: Storage
  clock: Clock
  /** MAILYARD_MAILER_DSN. */
  defaultDsn: string | undefined
  /** The sender of emails without one. */
  defaultFrom: string
}

/** Knows all From domains, and with which transports they are sent. It looks nothing up in DNS. */
export class SenderDirectory {
  readonly #options: SenderDirectoryOptions
  readonly #reading = new SingleFlight<string, Snapshot>()
  #snapshot: Snapshot | undefined

  constructor(options: SenderDirectoryOptions) {
    this.#options = options
  }

  /** Lists the From domains of the messages and transports of brands, by name; with `brand`, of this one only. */
  async list(brands: Brands, brand?: number): Promise<KnownSender[]> {
    const senders = await this.#group(brands, (pair) => pair.brand === (brand ?? pair.brand))
    // An address may have an IP address for its domain, of which DNS knows nothing.
    return [...senders.values()]
      .filter(({ domain }) => asciiDomain(domain) !== undefined)
      .sort((one, other) => (one.domain < other.domain ? -1 : 1))
  }

  async find(domain: string, brands: Brands): Promise<KnownSender | undefined> {
    return (await this.#group(brands, (pair) => pair.domain === domain)).get(domain)
  }

  /** Lists the published transports that exist for a caller, by id. */
  async listPublished(brands: Brands): Promise<SenderTransportRow[]> {
    const { transports } = await this.#read()
    return [...transports.values()].filter((row) => sees({ brands }, row.brand_id))
  }

  /** Groups the requested pairs that a caller sees by domain. */
  async #group(brands: Brands, isRequested: (pair: SenderPair) => boolean) {
    const { pairs, transports } = await this.#read()
    const senders = new Map<string, KnownSender>()
    for (const pair of pairs) {
      const { domain, transportId, brand, source, lastUsedAt } = pair
      if (!isRequested(pair)) continue
      const row = transportId === null ? undefined : transports.get(transportId)
      if (!isShown(pair, row, { brands })) continue
      const sender: KnownSender = senders.get(domain) ?? {
        domain,
        brands: new Set(),
        sources: new Set(),
        lastUsedAt: null,
        transports: new Map(),
      }
      senders.set(domain, sender)
      sender.sources.add(source)
      if (lastUsedAt !== null) sender.lastUsedAt = Math.max(sender.lastUsedAt ?? 0, lastUsedAt)
      const through = row && (sender.transports.get(row.id) ?? { ...row, brands: new Set() })
      if (through !== undefined) sender.transports.set(through.id, through)
      if (source === 'test') continue
      sender.brands.add(brand)
      through?.brands.add(brand)
    }
    return senders
  }

  async #read(): Promise<Snapshot> {
    const snapshot = this.#snapshot
    const now = this.#options.clock.monotonic()
    if (snapshot !== undefined && now - snapshot.readAt < keptMs) return snapshot
    return this.#reading.run('', async () => {
      this.#snapshot = await this.#readAll()
      return this.#snapshot
    })
  }

  async #readAll(): Promise<Snapshot> {
    const { storage, clock, defaultDsn } = this.#options
    const { db } = storage.lists<SenderTables & TransportTables>('senders', true)
    const rows = await db
      .selectFrom('transports')
      .select(['id', 'name', 'brand_id', 'tested_email_from'])
      .where('is_published', '=', true)
      .orderBy('id')
      .execute()
    const transports = new Map<number, SenderTransportRow>(rows.map((row) => [row.id, row]))
    if (defaultDsn !== undefined) transports.set(defaultTransportId, defaultTransport)
    const pairs: SenderPair[] = rows.flatMap(({ id, brand_id: brand, tested_email_from: from }) => {
      const domain = domainOf(from ?? '')
      return domain === ''
        ? []
        : [{ domain, transportId: id, brand, source: 'test' as const, lastUsedAt: null }]
    })
    const uses = await db
      .selectFrom('sender_uses')
      .select(['domain', 'transport_id as transportId', 'brand_id as brand'])
      .select('last_used_at as lastUsedAt')
      .where('last_used_at', '>', clock.now() - usedMs)
      .execute()
    for (const use of uses) pairs.push({ ...use, source: 'delivery' })
    pairs.push(...(await this.#readEmails()))
    return { readAt: clock.monotonic(), pairs, transports }
  }

  /** Reads the senders of published emails. An email that uses the transport of each contact's owner has no certain one. */
  async #readEmails(): Promise<SenderPair[]> {
    const { storage, defaultFrom } = this.#options
    const { db } = storage.lists<unknown>('senders', true)
    const { rows } = await sql<{
      address: string | null
      transport_id: number | null
      use_owner: boolean | number | null
      brand: number
    }>`select distinct lower(emails.from_address) as address, assigned.transport_id as transport_id,
        assigned.use_owner_transport as use_owner, emails.brand_id as brand
      from emails left join email_transports assigned on assigned.email_id = emails.id
      where emails.is_published limit ${sql.lit(emailRowsMax)}`.execute(db)
    return rows.flatMap(({ address, transport_id, use_owner, brand }) => {
      const domain = domainOf(address || defaultFrom)
      if (domain === '') return []
      const hasOwner = Boolean(use_owner)
      const transportId = hasOwner ? null : Number(transport_id ?? defaultTransportId)
      return [{ domain, transportId, brand, source: 'email' as const, lastUsedAt: null }]
    })
  }
}

/** How many brands of a domain and a transport are checked: all of a server may send as one, such as gmail.com. */
const brandsMax = 100

/**
 * Returns the brands whose messages of a domain are sent through a transport, or would be: where nothing uses it, those that send
 * the domain.
 */
export function brandsThrough(
  sender: KnownSender | undefined,
  { id, brand_id: owner }: SenderTransportRow,
): readonly number[] {
  if (owner !== noBrand) return [owner]
  const through = sender?.transports.get(id)?.brands ?? new Set()
  const brands = through.size > 0 ? through : (sender?.brands ?? through)
  return brands.size > 0 ? [...brands].slice(0, brandsMax) : [noBrand]
}

const defaultTransport: SenderTransportRow = {
  id: defaultTransportId,
  name: 'default',
  brand_id: noBrand,
}

/** Whether a caller is shown a pair: of their own messages, or the test sender of a transport that exists for them. */
function isShown(
  { brand, source }: SenderPair,
  row: SenderTransportRow | undefined,
  caller: Pick<Caller, 'brands'>,
): boolean {
  if (source === 'test') return sees(caller, brand)
  return owns(caller, brand) && (row === undefined || sees(caller, row.brand_id))
}
