import { AppError } from '../../kit/app-error.ts'
import { type Brands, type Caller, noBrand } from '../../kit/caller.ts'
import type { Log } from '../../kit/log.ts'
import { type MaybePromise, mapMaybe } from '../../kit/maybe-promise.ts'
import { SharedCopy } from '../../kit/shared-copy.ts'
import { brandsChannel, type Storage } from '../../platform/storage/index.ts'
import { checkSenders, type SendingBrand, type SentMessage } from './check-sender.ts'
import { brandRecord } from './schema.ts'
import type { BrandTables } from './table.ts'

/** The channel may lose a notification. */
const reloadMs = 30_000

/** See `SendingBrands`. */
export type CheckSender = (
  brands: Brands,
  message: SentMessage,
) => MaybePromise<{ brand: number | null } | { problem: string }>

/** The brands in memory: each message asks what its log-in may send as. */
export class SendingBrands {
  readonly #copy: SharedCopy<ReadonlyMap<number, SendingBrand>>

  constructor({ storage, log }: { storage: Storage; log: Log }) {
    this.#copy = new SharedCopy<ReadonlyMap<number, SendingBrand>>({
      read: () => readBrands(storage),
      empty: new Map(),
      listen: (onChanged) => storage.listen(brandsChannel, onChanged),
      intervalMs: reloadMs,
      log,
      events: { failed: 'brands not read', recovered: 'brands read again' },
    })
  }

  /**
   * Finds the brand of a message of a log-in: null for a log-in of all brands, whose email or transport decides. A problem says why
   * it may not send it.
   */
  readonly check: CheckSender = (brands, message) => {
    if (brands === 'all') return { brand: null }
    if (brands.length === 0) return { brand: noBrand }
    return mapMaybe(this.#find(brands), (known) => checkSenders(known, message))
  }

  start(): Promise<void> {
    return this.#copy.start()
  }

  /** Reads them, for a process that only sends. */
  load(): Promise<void> {
    return this.#copy.read()
  }

  stop(): Promise<void> {
    return this.#copy.stop()
  }

  /** A brand that is not known may have just been created. One that is gone is left out. */
  #find(ids: readonly number[]): MaybePromise<SendingBrand[]> {
    const find = () => ids.flatMap((id) => this.#copy.value.get(id) ?? [])
    const known = find()
    return known.length === ids.length ? known : this.#copy.reload().then(find)
  }
}

/** The same for a request of the API. Throws an AppError (`forbidden`). */
export async function brandOfSender(
  checkSender: CheckSender,
  { brands }: Pick<Caller, 'brands'>,
  message: SentMessage,
): Promise<number | null> {
  const sent = await checkSender(brands, message)
  if ('problem' in sent) throw new AppError('forbidden', 'sender_forbidden', `${sent.problem}.`)
  return sent.brand
}

async function readBrands(storage: Storage): Promise<Map<number, SendingBrand>> {
  const rows = await storage.tables<BrandTables>().selectFrom('brands').selectAll().execute()
  return new Map(
    rows.map((row) => {
      const { domains, name, isPublished } = brandRecord.toValues(row)
      return [row.id, { id: row.id, name, domains: new Set(domains), isPublished }]
    }),
  )
}
