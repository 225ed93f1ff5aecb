import { isIP } from 'node:net'
import type { DomainKey } from '../../dkim/index.ts'
import {
  areAligned,
  checkSpf,
  type DmarcResult,
  type DnsCheck,
  findDkimKey,
  findDmarc,
  parseDkimKey,
  type SpfSenders,
} from '../../dns/index.ts'
import { Semaphore } from '../../kit/semaphore.ts'
import {
  askDomain,
  type DomainRecord,
  DsnError,
  listSendingLeaves,
  type SendingLeaf,
} from '../../mailer/index.ts'
import type {
  DmarcFacts,
  MemberFacts,
  NameFacts,
  OwnKeyFacts,
  ProviderFacts,
  ProviderRules,
  ReturnPathFacts,
  SpfFacts,
} from './facts.ts'

/** A transport for which the facts are collected. */
export interface TransportToCheck {
  /** In clear; undefined: it cannot be decrypted. */
  dsn: string | undefined
  /** Whether a caller of a Mautic wrote the DSN: its messages are not signed, and its API is a public address. */
  isPublicOnly: boolean
  /** See `MemberFacts`. */
  otherEnvelope: string | null
}

/** Dependencies of `FactCollector`. */
export interface FactCollectorOptions {
  /** Obeys the outbound policy. */
  fetch: typeof fetch
  /** Reaches public addresses only. */
  publicFetch: typeof fetch
  /** Finds Mailyard's key of a domain, and looks its record up. */
  findOwnKey: (domain: string, check: DnsCheck) => Promise<DomainKey | undefined>
  now: () => Date
}

const questionsAtOnce = 4
const candidatesMax = 8

/** Collects what DNS and the APIs of providers say of one From domain. Everything is asked once, whichever transports need it. */
export class FactCollector {
  readonly #options: FactCollectorOptions
  readonly #from: string
  readonly #check: DnsCheck
  readonly #signal: AbortSignal
  readonly #questions = new Semaphore({ permits: questionsAtOnce })
  readonly #asked = new Map<string, Promise<ProviderFacts>>()
  #dmarc: Promise<DmarcFacts> | undefined
  #ownKey: Promise<OwnKeyFacts | undefined> | undefined

  /** @param check Ends within its time; `signal` ends the questions to APIs. */
  constructor(
    from: string,
    { check, signal }: { check: DnsCheck; signal: AbortSignal },
    options: FactCollectorOptions,
  ) {
    this.#from = from
    this.#check = check
    this.#signal = signal
    this.#options = options
  }

  /** Finds the DMARC record of the From domain. */
  findDmarc(): Promise<DmarcFacts> {
    this.#dmarc ??= findDmarc(this.#check, this.#from).then(dmarcFacts)
    return this.#dmarc
  }

  /** Collects the facts of each server and API of a transport; none where its DSN cannot be read. */
  async collect(transport: TransportToCheck): Promise<MemberFacts[]> {
    const leaves = transport.dsn === undefined ? [] : readLeaves(transport.dsn)
    return Promise.all(leaves.map((leaf) => this.#collectLeaf(leaf, transport)))
  }

  async #collectLeaf(
    leaf: SendingLeaf,
    { isPublicOnly, otherEnvelope }: TransportToCheck,
  ): Promise<MemberFacts> {
    const from = this.#from
    const dmarc = await this.findDmarc()
    const { kind, label, host, isPlain, accountDomain } = leaf
    const rules = leaf.domains === null ? undefined : rulesOf(leaf, leaf.domains, from)
    const isSent = kind !== 'null' && kind !== 'inbox'
    const envelopeDomain = accountDomain ?? from
    this.#ownKey ??= this.#findOwnKey()
    const [ownKey, asked, selectors, returnPaths, spf, isAccountAligned, isEnvelopeAligned] =
      await Promise.all([
        this.#ownKey,
        isSent ? this.#ask(leaf, isPublicOnly, dmarc) : undefined,
        isSent ? this.#lookUpSelectors(leaf, dmarc) : [],
        isSent ? this.#lookUpReturnPaths(leaf) : [],
        isSent ? this.#checkSpf(leaf, envelopeDomain, rules) : undefined,
        this.#isAccountAligned(accountDomain, dmarc),
        this.#isAligned(envelopeDomain, dmarc, dmarc.aspf),
      ])
    return {
      from,
      dmarc,
      label,
      kind,
      host,
      isPlain,
      unsigned: whyUnsigned(leaf, isPublicOnly),
      provider: rules,
      accountDomain,
      isAccountAligned,
      ownKey,
      asked,
      selectors,
      returnPaths,
      envelopeDomain,
      isEnvelopeAligned,
      otherEnvelope,
      spf,
    }
  }

  async #isAligned(
    domain: string,
    dmarc: DmarcFacts,
    mode: 'r' | 's',
  ): Promise<boolean | undefined> {
    // Equal domains are aligned in both modes.
    if (domain === this.#from) return true
    if (dmarc.state === 'failed') return undefined
    return mode === 's' ? false : areAligned(this.#check, domain, this.#from, mode)
  }

  /** Undefined also where only a parent of the domain could be aligned: the account may sign for its parent. */
  async #isAccountAligned(
    accountDomain: string | null,
    dmarc: DmarcFacts,
  ): Promise<boolean | undefined> {
    if (accountDomain === null) return undefined
    const isAligned = await this.#isAligned(accountDomain, dmarc, dmarc.adkim)
    return isAligned === false && accountDomain.endsWith(`.${this.#from}`) ? undefined : isAligned
  }

  async #findOwnKey(): Promise<OwnKeyFacts | undefined> {
    const key = await this.#options.findOwnKey(this.#from, this.#check)
    if (key === undefined) return undefined
    const { selector, algorithm, oldSelectors, isActive, state, problem } = key
    const { type, name, value } = key.record
    const detail = problem ?? 'Its record was not found yet.'
    const record = { type, name, value }
    return { selector, algorithm, oldSelectors, isActive, state, detail, record }
  }

