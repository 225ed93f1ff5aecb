import ipaddr from 'ipaddr.js'
import type { DnsCheck } from './dns.ts'
import { isSpfRecord, parseSpfRecord, type SpfMechanism, type SpfRecord } from './spf-record.ts'

/** The SPF record of a domain. */
export type SpfResult =
  | { state: 'found'; record: string }
  /** Receivers ignore the record: there are several, or it has a fault. */
  | { state: 'invalid'; record: string; problem: string }
  | { state: 'absent' }
  | { state: 'failed'; problem: string }

/** Whether messages from some servers will pass SPF. */
export interface SpfCheckResult {
  /** `unknown`: a look-up failed, or it depends on more than can be known. */
  state: 'passes' | 'fails' | 'unknown'
  record: string | null
  /** How many look-ups receivers make at most, of ten that are allowed. */
  lookUps: number
  /** A sentence about what was found. */
  detail: string
}

/** What is asked about: servers that an `include:` stands for, or IP addresses. */
export interface SpfSenders {
  /** Domains of a provider. One `include:` of them is enough. */
  include?: readonly string[]
  /** Each of them has to pass. */
  addresses?: readonly string[]
}

/** The most characters of a term that a problem quotes. */
const quotedMax = 200

const lookUpsMax = 10
const voidLookUpsMax = 2
const exchangesMax = 10
const addressesMax = 20
/** More than records within the limits of RFC 7208 have. Those of two domains are compared, one with each other one. */
const networksMax = 500

/** Finds the SPF record of a domain, in lower-case ASCII. */
export async function findSpf(check: DnsCheck, domain: string): Promise<SpfResult> {
  const answer = await check.lookUp(domain, 'TXT')
  if (answer.state === 'failed') return { state: 'failed', problem: answer.problem }
  const records = answer.state === 'found' ? answer.records.filter(isSpfRecord) : []
  const [record] = records
  if (record === undefined) return { state: 'absent' }
  if (records.length > 1) {
    const problem = `There are ${records.length} SPF records at ${domain}, so receivers read none. Leave one.`
    return { state: 'invalid', record: records.join('\n'), problem }
  }
  const parsed = parseSpfRecord(record)
  if (!('wrong' in parsed)) return { state: 'found', record }
  const problem = `The SPF record of ${domain} is not valid at "${parsed.wrong.slice(0, quotedMax)}", so receivers ignore it.`
  return { state: 'invalid', record, problem }
}

/**
 * Checks whether messages of an envelope domain pass SPF from the servers of a provider, or from addresses.
 * @param domain In lower-case ASCII.
 * @see RFC 7208
 */
export async function checkSpf(
  check: DnsCheck,
  domain: string,
  { include = [], addresses = [] }: SpfSenders,
): Promise<SpfCheckResult> {
  const found = await findSpf(check, domain)
  switch (found.state) {
    case 'failed':
      return { state: 'unknown', record: null, lookUps: 0, detail: found.problem }
    case 'absent':
      return { state: 'fails', record: null, lookUps: 0, detail: `${domain} has no SPF record.` }
    case 'invalid':
      return { state: 'fails', record: found.record, lookUps: 0, detail: found.problem }
    case 'found':
  }
  const { record } = found
  if (include.length === 0) return checkAddresses(check, { domain, record, addresses })
  const walk = new SpfWalk(check, include)
  const { state, detail } = await walk.run(domain)
  return { state, record, lookUps: walk.lookUps, detail }
}

type State = SpfCheckResult['state']

/** Ends a walk with its result. */
class WalkEnd extends Error {
  readonly state: State

  constructor(state: State, detail: string) {
    super(detail)
    this.state = state
  }
}

/**
 * Reads a record and those it includes in the order of receivers, and looks for one of some includes. Which address the
 * servers behind it have is not known: a mechanism before it that could match one of them without a pass makes the
 * result unknown.
 */
class SpfWalk {
  lookUps = 0
  readonly #check: DnsCheck
  readonly #includes: readonly string[]
  #voidLookUps = 0
  /** Why a later match is not certain. */
  #passDoubt: string | undefined
  /** Why it is not certain that nothing matches. */
  #failDoubt: string | undefined

