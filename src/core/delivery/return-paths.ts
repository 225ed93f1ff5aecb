import { createHmac, timingSafeEqual } from 'node:crypto'
import { BoundedMemory } from '../../kit/bounded-memory.ts'
import type { Clock } from '../../kit/clock.ts'
import { emailKey } from '../../kit/normalize-for-search.ts'
import { type DeliveryResult, secretMask } from '../../libraries/mailer/index.ts'
import type { Storage } from '../../platform/storage/index.ts'
import type { DeliveryReference } from './log/delivery-keys.ts'
import type { DeliveryRow, DeliveryTables } from './table.ts'

/** The delivery that a return path names. */
export type ReturnedDelivery = Pick<DeliveryRow, 'id' | 'started_at' | 'recipient' | 'message_id'>

/** How long mail is taken at a return path. */
const validMs = 30 * 86_400_000
/** How long the mail to one return path may take to be read, and how long each message counts at least: twenty quick ones. */
const readMsMax = 2_000
const readMsMin = 100
/** What a message counts that is not read yet. */
const readMsReserved = 400
/** How many return paths are counted. */
const countedMax = 100_000
/** In hexadecimal digits: 80 bits, so that the local part has 64 characters at most (RFC 5321, section 4.5.3.1.1). */
const signatureLength = 20
const token = /^([\da-z]{1,11})-([\da-z]{1,9})-([\da-f]{20})$/

/**
 * The envelope senders that prove what comes back to them: `bounces+<delivery>-<time>-<HMAC-SHA256>@…`. Only the servers that a
 * message passes know its return path. A server may change the letter case of a local part, so the token has no capitals.
 */
export class ReturnPaths {
  readonly #localPart: string
  readonly #domain: string
  readonly #key: Uint8Array
  readonly #storage: Pick<Storage, 'tables'>
  readonly #clock: Clock
  /** In milliseconds, by delivery. */
  readonly #readMs: BoundedMemory<number, number>

  /** @param address `bounces@mail.example.com` */
  constructor({
    address,
    key,
    storage,
    clock,
  }: { address: string; key: Uint8Array; storage: Pick<Storage, 'tables'>; clock: Clock }) {
    const plain = emailKey(address)
    const at = plain.lastIndexOf('@')
    this.#localPart = plain.slice(0, at)
    this.#domain = plain.slice(at)
    this.#key = key
    this.#storage = storage
    this.#clock = clock
    this.#readMs = new BoundedMemory({
      sizeMax: countedMax,
      expiry: { keepMs: validMs, clock },
    })
  }

  /** Returns the return path of a delivery. */
  of({ id, started_at: startedAt }: DeliveryReference): string {
    const named = `${id.toString(36)}-${startedAt.toString(36)}`
    return `${this.#localPart}+${named}-${this.#sign(named)}${this.#domain}`
  }

  /** Whether mail to an address is for Mailyard itself: the bounce address, with any tag or none. */
  isAddress(address: string): boolean {
    const key = emailKey(address)
    return key === this.#localPart + this.#domain || this.#tagOf(key) !== undefined
  }

  /**
   * Finds the delivery of a return path. Undefined for one that is not signed, is older than 30 days, or has served its purpose: the
   * delivery was not accepted, bounced for good, or was complained about.
   */
  async find(address: string): Promise<ReturnedDelivery | undefined> {
    const reference = this.#read(address)
    if (reference === undefined) return undefined
    const db = this.#storage.tables<DeliveryTables>()
    const isOfDelivery = { delivery_id: reference.id, started_at: reference.started_at }
    const known = await db
      .selectFrom('delivery_events')
      .select(['type', 'class'])
      .where((where) => where.and(isOfDelivery))
      .where('provider', '=', 'mail')
      .execute()
    const isUsedUp = known.some(
      (event) =>
        event.class === 'hard' || event.type === 'complained' || event.type === 'unsubscribed',
    )
    if (isUsedUp) return undefined
    return (
      db
        .selectFrom('deliveries')
        .select(['id', 'started_at', 'recipient', 'message_id'])
        .where('id', '=', reference.id)
        .where('started_at', '=', reference.started_at)
        // A server that refused a message may have said where it came from.
        .where('outcome', 'in', ['accepted', 'uncertain', 'started'])
        .executeTakeFirst()
    )
  }

  /**
   * Counts a message to a return path before anything is awaited, so that many at once are not read. Undefined for one that is not
   * signed, or whose mail has taken two seconds to read.
   *
   * @returns A function to call once, with how long it has taken: 0 for a message that is not read, undefined for too long.
   */
  reserve(address: string): ((readMs?: number) => void) | undefined {
    const id = this.#read(address)?.id
    if (id === undefined || this.#readMsOf(id) >= readMsMax) return undefined
    this.#readMs.set(id, this.#readMsOf(id) + readMsReserved)
    return (readMs = readMsReserved) => {
      const counted = readMs > 0 ? Math.max(readMs, readMsMin) : 0
      this.#readMs.set(id, this.#readMsOf(id) + counted - readMsReserved)
    }
  }

  #readMsOf(id: number): number {
    return this.#readMs.get(id) ?? 0
  }

  #read(address: string): DeliveryReference | undefined {
    const [, id, startedAt, signature] = token.exec(this.#tagOf(emailKey(address)) ?? '') ?? []
    if (id === undefined || startedAt === undefined || signature === undefined) return undefined
    const expected = this.#sign(`${id}-${startedAt}`)
    if (!timingSafeEqual(Buffer.from(signature), Buffer.from(expected))) return undefined
    const time = Number.parseInt(startedAt, 36)
    if (time < this.#clock.now() - validMs) return undefined
    return { id: Number.parseInt(id, 36), started_at: time }
  }

  #tagOf(key: string): string | undefined {
    const start = `${this.#localPart}+`
    if (!key.startsWith(start) || !key.endsWith(this.#domain)) return undefined
    const tag = key.slice(start.length, -this.#domain.length)
    return tag.includes('@') ? undefined : tag
  }

  #sign(named: string): string {
    return createHmac('sha256', this.#key)
      .update(`return path ${named}`)
      .digest('hex')
      .slice(0, signatureLength)
  }
}

/** The time in it begins with such a letter until 2059. A text may have been cut within. */
const signatures = /([\da-z]-[l-z][\da-z]{7}-)[\da-f]{1,20}/gi

/** Masks what proves a return path in the words of a server: who reads these must not write its bounces. */
export function maskSignatures(words: string): string {
  return words.replace(signatures, `$1${secretMask}`)
}

/** Does so in each text of a result but the addresses of its recipients. */
export function maskReturnPath(result: DeliveryResult): DeliveryResult {
  return JSON.parse(JSON.stringify(result), (key, value: unknown) =>
    typeof value === 'string' && key !== 'address' ? maskSignatures(value) : value,
  ) as DeliveryResult
}
