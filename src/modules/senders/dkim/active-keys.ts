import { createPrivateKey } from 'node:crypto'
import { sql } from 'kysely'
import { noBrand } from '../../../kit/caller.ts'
import type { Clock } from '../../../kit/clock.ts'
import type { Log } from '../../../kit/log.ts'
import { createPacer } from '../../../kit/pause.ts'
import { SharedCopy } from '../../../kit/shared-copy.ts'
import type { DkimKey, DkimKeys, UnsignedMessage } from '../../../libraries/mailer/index.ts'
import { brandsChannel, type Storage } from '../../../platform/storage/index.ts'
import type { DkimSecrets } from './dkim-secrets.ts'
import type { DkimKeyRow, DkimTables } from './table.ts'

const channel = 'dkim_keys'
/** The channel may lose a notification. */
const reloadMs = 30_000
const rowsPerPage = 500
const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** A key that signs, and what it was read from. */
interface LoadedKey {
  id: number
  publicKey: string
  brand: number
  key: DkimKey
}

/** By domain. */
type LoadedKeys = ReadonlyMap<string, readonly LoadedKey[]>

/** The messages of a domain that this process sent unsigned, although there is a key, and why the last one was. Times are in milliseconds since the epoch. */
export interface UnsignedCount extends Pick<UnsignedMessage, 'domain' | 'cause' | 'reason'> {
  count: number
  since: number
  lastAt: number
}

type SealedKey = Pick<
  DkimKeyRow,
  'id' | 'domain' | 'brand_id' | 'selector' | 'algorithm' | 'public_key' | 'private_key'
>

export interface ActiveKeysOptions {
  storage: Storage
  secrets: DkimSecrets
  clock: Clock
  log: Log
  /** Called after changes of this process, with the domains whose messages are signed with another key now, or not any more. */
  onChanged: (domains: readonly string[]) => Promise<void>
  onUnsigned: (message: UnsignedMessage) => void
}

/** The keys that sign now: published ones whose record was found and whose brand is published. They are kept in memory, and read again after each change. */
export class ActiveKeys implements DkimKeys {
  readonly #options: ActiveKeysOptions
  readonly #loaded: SharedCopy<LoadedKeys>
  /** The keys that `onChanged` was called for. */
  #reported: LoadedKeys = new Map()
  readonly #unsigned = new Map<string, UnsignedCount>()
  /** When a failure of a key was logged last. */
  readonly #loggedAt = new Map<string, number>()

