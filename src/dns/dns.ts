import { getServers } from 'node:dns'
import { BoundedMemory } from '../kit/bounded-memory.ts'
import type { Clock } from '../kit/clock.ts'
import { type DnsServerAddress, parseDnsServer } from '../kit/dns-server-address.ts'
import { Semaphore } from '../kit/semaphore.ts'
import { within } from '../kit/within.ts'
import { askServer, DnsError } from './exchange.ts'
import { isQueryName, isTooLong } from './names.ts'
import type { DnsResponse, Question, RecordType } from './packets.ts'

/** What a look-up found. Times are milliseconds since the Unix epoch. */
export type DnsAnswer =
  | {
      state: 'found'
      /** Text of TXT records with their strings joined, addresses, or names; exchanges by preference. */
      records: readonly string[]
      /** The names that aliases (CNAME) led to, in order. */
      aliases: readonly string[]
      /** Until when the answer may be kept. */
      until: number
    }
  | {
      state: 'absent'
      /** Whether the name does not exist, or has no record of this type only. */
      isNameMissing: boolean
      aliases: readonly string[]
      until: number
    }
  | {
      state: 'failed'
      /** A sentence. */
      problem: string
      /** The code that `dns.promises` has, such as `ETIMEOUT`. */
      code: string
    }

/** A resolver as libraries take it: `dns.promises.resolve`, which rejects with errors that have a `code`. */
export type Resolve = (name: string, type: string) => Promise<unknown>

export interface DnsOptions {
  /** Such as `192.0.2.53` or `[2001:db8::53]:5353`; empty: the servers of the system. */
  servers: readonly string[]
  clock: Clock
  /** How long one look-up and one check take at most, in milliseconds. */
  timeouts?: { lookUpMs: number; checkMs: number }
}

const defaultTimeouts = { lookUpMs: 3_000, checkMs: 15_000 }
const processLookUpsMax = 16
const checkLookUpsAtOnce = 4
/** A check of any domain needs fewer. */
const checkLookUpsMax = 250
const aliasesMax = 8
/** After this time without an answer the next server is asked as well. */
const nextServerMs = 1_000
const serversMax = 3
const keptMsMax = 3_600_000
const absenceMsMax = 300_000
const keptAnswersMax = 4_000
/** A larger answer is not kept, so that the memory for all of them is bounded. */
const keptCharactersMax = 8_192