  constructor(check: DnsCheck, includes: readonly string[]) {
    this.#check = check
    this.#includes = includes.map((name) => name.toLowerCase())
  }

  async run(domain: string): Promise<{ state: State; detail: string }> {
    const names = this.#includes.map((name) => `"include:${name}"`).join(' or ')
    try {
      await this.#walk(domain)
      const doubt = this.#passDoubt ?? this.#failDoubt
      if (doubt !== undefined) return { state: 'unknown', detail: doubt }
      const overlap = await this.#findOverlap(domain)
      if (overlap !== undefined) return { state: 'unknown', detail: overlap }
      return { state: 'fails', detail: `The SPF record of ${domain} does not have ${names}.` }
    } catch (error) {
      if (error instanceof WalkEnd) return { state: error.state, detail: error.message }
      throw error
    }
  }

  /** Reads the record of a domain. Returns where no mechanism of it is known to match. */
  async #walk(domain: string): Promise<void> {
    const record = await this.#read(domain)
    for (const mechanism of record.mechanisms) {
      if (mechanism.name === 'all') {
        if (mechanism.qualifier === '+')
          throw this.#pass(`"${mechanism.text}" lets every server pass.`)
        return
      }
      await this.#step(mechanism, domain)
    }
    const { redirect } = record
    if (redirect === undefined) return
    this.#count(`redirect=${redirect}`)
    if (hasMacro(redirect)) this.#passDoubt ??= dependsText(`redirect=${redirect}`)
    else await this.#walk(redirect.toLowerCase())
  }

  async #step({ text, name, qualifier, value }: SpfMechanism, domain: string): Promise<void> {
    if (name !== 'ip4' && name !== 'ip6') this.#count(text)
    if (hasMacro(value) || name === 'ptr' || name === 'exists') {
      const canOnlyPass = qualifier === '+' && (name === 'ptr' || name === 'exists')
      if (canOnlyPass) this.#failDoubt ??= dependsText(text)
      else this.#passDoubt ??= dependsText(text)
      // It may be one of those without an answer.
      if (name !== 'include') this.#noteVoid()
      return
    }
    const target = value === '' ? domain : value.toLowerCase().replace(/\.$/, '')
    if (name === 'include' && this.#includes.includes(target) && qualifier === '+') {
      return this.#reach({ text, target })
    }
    if (name === 'include') {
      await this.#walkInclude(target, { qualifier, text })
      return
    }
    if (name === 'a' || name === 'mx') await this.#countVoid(target, name)
    if (qualifier !== '+') {
      this.#passDoubt ??= `"${text}" stands before the include, and may match the server.`
    }
  }

  /** What an included record denies is not a match, so that the next mechanism is read. */
  async #walkInclude(
    target: string,
    { qualifier, text }: { qualifier: string; text: string },
  ): Promise<void> {
    if (qualifier === '+') return this.#walk(target)
    this.#passDoubt ??= `"${text}" may match the server, and does not let it pass.`
    await this.#walk(target)
  }

  /** The include that is looked for: its own look-ups count as well. */
  async #reach({ text, target }: { text: string; target: string }): Promise<never> {
    const pass = this.#pass(`"${text}" is in the SPF record.`)
    if (pass.state !== 'passes') throw pass
    await this.#read(target)
    const networks = await this.#listNetworks(target)
    if (networks.failure !== undefined) throw new WalkEnd('unknown', networks.failure)
    if (this.lookUps + networks.lookUps > lookUpsMax) {
      throw new WalkEnd('unknown', tooManyText(this.lookUps + networks.lookUps))
    }
    this.lookUps += networks.lookUps
    throw pass
  }

  #pass(detail: string): WalkEnd {
    return this.#passDoubt === undefined
      ? new WalkEnd('passes', detail)
      : new WalkEnd('unknown', this.#passDoubt)
  }

  async #read(domain: string): Promise<SpfRecord> {
    const found = await findSpf(this.#check, domain)
    if (found.state === 'failed') throw new WalkEnd('unknown', found.problem)
    if (found.state === 'absent') {
      throw new WalkEnd(
        'fails',
        `${domain} has no SPF record, so receivers ignore the record that names it.`,
      )
    }
    if (found.state === 'invalid') throw new WalkEnd('fails', found.problem)
    const record = parseSpfRecord(found.record)
    if ('wrong' in record) throw new WalkEnd('fails', `${domain} has no valid SPF record.`)
    return record
  }

  #count(text: string): void {
    this.lookUps += 1
    if (this.lookUps > lookUpsMax) {
      throw new WalkEnd(
        'fails',
        `${tooManyText(this.lookUps)} "${text}" is the first that is too many.`,
      )
    }
  }

  /** Counts look-ups without an answer, of which receivers allow two. */
  async #countVoid(target: string, name: 'a' | 'mx'): Promise<void> {
    const types = name === 'mx' ? (['MX'] as const) : (['A', 'AAAA'] as const)
    const answers = await Promise.all(types.map((type) => this.#check.lookUp(target, type)))
    const failed = answers.find((answer) => answer.state === 'failed')
    if (failed?.state === 'failed') throw new WalkEnd('unknown', failed.problem)
    const count = answers.reduce(
      (sum, each) => sum + (each.state === 'found' ? each.records.length : 0),
      0,
    )
    if (name === 'mx' && count > exchangesMax) {
      throw new WalkEnd('unknown', `${target} has more than ${exchangesMax} MX records.`)
    }
    if (count === 0) this.#noteVoid()
  }

  #noteVoid(): void {
    this.#voidLookUps += 1
    if (this.#voidLookUps > voidLookUpsMax) {
      throw new WalkEnd(
        'unknown',
        `More than ${voidLookUpsMax} names in the SPF record have no address.`,
      )
    }
  }

  /**
   * Finds an address range that the record of a domain and the includes have in common: the record then may let the
   * servers pass without naming the include.
   */
  async #findOverlap(domain: string): Promise<string | undefined> {
    const own = await this.#listNetworks(domain)
    if (own.failure !== undefined) return own.failure
    if (own.networks.length === 0) return undefined
    for (const include of this.#includes) {
      const theirs = await this.#listNetworks(include)
      // A name of a provider that has no record any more has no servers either.
      if (theirs.failure !== undefined) return theirs.failure
      const common = own.networks.find((one) =>
        theirs.networks.some((other) => overlaps(one, other)),
      )
      if (common !== undefined) {
        return `"${common.text}" in the SPF record of ${domain} has addresses of ${include}, but perhaps not all.`
      }
    }
    return undefined
  }

  /** Lists the networks that a record and those it includes let pass, and counts the look-ups. */
  async #listNetworks(
    domain: string,
  ): Promise<{ networks: Network[]; lookUps: number; failure?: string }> {
    const networks: Network[] = []
    const waiting = [domain]
    const seen = new Set(waiting)
    let lookUps = 0
    for (const name of waiting) {
      const found = await findSpf(this.#check, name)
      if (found.state === 'failed') return { networks, lookUps, failure: found.problem }
      const record = found.state === 'found' ? parseSpfRecord(found.record) : undefined
      if (record === undefined || 'wrong' in record) continue
      const { mechanisms, redirect } = record
      const includes = mechanisms
        .filter((each) => each.name === 'include')
        .map(({ value }) => value)
      if (redirect !== undefined) includes.push(redirect)
      lookUps += countLookUps(record)
      for (const mechanism of mechanisms) {
        const isNetwork = mechanism.name === 'ip4' || mechanism.name === 'ip6'
        const network = isNetwork ? parseNetwork(mechanism.value) : undefined
        if (network !== undefined && mechanism.qualifier === '+') networks.push(network)
      }
      if (networks.length > networksMax) {
        const failure = `The SPF record of ${domain} and those it includes have more than ${networksMax} networks.`
        return { networks: [], lookUps, failure }
      }
      for (const include of includes) {
        const target = include.toLowerCase().replace(/\.$/, '')
        if (hasMacro(target) || seen.has(target) || seen.size > lookUpsMax) continue
        seen.add(target)
        waiting.push(target)
      }
    }
    return { networks, lookUps }
  }
}