  constructor(options: ActiveKeysOptions) {
    this.#options = options
    this.#loaded = new SharedCopy<LoadedKeys>({
      read: (known) => this.#read(known),
      empty: new Map(),
      listen(onChanged) {
        const ends = [channel, brandsChannel].map((each) => options.storage.listen(each, onChanged))
        return () => {
          for (const end of ends) end()
        }
      },
      intervalMs: reloadMs,
      log: options.log,
      events: { failed: 'dkim keys not read', recovered: 'dkim keys read again' },
    })
  }

  async start(): Promise<void> {
    await this.#loaded.start()
    this.#reported = this.#loaded.value
  }

  stop(): Promise<void> {
    return this.#loaded.stop()
  }

  get isEmpty(): boolean {
    return this.#loaded.value.size === 0
  }

  find(domain: string, brand = noBrand): DkimKey | undefined {
    const key = this.findSigning(domain, brand)
    const [other] = this.#loaded.value.get(domain) ?? []
    if (key === undefined && other !== undefined) {
      const ofBrand = brand === noBrand ? 'It has no brand' : `It is of brand ${brand}`
      const reason = `${ofBrand}, and no key of the domain is for that.`
      this.onUnsigned({ domain, selector: other.key.selector, cause: 'submitter', reason })
    }
    return key
  }

  /** Returns the key that signs the messages of a domain and a brand. */
  findSigning(domain: string, brand: number): DkimKey | undefined {
    const keys = this.#loaded.value.get(domain)
    return keys?.find((each) => each.brand === brand)?.key
  }

  /** Counts a message that was sent unsigned, and logs it: for each domain at most once an hour. */
  readonly onUnsigned = (message: UnsignedMessage): void => {
    const { domain, selector, cause, reason } = message
    this.#options.onUnsigned(message)
    const now = this.#options.clock.now()
    const { count, since } = this.#countOf(domain, now) ?? { count: 0, since: now }
    this.#unsigned.set(domain, { domain, count: count + 1, since, lastAt: now, cause, reason })
    this.#logHourly(domain, () =>
      this.#options.log.warn({ domain, selector, reason }, 'message not signed with dkim'),
    )
  }

  /** Lists what was sent unsigned: domains without such a message for a day are left out. */
  listUnsigned(): UnsignedCount[] {
    const now = this.#options.clock.now()
    return [...this.#unsigned.keys()].flatMap((domain) => this.#countOf(domain, now) ?? [])
  }

  /** Applies changes of keys in all processes, in this one before it resolves. */
  async reload(): Promise<void> {
    await this.load()
    this.#options.storage.notify(channel)
    const [before, after] = [this.#reported, this.#loaded.value]
    this.#reported = after
    const keys = [...before.values(), ...after.values()].flat()
    const isChanged = (key: LoadedKey) =>
      [before, after].some((all) => all.get(key.key.domain)?.includes(key) !== true)
    const domains = new Set(keys.filter(isChanged).map(({ key }) => key.domain))
    if (domains.size > 0) await this.#options.onChanged([...domains])
  }

  /** Reads the keys. Those that are known are not decrypted again. */
  load(): Promise<void> {
    return this.#loaded.read()
  }

  async #read(known: LoadedKeys): Promise<LoadedKeys> {
    const keys: LoadedKey[] = []
    const pace = createPacer()
    let rows = await this.#readPage(0)
    while (rows.length > 0) {
      const changed: number[] = []
      for (const { id, domain, brand_id: brand, public_key: publicKey } of rows) {
        const same = known.get(domain)?.find((each) => each.id === id)
        const isSame = same?.publicKey === publicKey && same.brand === brand
        if (isSame) keys.push(same)
        else changed.push(id)
      }
      for (const row of await this.#readSealed(changed)) {
        const loaded = await this.#open(row)
        if (loaded !== undefined) keys.push(loaded)
        await pace()
      }
      await pace()
      rows = rows.length < rowsPerPage ? [] : await this.#readPage(rows.at(-1)?.id ?? 0)
    }
    return Map.groupBy(keys, ({ key }) => key.domain)
  }

  /** Reads which keys sign, without their secrets. */
  #readPage(afterId: number) {
    return this.#selectSigning()
      .select(['id', 'domain', 'brand_id', 'public_key'])
      .where('id', '>', afterId)
      .orderBy('id')
      .limit(rowsPerPage)
      .execute()
  }

  /** Reads keys with their encrypted private halves. One that was changed meanwhile is as it is now. */
  async #readSealed(ids: readonly number[]): Promise<SealedKey[]> {
    if (ids.length === 0) return []
    return this.#selectSigning()
      .select(['id', 'domain', 'brand_id', 'selector', 'algorithm', 'public_key', 'private_key'])
      .where('id', 'in', ids)
      .execute()
  }

  #selectSigning() {
    return this.#options.storage
      .tables<DkimTables>()
      .selectFrom('dkim_keys')
      .where('active_at', 'is not', null)
      .where('is_published', '=', true)
      .where(sql<boolean>`(brand_id = 0 or brand_id in (select id from brands where is_published))`)
  }

  /** Decrypts a key; undefined where its data key is missing. */
  async #open(row: SealedKey): Promise<LoadedKey | undefined> {
    const { id, domain, brand_id: brand, selector, algorithm, public_key: publicKey } = row
    const pem = await this.#options.secrets.open(row, 'private_key', { isMany: true })
    if (pem)
      return {
        id,
        publicKey,
        brand,
        key: { domain, selector, algorithm, privateKey: createPrivateKey(pem) },
      }
    this.#logHourly(domain, () =>
      this.#options.log.error({ dkimKeyId: id, domain }, 'dkim key cannot be decrypted'),
    )
    return undefined
  }

  #countOf(domain: string, now: number): UnsignedCount | undefined {
    const count = this.#unsigned.get(domain)
    return count && now - count.lastAt < dayMs ? count : undefined
  }

  #logHourly(domain: string, write: () => void): void {
    const now = this.#options.clock.monotonic()
    const last = this.#loggedAt.get(domain)
    if (last !== undefined && now - last < hourMs) return
    this.#loggedAt.set(domain, now)
    write()
  }
}