/** Looks records up in DNS, with limits. Answers are kept as long as they may be, at most an hour; failures are not. */
export class Dns {
  readonly #servers: readonly string[]
  readonly #clock: Clock
  readonly #timeouts: { lookUpMs: number; checkMs: number }
  readonly #answers = new BoundedMemory<string, DnsAnswer & { until: number }>({
    sizeMax: keptAnswersMax,
  })
  readonly #permits = new Semaphore({ permits: processLookUpsMax })
  readonly #closing = new AbortController()
  readonly #running = new Set<Promise<unknown>>()

  constructor({ servers, clock, timeouts = defaultTimeouts }: DnsOptions) {
    this.#servers = servers
    this.#clock = clock
    this.#timeouts = timeouts
  }

  /**
   * Starts a check: look-ups that share their time limit, and in which each name is asked for once. `isFresh` asks the
   * servers again.
   */
  check({ isFresh = false, signal }: { isFresh?: boolean; signal?: AbortSignal } = {}): DnsCheck {
    const ends = [this.#closing.signal, AbortSignal.timeout(this.#timeouts.checkMs)]
    if (signal !== undefined) ends.push(signal)
    const end = AbortSignal.any(ends)
    return new DnsCheck({ end, ask: (question) => this.#lookUp(question, { isFresh, end }) })
  }

  /** Ends all look-ups, which fail. */
  async close(): Promise<void> {
    this.#closing.abort(new DnsError('ECANCELLED', 'The look-up was cancelled.'))
    await Promise.allSettled(this.#running)
  }

  async #lookUp(
    question: Question,
    { isFresh, end }: { isFresh: boolean; end: AbortSignal },
  ): Promise<DnsAnswer> {
    const key = `${question.type} ${question.name}`
    const kept = isFresh ? undefined : this.#findKept(key)
    if (kept !== undefined) return kept
    return this.#permits.run(async () => {
      // Another check may have asked in the meantime.
      const answered = isFresh ? undefined : this.#findKept(key)
      if (answered !== undefined) return answered
      if (end.aborted) return describeEnd(end)
      const answer = await this.#follow(question)
      if (answer.state === 'failed') return answer
      if (answer.until > this.#clock.now() && isSmall(answer)) this.#answers.set(key, answer)
      else this.#answers.delete(key)
      return answer
    })
  }

  #findKept(key: string): DnsAnswer | undefined {
    const answer = this.#answers.get(key)
    const remainingMs = answer === undefined ? 0 : answer.until - this.#clock.now()
    // More than an hour remains only where the clock was set back.
    return remainingMs > 0 && remainingMs <= keptMsMax ? answer : undefined
  }

  /** Asks, and follows aliases to other names where the server has not done it. */
  async #follow(question: Question): Promise<DnsAnswer> {
    const aliases: string[] = []
    const { lookUpMs } = this.#timeouts
    const stop = new AbortController()
    const late = setTimeout(() => stop.abort(timeoutError(lookUpMs)), lookUpMs)
    const signal = AbortSignal.any([stop.signal, this.#closing.signal])
    let name = question.name
    let keptMs = keptMsMax
    try {
      for (;;) {
        const response = await this.#ask({ name, type: question.type }, signal)
        const step = readStep(response, { name, type: question.type, aliases })
        keptMs = Math.min(keptMs, step.keptMs)
        const until = this.#clock.now() + keptMs
        if (step.state === 'found') {
          return { state: 'found', records: step.records, aliases, until }
        }
        if (step.state === 'absent') {
          return { state: 'absent', isNameMissing: step.isNameMissing, aliases, until }
        }
        name = step.name
      }
    } catch (error) {
      const { code, message } = error as DnsError
      return { state: 'failed', problem: message, code }
    } finally {
      clearTimeout(late)
    }
  }

  /** Asks the servers in their order; the next one as well after a failure or a second without an answer. */
  async #ask(question: Question, signal: AbortSignal): Promise<DnsResponse> {
    const finished = new AbortController()
    const every = AbortSignal.any([signal, finished.signal])
    const attempts: Promise<DnsResponse>[] = []
    try {
      for (const server of this.#findServers()) {
        const attempt = this.#track(askServer(server, question, every))
        attempts.push(attempt)
        const response = await within(nextServerMs, Promise.any(attempts)).catch(() => undefined)
        if (response !== undefined) return response
      }
      return await Promise.any(attempts)
    } catch (error) {
      throw (error as AggregateError).errors.at(-1) ?? new DnsError('ECONNREFUSED', noServer)
    } finally {
      finished.abort(new DnsError('ECANCELLED', 'Another DNS server answered.'))
    }
  }

  #track(attempt: Promise<DnsResponse>): Promise<DnsResponse> {
    this.#running.add(attempt)
    const end = () => void this.#running.delete(attempt)
    attempt.then(end, end)
    return attempt
  }

  #findServers(): DnsServerAddress[] {
    const texts = this.#servers.length > 0 ? this.#servers : getServers()
    return texts.flatMap((text) => parseDnsServer(text) ?? []).slice(0, serversMax)
  }
}

interface DnsCheckOptions {
  /** Aborted when the check is over. */
  end: AbortSignal
  ask: (question: Question) => Promise<DnsAnswer>
}

/** Look-ups that belong together: at most four at a time, in at most 15 seconds. */
export class DnsCheck {
  readonly #end: AbortSignal
  readonly #ask: DnsCheckOptions['ask']
  readonly #permits = new Semaphore({ permits: checkLookUpsAtOnce })
  readonly #answers = new Map<string, Promise<DnsAnswer>>()
  #until = Number.POSITIVE_INFINITY

  /** @internal Use {@link Dns.check}. */
  constructor({ end, ask }: DnsCheckOptions) {
    this.#end = end
    this.#ask = ask
  }

  /** Until when all of its answers may be kept, in milliseconds since the epoch. Failed look-ups do not count. */
  get until(): number {
    return this.#until
  }

  /** Looks records up. Never throws: what went wrong is in the answer. The name may be written with capitals. */
  lookUp(name: string, type: RecordType): Promise<DnsAnswer> {
    const question = { name: name.toLowerCase().replace(/\.$/, ''), type }
    const key = `${type} ${question.name}`
    const known = this.#answers.get(key)
    if (known !== undefined) return known
    const answer = this.#refuse(question) ?? this.#lookUp(question)
    this.#answers.set(key, answer)
    return answer
  }

  /** The check as a resolver for libraries. */
  readonly resolver: Resolve = async (name, type) => {
    const answer = await this.lookUp(name, type as RecordType)
    if (answer.state === 'failed') throw new DnsError(answer.code, answer.problem)
    if (answer.state === 'absent') {
      const code = answer.isNameMissing ? 'ENOTFOUND' : 'ENODATA'
      throw new DnsError(code, `${name} has no ${type} record.`)
    }
    if (type === 'TXT') return answer.records.map((record) => [record])
    if (type !== 'MX') return [...answer.records]
    return answer.records.map((exchange, priority) => ({ exchange, priority }))
  }