  #ask(
    leaf: SendingLeaf,
    isPublicOnly: boolean,
    dmarc: DmarcFacts,
  ): Promise<ProviderFacts> | undefined {
    const { domains, dsn } = leaf
    if (domains?.ask === undefined) return undefined
    const key = JSON.stringify([dsn, isPublicOnly])
    const asked =
      this.#asked.get(key) ??
      this.#questions.run(() => this.#askProvider(leaf, isPublicOnly, dmarc))
    this.#asked.set(key, asked)
    return asked
  }

  async #askProvider(
    { dsn, domains }: SendingLeaf,
    isPublicOnly: boolean,
    dmarc: DmarcFacts,
  ): Promise<ProviderFacts> {
    const { fetch, publicFetch, now } = this.#options
    const answer = await askDomain(dsn, this.#from, {
      fetch: isPublicOnly ? publicFetch : fetch,
      signal: this.#signal,
      now,
    })
    if (answer.state === 'missing' || answer.state === 'unknown') return answer
    const [include] = domains?.spf.includes ?? []
    const { detail } = answer
    const returnPath = await this.#findReturnPath(answer.returnPath, include, dmarc)
    if (answer.state === 'unverified') {
      const missing = answer.records.filter(({ isFound }) => isFound !== true)
      const records = missing.map(({ type, name, value }) => ({ type, name, value }))
      return { state: 'unverified', detail, records, returnPath }
    }
    const { signingDomain } = answer
    const [isAligned, found] = await Promise.all([
      this.#isAligned(signingDomain, dmarc, dmarc.adkim),
      Promise.all(answer.records.map((record) => this.#hasKey(record))),
    ])
    const hasRecords = found.includes(false) ? false : found.includes(undefined) ? undefined : true
    return { state: 'verified', signingDomain, isAligned, hasRecords, returnPath, detail }
  }

  async #findReturnPath(
    domain: string | null,
    include: string | undefined,
    dmarc: DmarcFacts,
  ): Promise<ReturnPathFacts | null> {
    if (domain === null) return null
    const [isAligned, spf] = await Promise.all([
      this.#isAligned(domain, dmarc, dmarc.aspf),
      include === undefined ? undefined : checkSpf(this.#check, domain, { include }),
    ])
    return { domain, isAligned, passes: spf?.state === 'passes' }
  }

  /** Whether DNS has the key of a record that a provider asked for; undefined: DNS failed. */
  async #hasKey({ type, name, value }: DomainRecord): Promise<boolean | undefined> {
    const [selector = '', domain] = name.split('._domainkey.')
    if (domain === undefined) return true
    const found = await findDkimKey(this.#check, selector, domain)
    if (found.state === 'failed') return undefined
    if (found.state !== 'found') return false
    if (type === 'CNAME')
      return value === '' || (await this.#findAliases(name)).includes(asciiName(value))
    const key = parseDkimKey(value)
    // The API may tell no key.
    return 'problem' in key || key.key === found.key
  }

  async #lookUpSelectors(
    { domains, accountDomain }: SendingLeaf,
    dmarc: DmarcFacts,
  ): Promise<NameFacts[]> {
    if (domains === null) return []
    const candidates = parentsOf(accountDomain ?? this.#from, dmarc)
    const found = candidates.flatMap((domain) =>
      domains.selectors.map(({ name, target }) => this.#lookUpSelector(name, domain, target)),
    )
    return Promise.all(found)
  }

  async #lookUpSelector(
    selector: string,
    domain: string,
    target: RegExp | undefined,
  ): Promise<NameFacts> {
    const name = `${selector}._domainkey.${domain}`
    const found = await findDkimKey(this.#check, selector, domain)
    if (found.state === 'failed') return { name, domain, state: 'failed', detail: found.problem }
    if (found.state === 'absent') return { name, domain, state: 'absent', detail: '' }
    if (found.state === 'invalid') return { name, domain, state: 'other', detail: found.problem }
    if (target === undefined) {
      return { name, domain, state: 'set', detail: 'it has a valid key.' }
    }
    const aliases = await this.#findAliases(name)
    const alias = aliases.find((each) => target.test(each))
    if (alias !== undefined) return { name, domain, state: 'set', detail: `CNAME ${alias}.` }
    const instead = aliases[0] === undefined ? 'a TXT record' : `CNAME ${aliases[0]}`
    return { name, domain, state: 'other', detail: `${instead}, which is not the provider's.` }
  }

  async #findAliases(name: string): Promise<readonly string[]> {
    const answer = await this.#check.lookUp(name, 'CNAME')
    return answer.state === 'found' ? answer.records : []
  }

  async #lookUpReturnPaths({ domains, accountDomain }: SendingLeaf): Promise<NameFacts[]> {
    const envelope = domains?.spf.envelope
    if (envelope?.type !== 'custom') return []
    const domain = accountDomain ?? this.#from
    return Promise.all(
      envelope.records.map(async (record): Promise<NameFacts> => {
        const name = `${record.name}.${domain}`
        const answer = await this.#check.lookUp(name, record.type)
        if (answer.state === 'failed') {
          return { name, domain, state: 'failed', detail: answer.problem }
        }
        const values = answer.state === 'found' ? answer.records : []
        const value = values.find((each) => record.target.test(each))
        if (value !== undefined) {
          return { name, domain, state: 'set', detail: `${record.type} ${value}.` }
        }
        const [other] = values
        return other === undefined
          ? { name, domain, state: 'absent', detail: '' }
          : { name, domain, state: 'other', detail: `${record.type} ${other}.` }
      }),
    )
  }

  async #checkSpf(
    { kind, host }: SendingLeaf,
    envelopeDomain: string,
    rules: ProviderRules | undefined,
  ): Promise<SpfFacts | undefined> {
    if (rules !== undefined) {
      const [include] = rules.includes
      return include === undefined ? undefined : this.#evaluateSpf(envelopeDomain, { include })
    }
    if (kind !== 'smtp' || host === null) return undefined
    const addresses = await this.#findAddresses(host)
    if (addresses.length === 0) return undefined
    return this.#evaluateSpf(envelopeDomain, { addresses })
  }

  async #evaluateSpf(domain: string, senders: SpfSenders): Promise<SpfFacts> {
    const { state, record, isInvalid, detail } = await checkSpf(this.#check, domain, senders)
    return { state, record, detail, isValid: !isInvalid }
  }

  async #findAddresses(host: string): Promise<string[]> {
    if (isIP(host) !== 0) return [host]
    const answers = await Promise.all(
      (['A', 'AAAA'] as const).map((type) => this.#check.lookUp(host, type)),
    )
    return answers.flatMap((answer) => (answer.state === 'found' ? [...answer.records] : []))
  }
}