function countLookUps({ mechanisms, redirect }: SpfRecord): number {
  const free = ['all', 'ip4', 'ip6']
  const count = mechanisms.filter(({ name }) => !free.includes(name)).length
  return redirect === undefined ? count : count + 1
}

function hasMacro(text: string): boolean {
  return text.includes('%')
}

function dependsText(text: string): string {
  return `"${text}" depends on the address of the server or of the sender, so that it is not known.`
}

function tooManyText(count: number): string {
  return `The SPF record needs ${count} look-ups, and receivers make at most ${lookUpsMax}.`
}

/** Addresses that a record lets pass. */
interface Network {
  /** As it is written: `192.0.2.0/24`. */
  text: string
  address: ipaddr.IPv4 | ipaddr.IPv6
  bits: number
}

function overlaps(one: Network, other: Network): boolean {
  if (one.address.kind() !== other.address.kind()) return false
  return one.address.match(other.address, Math.min(one.bits, other.bits))
}

function parseNetwork(text: string): Network | undefined {
  const [address = '', bits] = text.split('/')
  if (!ipaddr.isValid(address)) return undefined
  const parsed = ipaddr.parse(address)
  const most = parsed.kind() === 'ipv4' ? 32 : 128
  return { text, address: parsed, bits: bits === undefined ? most : Math.min(most, Number(bits)) }
}