  /** Answers what needs no server: names that cannot exist, and too many of them. */
  #refuse({ name, type }: Question): Promise<DnsAnswer> | undefined {
    if (!supportedTypes.has(type)) return failure('EBADQUERY', `${type} is not looked up.`)
    if (!isQueryName(name)) return failure('EBADNAME', `A name to look up is not a domain name.`)
    if (isTooLong(name)) {
      return Promise.resolve({ state: 'absent', isNameMissing: true, aliases: [], until: 0 })
    }
    if (this.#answers.size < checkLookUpsMax) return undefined
    return failure('ECANCELLED', `A check makes at most ${checkLookUpsMax} look-ups.`)
  }

  async #lookUp(question: Question): Promise<DnsAnswer> {
    if (this.#end.aborted) return describeEnd(this.#end)
    const { promise: ended, resolve } = Promise.withResolvers<DnsAnswer>()
    const end = () => resolve(describeEnd(this.#end))
    this.#end.addEventListener('abort', end)
    try {
      const asked = this.#permits.run(() => this.#ask(question))
      const answer = await Promise.race([asked, ended])
      if (answer.state !== 'failed') this.#until = Math.min(this.#until, answer.until)
      return answer
    } finally {
      this.#end.removeEventListener('abort', end)
    }
  }
}

const supportedTypes = new Set<string>(['TXT', 'CNAME', 'A', 'AAAA', 'MX', 'PTR'])

/** Describes why a check is over: its time, or that it was cancelled. */
function describeEnd({ reason }: AbortSignal): DnsAnswer {
  const isLate = reason instanceof DOMException && reason.name === 'TimeoutError'
  if (!isLate) return { state: 'failed', problem: 'The look-up was cancelled.', code: 'ECANCELLED' }
  return { state: 'failed', problem: 'The look-ups took too long.', code: 'ETIMEOUT' }
}

function failure(code: string, problem: string): Promise<DnsAnswer> {
  return Promise.resolve({ state: 'failed', problem, code })
}

const noServer = 'No DNS server is configured. Set MAILYARD_DNS_SERVERS.'

function timeoutError(lookUpMs: number): DnsError {
  return new DnsError('ETIMEOUT', `No DNS server answered within ${lookUpMs / 1_000} s.`)
}

/** What one response says: records, none, or the name to ask for next. */
type Step =
  | { state: 'found'; records: string[]; keptMs: number }
  | { state: 'absent'; isNameMissing: boolean; keptMs: number }
  | { state: 'alias'; name: string; keptMs: number }

/** Reads one response: the chain of aliases in it, which is added to `aliases`, and the records at its end. */
function readStep(
  { code, records, absenceTtl, isReferral }: DnsResponse,
  { name, type, aliases }: Question & { aliases: string[] },
): Step {
  let current = name
  let keptMs = keptMsMax
  for (;;) {
    const matching = records.filter((record) => record.name === current && record.type === type)
    for (const { ttl } of matching) keptMs = Math.min(keptMs, ttl * 1_000)
    if (matching.length > 0) {
      return { state: 'found', records: matching.map(({ value }) => value), keptMs }
    }
    const alias = records.find((record) => record.name === current && record.type === 'CNAME')
    if (alias === undefined) break
    keptMs = Math.min(keptMs, alias.ttl * 1_000)
    addAlias(aliases, { from: name, to: alias.value })
    current = alias.value
  }
  const isMissing = code === 'NXDOMAIN'
  if (isReferral && !isMissing) throw new DnsError('EREFUSED', notRecursive(name))
  // A server that follows aliases says with the authority of the last name that it has no such record.
  const isEnd = isMissing || current === name || absenceTtl > 0
  if (!isEnd) return { state: 'alias', name: current, keptMs }
  const absenceMs = Math.min(absenceMsMax, absenceTtl * 1_000)
  return { state: 'absent', isNameMissing: isMissing, keptMs: Math.min(keptMs, absenceMs) }
}

function notRecursive(name: string): string {
  return `The DNS server does not look up ${name}, but names other servers. Set MAILYARD_DNS_SERVERS to a resolver.`
}

function addAlias(aliases: string[], { from, to }: { from: string; to: string }): void {
  if (to === from || aliases.includes(to)) {
    throw new DnsError('ESERVFAIL', `The aliases (CNAME) of ${from} lead in a circle.`)
  }
  if (aliases.length === aliasesMax) {
    throw new DnsError(
      'ESERVFAIL',
      `${from} leads through more than ${aliasesMax} aliases (CNAME).`,
    )
  }
  if (!isQueryName(to) || isTooLong(to)) {
    throw new DnsError('EBADRESP', `The alias (CNAME) of ${from} is not a domain name.`)
  }
  aliases.push(to)
}

function isSmall(answer: DnsAnswer): boolean {
  const texts = answer.state === 'found' ? answer.records : []
  return texts.reduce((sum, text) => sum + text.length, 0) <= keptCharactersMax
}