function asciiName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '')
}

/** A stored DSN that cannot be read any more has none. */
function readLeaves(dsn: string): SendingLeaf[] {
  try {
    return listSendingLeaves(dsn)
  } catch (error) {
    if (error instanceof DsnError) return []
    throw error
  }
}

/** Returns a domain and, for relaxed alignment, its parents up to the organizational domain. */
function parentsOf(domain: string, { adkim, organizationalDomain }: DmarcFacts): string[] {
  const top = organizationalDomain
  if (adkim === 's' || top === null || !domain.endsWith(`.${top}`)) return [domain]
  const labels = domain.slice(0, -top.length - 1).split('.')
  const all = [...labels.keys()].map((at) => `${labels.slice(at).join('.')}.${top}`)
  return [...all, top].slice(0, candidatesMax)
}

function whyUnsigned({ kind, signsDkim }: SendingLeaf, isPublicOnly: boolean): string | null {
  if (kind === 'api') return 'an API builds the message.'
  if (kind !== 'smtp') return 'they are not sent over SMTP.'
  if (!signsDkim) return 'its DSN has dkim=off.'
  return isPublicOnly ? 'its DSN was written by a caller of a Mautic.' : null
}

function rulesOf(
  { title, label }: SendingLeaf,
  domains: NonNullable<SendingLeaf['domains']>,
  from: string,
): ProviderRules {
  const { spf, isComplete, refusesOthers, link } = domains
  return {
    title: title ?? label,
    isComplete,
    refusesOthers,
    includes: spf.includes,
    envelope: spf.envelope.type,
    isEnvelopeComplete: spf.envelope.type === 'custom' && spf.envelope.isComplete,
    link,
    setUp: domains.setUp(from).map(({ type, name, value }) => ({ type, name, value })),
  }
}

function dmarcFacts(result: DmarcResult): DmarcFacts {
  const none = { record: null, foundAt: null, policy: null, adkim: 'r', aspf: 'r' } as const
  if (result.state === 'failed') {
    const problems = [result.problem]
    return { state: 'failed', organizationalDomain: null, ...none, problems }
  }
  const { organizationalDomain, problems } = result
  if (result.state === 'absent') return { state: 'absent', organizationalDomain, ...none, problems }
  const { record, foundAt, appliedPolicy, adkim, aspf } = result
  return {
    state: 'found',
    record,
    foundAt: `_dmarc.${foundAt}`,
    organizationalDomain,
    policy: appliedPolicy,
    adkim,
    aspf,
    problems,
  }
}
