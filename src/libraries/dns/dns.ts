import { getServers, Resolver } from 'node:dns/promises'
import { Semaphore } from '../../kit/semaphore.ts'
import { within } from '../../kit/within.ts'

/** The types of records that are looked up. */
export type RecordType = 'TXT' | 'CNAME' | 'A' | 'AAAA' | 'MX' | 'PTR'

/** What a look-up found. */
export type DnsAnswer =
  /** Text of TXT records with their strings joined, addresses, or names; exchanges by preference. */
  | { state: 'found'; records: readonly string[] }
  /** `isNameMissing`: whether the name does not exist, or has no record of this type only. */
  | { state: 'absent'; isNameMissing: boolean }
  /** `problem` is a sentence, and `code` one of `dns.promises`, such as `ETIMEOUT`. */
  | { state: 'failed'; problem: string; code: string }

export interface DnsOptions {
  /** Such as `192.0.2.53` or `[2001:db8::53]:5353`; empty: the servers of the system. */
  servers: readonly string[]
  /** How long one look-up and one check take at most, in milliseconds. */
  timeouts?: { lookUpMs: number; checkMs: number }
}

const defaultTimeouts = { lookUpMs: 3_000, checkMs: 15_000 }
const processLookUpsMax = 16
const checkLookUpsAtOnce = 4
/** A check of any domain needs fewer. */
const checkLookUpsMax = 250
/** After this time without an answer the next server is asked, or the same one again. */
const nextServerMs = 1_000
const serversMax = 3
/** The most octets of a name in DNS, written with dots. */
const nameLengthMax = 253
/** Names of look-ups also have characters that no host has (RFC 2181, section 11). */
const queryName = /^[!#-\-/-[\]-~]{1,63}(?:\.[!#-\-/-[\]-~]{1,63})*$/

/** Looks records up in DNS, with limits. */
export class Dns {
  readonly #servers: readonly string[]
  readonly #timeouts: { lookUpMs: number; checkMs: number }
  readonly #permits = new Semaphore({ permits: processLookUpsMax })
  readonly #closing = new AbortController()

  constructor({ servers, timeouts = defaultTimeouts }: DnsOptions) {
    this.#servers = servers
    this.#timeouts = timeouts
  }

  /** Starts a check: look-ups that share their time limit, and in which each name is asked for once. */
  check(signal?: AbortSignal): DnsCheck {
    const { lookUpMs, checkMs } = this.#timeouts
    const ends = [this.#closing.signal, AbortSignal.timeout(checkMs)]
    if (signal !== undefined) ends.push(signal)
    const servers = this.#servers.length > 0 ? this.#servers : getServers()
    return new DnsCheck({
      servers: servers.slice(0, serversMax),
      end: AbortSignal.any(ends),
      lookUpMs,
      permits: this.#permits,
    })
  }

  /** Ends all look-ups, which fail. */
  close(): void {
    this.#closing.abort()
  }
}

interface DnsCheckOptions {
  servers: readonly string[]
  /** Aborted when the check is over. */
  end: AbortSignal
  lookUpMs: number
  /** The look-ups of the process. */
  permits: Semaphore
}

/** Look-ups that belong together: at most four at a time, in at most 15 seconds. */
export class DnsCheck {
  readonly #end: AbortSignal
  readonly #lookUpMs: number
  readonly #processPermits: Semaphore
  readonly #permits = new Semaphore({ permits: checkLookUpsAtOnce })
  /** One for each server, which asks it first. */
  readonly #resolvers: readonly Resolver[]
  readonly #answers = new Map<string, Promise<DnsAnswer>>()
  readonly #ended: Promise<DnsAnswer>

  /** @internal Use {@link Dns.check}. */
  constructor({ servers, end, lookUpMs, permits }: DnsCheckOptions) {
    this.#end = end
    this.#lookUpMs = lookUpMs
    this.#processPermits = permits
    this.#resolvers = servers.map((_, index) => {
      const resolver = new Resolver({ timeout: nextServerMs, tries: 3 })
      resolver.setServers([...servers.slice(index), ...servers.slice(0, index)])
      return resolver
    })
    const { promise, resolve } = Promise.withResolvers<DnsAnswer>()
    this.#ended = promise
    const finish = () => {
      resolve(describeEnd(end))
      for (const resolver of this.#resolvers) resolver.cancel()
    }
    if (end.aborted) finish()
    else end.addEventListener('abort', finish, { once: true })
  }

  /** Looks records up. Never throws: what went wrong is in the answer. The name may be written with capitals. */
  lookUp(name: string, type: RecordType): Promise<DnsAnswer> {
    const asked = name.toLowerCase().replace(/\.$/, '')
    const key = `${type} ${asked}`
    const known = this.#answers.get(key)
    if (known !== undefined) return known
    const refusal = this.#refuse(asked, type)
    const answer =
      refusal === undefined
        ? Promise.race([this.#ended, this.#lookUp(asked, type)])
        : Promise.resolve(refusal)
    this.#answers.set(key, answer)
    return answer
  }

  /** The check as a resolver for libraries: `dns.promises.resolve`, which rejects with errors that have a `code`. */
  readonly resolver = async (name: string, type: string): Promise<unknown[]> => {
    const answer = await this.lookUp(name, type as RecordType)
    if (answer.state === 'failed') throw errorWith(answer.code, answer.problem)
    if (answer.state === 'absent') {
      const code = answer.isNameMissing ? 'ENOTFOUND' : 'ENODATA'
      throw errorWith(code, `${name} has no ${type} record.`)
    }
    if (type === 'TXT') return answer.records.map((record) => [record])
    if (type !== 'MX') return [...answer.records]
    return answer.records.map((exchange, priority) => ({ exchange, priority }))
  }

  /** Answers what needs no server: names that cannot exist, and too many of them. */
  #refuse(name: string, type: RecordType): DnsAnswer | undefined {
    if (!Object.hasOwn(readers, type)) return failure('EBADQUERY', `${type} is not looked up.`)
    if (!queryName.test(name)) return failure('EBADNAME', 'A name to look up is not a domain name.')
    if (name.length > nameLengthMax) return { state: 'absent', isNameMissing: true }
    if (this.#answers.size < checkLookUpsMax) return undefined
    return failure('ECANCELLED', `A check makes at most ${checkLookUpsMax} look-ups.`)
  }

  #lookUp(name: string, type: RecordType): Promise<DnsAnswer> {
    return this.#permits.run(() =>
      this.#processPermits.run(async () => {
        if (this.#end.aborted) return this.#ended
        const answer = await within(this.#lookUpMs, this.#ask(name, type))
        return answer ?? timeoutFailure(this.#lookUpMs)
      }),
    )
  }

  /** Asks the servers in their order. A resolver goes on where a server is silent; where one has failed, its result is final. */
  async #ask(name: string, type: RecordType): Promise<DnsAnswer> {
    let answer: DnsAnswer = failure(
      'ECONNREFUSED',
      'No DNS server is configured. Set MAILYARD_DNS_SERVERS.',
    )
    for (const resolver of this.#resolvers) {
      answer = await resolver
        .resolve(name, type)
        .then((records) => readRecords(name, { type, records }))
        .catch((error: NodeJS.ErrnoException) => describeError(name, error, this.#lookUpMs))
      if (answer.state !== 'failed' || !failedCodes.has(answer.code)) return answer
    }
    return answer
  }
}

/** A server that answers so may be followed by one that knows more. */
const failedCodes = new Set(['ESERVFAIL', 'EREFUSED', 'EBADRESP', 'ENOTIMP', 'EFORMERR'])

const readName = (name: unknown) => printable(String(name).toLowerCase())
const readAddress = (address: unknown) => String(address)

/** How the records of `dns.promises` are read. */
const readers: Readonly<Record<RecordType, (record: unknown) => string>> = {
  // Node gives each octet as a character.
  TXT: (strings) =>
    printable(Buffer.from((strings as string[]).join(''), 'latin1').toString('utf8')),
  A: readAddress,
  AAAA: readAddress,
  CNAME: readName,
  PTR: readName,
  MX: (record) => readName((record as { exchange: string }).exchange),
}

function readRecords(
  name: string,
  { type, records }: { type: RecordType; records: unknown },
): DnsAnswer {
  const all = records as readonly { priority?: number }[]
  if (all.length === 0)
    return failure('EBADRESP', `The aliases of ${name} lead to nothing, perhaps in a circle.`)
  const sorted = all.toSorted((one, other) => (one.priority ?? 0) - (other.priority ?? 0))
  return { state: 'found', records: sorted.map(readers[type]) }
}

/** Replaces control characters, which no record has and which databases refuse. Tabs and line ends stay. */
function printable(text: string): string {
  return text.replace(/(?![\t\r\n])\p{Cc}/gu, '\uFFFD')
}

function describeError(name: string, error: NodeJS.ErrnoException, lookUpMs: number): DnsAnswer {
  const { code = 'ECONNREFUSED' } = error
  if (code === 'ENOTFOUND' || code === 'ENODATA')
    return { state: 'absent', isNameMissing: code === 'ENOTFOUND' }
  if (code === 'ETIMEOUT') return timeoutFailure(lookUpMs)
  return failure(code, `The DNS server did not answer for ${name} (${code}).`)
}

/** Describes why a check is over: its time, or that it was cancelled. */
function describeEnd({ reason }: AbortSignal): DnsAnswer {
  const isLate = reason instanceof DOMException && reason.name === 'TimeoutError'
  return isLate
    ? failure('ETIMEOUT', 'The look-ups took too long.')
    : failure('ECANCELLED', 'The look-up was cancelled.')
}

function timeoutFailure(lookUpMs: number): DnsAnswer {
  return failure('ETIMEOUT', `No DNS server answered within ${lookUpMs / 1_000} s.`)
}

function failure(code: string, problem: string): DnsAnswer & { state: 'failed' } {
  return { state: 'failed', problem, code }
}

function errorWith(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}