async function checkAddresses(
  check: DnsCheck,
  { domain, record, addresses }: { domain: string; record: string; addresses: readonly string[] },
): Promise<SpfCheckResult> {
  if (addresses.length === 0 || addresses.length > addressesMax) {
    const detail = `${addresses.length} addresses were checked against the SPF record of ${domain}.`
    return { state: 'unknown', record, lookUps: 0, detail }
  }
  const results = await Promise.all(
    addresses.map((address) => checkAddress(check, { domain, address })),
  )
  const lookUps = Math.max(...results.map((result) => result.lookUps))
  const unknown = results.find(({ state }) => state === 'unknown')
  const fails = results.find(({ state }) => state === 'fails')
  const passes = results.find(({ state }) => state === 'passes')
  if (unknown !== undefined) return { state: 'unknown', record, lookUps, detail: unknown.detail }
  if (fails === undefined) {
    return { state: 'passes', record, lookUps, detail: passes?.detail ?? '' }
  }
  // Which of the addresses is used for a message is not known.
  const state = passes === undefined ? 'fails' : 'unknown'
  return { state, record, lookUps, detail: fails.detail }
}

async function checkAddress(
  check: DnsCheck,
  { domain, address }: { domain: string; address: string },
): Promise<{ state: State; lookUps: number; detail: string }> {
  const { spf } = await import('mailauth/lib/spf/index.js')
  let dependsOnSender = false
  const { status, lookups } = await spf({
    ip: address,
    sender: `postmaster@${domain}`,
    helo: domain,
    mta: 'localhost',
    strict: true,
    maxResolveCount: lookUpsMax,
    maxVoidCount: voidLookUpsMax,
    resolver: async (name: string, type: string) => {
      const records = (await check.resolver(name, type)) as string[][]
      if (type === 'TXT') dependsOnSender ||= records.some(([text = '']) => /%\{[slh]/i.test(text))
      return records
    },
  })
  const lookUps = lookups?.count ?? 0
  const { result } = status
  if (result === 'temperror') {
    return { state: 'unknown', lookUps, detail: `SPF of ${domain} could not be looked up.` }
  }
  if (dependsOnSender) {
    return {
      state: 'unknown',
      lookUps,
      detail: `The SPF record of ${domain} depends on the sender.`,
    }
  }
  const detail = `The SPF record of ${domain} answers "${result}" for ${address}.`
  return { state: result === 'pass' ? 'passes' : 'fails', lookUps, detail }
}
