import { isIP } from 'node:net'
import {
  areAligned,
  checkSpf,
  type DmarcResult,
  type DnsCheck,
  findDkimKey,
  findDmarc,
  type SpfResult,
} from '../../../libraries/dns/index.ts'
import {
  DsnError,
  listSendingLeaves,
  type ProviderSelector,
  type ReturnPathRecord,
  type SendingLeaf,
} from '../../../libraries/mailer/index.ts'
import type { DomainKey, KeySender } from '../dkim/key-checker.ts'

/** What DNS has at a name that a provider uses. */
export interface NameFacts {
  /** The whole name, `s1._domainkey.brand.example`. */
  name: string
  /** `set`: what the provider asks for. `other`: something else, or nothing. */
  state: 'set' | 'other' | 'failed'
}

/** Everything that is known of one From domain and one server or API of a DSN. */
export interface MemberFacts {
  from: string
  dmarc: DmarcResult
  leaf: SendingLeaf
  /** Why Mailyard does not sign messages through it; null if it does where it has a key. */
  unsigned: string | null
  /** The key for the messages of `brand`; undefined: Mailyard has none. */
  ownKey: DomainKey | undefined
  /** Whose messages the facts are about. */
  brand: number
  /** The domain that the provider signs for, and that the envelope sender has. */
  signer: string
  /** Whether it is aligned; undefined: DNS failed, or only a parent of it could be. */
  isSignerAligned: boolean | undefined
  /** The provider's selectors and return paths. */
  names: readonly NameFacts[]
  /** SPF of that domain for the provider's include, or the addresses of the server. Undefined: it does not count. */
  spf: SpfResult | undefined
  /** Another envelope domain that messages of this domain were sent with. */
  otherEnvelope: string | null
}

/** A transport for which the facts are collected. */
export interface TransportToCheck {
  /** In clear; undefined: it cannot be decrypted. */
  dsn: string | undefined
  /** Whether a caller of a Mautic wrote the DSN: its messages are not signed. */
  isPublicOnly: boolean
  /** The brand whose messages are sent through it. */
  brand: number
  /** See `MemberFacts`. */
  otherEnvelope: string | null
}

/** Finds Mailyard's key for a domain and who submits its messages, and looks its record up. */
export type FindOwnKey = (sender: KeySender, check: DnsCheck) => Promise<DomainKey | undefined>

/** How many parents of the From domain a provider may sign for. */
const candidatesMax = 8

/** Collects what DNS says of one From domain. Everything is asked once, whichever transports need it. */
export class FactCollector {
  readonly #from: string
  readonly #check: DnsCheck
  /** The DMARC record of the From domain. */
  readonly dmarc: Promise<DmarcResult>
  readonly #findOwnKey: FindOwnKey
  readonly #ownKeys = new Map<number, Promise<DomainKey | undefined>>()

  constructor(from: string, check: DnsCheck, findOwnKey: FindOwnKey) {
    this.#from = from
    this.#check = check
    this.dmarc = findDmarc(check, from)
    this.#findOwnKey = findOwnKey
  }

  /** Collects the facts of each server and API of a transport; none where its DSN cannot be read. */
  async collect(transport: TransportToCheck): Promise<MemberFacts[]> {
    const leaves = transport.dsn === undefined ? [] : readLeaves(transport.dsn)
    return Promise.all(leaves.map((leaf) => this.#collectLeaf(leaf, transport)))
  }

  async #collectLeaf(
    leaf: SendingLeaf,
    { isPublicOnly, brand, otherEnvelope }: TransportToCheck,
  ): Promise<MemberFacts> {
    const from = this.#from
    const signer = leaf.accountDomain ?? from
    const [dmarc, ownKey, isSignerAligned, names, spf] = await Promise.all([
      this.dmarc,
      this.#findKey(brand),
      this.#isSignerAligned(signer),
      this.#lookUpNames(leaf, signer),
      this.#checkSpf(leaf, signer),
    ])
    return {
      from,
      dmarc,
      leaf,
      unsigned: whyUnsigned(leaf, isPublicOnly),
      brand,
      ownKey,
      signer,
      isSignerAligned,
      names,
      spf,
      otherEnvelope,
    }
  }

  #findKey(brand: number): Promise<DomainKey | undefined> {
    const known = this.#ownKeys.get(brand)
    if (known !== undefined) return known
    const sender = { domain: this.#from, brand }
    const key = this.#findOwnKey(sender, this.#check)
    this.#ownKeys.set(brand, key)
    return key
  }

  async #isAligned(domain: string, method: 'adkim' | 'aspf'): Promise<boolean | undefined> {
    // Equal domains are aligned in both modes.
    if (domain === this.#from) return true
    const dmarc = await this.dmarc
    if (dmarc.state === 'failed') return undefined
    const mode = dmarc.state === 'found' ? dmarc[method] : 'r'
    return areAligned(this.#check, domain, this.#from, mode)
  }

  /** Undefined also where only a parent of the signer could be aligned: an account may sign for the parent of its domain. */
  async #isSignerAligned(signer: string): Promise<boolean | undefined> {
    const isAligned = await this.#isAligned(signer, 'adkim')
    return isAligned === false && signer.endsWith(`.${this.#from}`) ? undefined : isAligned
  }

  async #lookUpNames({ domains }: SendingLeaf, signer: string): Promise<NameFacts[]> {
    const { selectors = [], returnPaths = [] } = domains ?? {}
    if (selectors.length + returnPaths.length === 0) return []
    const dmarc = await this.dmarc
    const candidates = parentsOf(signer, dmarc)
    const isStrict = dmarc.state === 'found' && dmarc.aspf === 's'
    return Promise.all([
      ...candidates.flatMap((domain) =>
        selectors.map((selector) => this.#lookUpSelector(selector, domain)),
      ),
      ...(isStrict
        ? []
        : returnPaths.map((record) => this.#lookUpTarget(`${record.name}.${this.#from}`, record))),
    ])
  }

  async #lookUpSelector(selector: ProviderSelector, domain: string): Promise<NameFacts> {
    const name = `${selector.name}._domainkey.${domain}`
    const { target } = selector
    if (target !== undefined) return this.#lookUpTarget(name, { type: 'CNAME', target })
    const { state } = await findDkimKey(this.#check, selector.name, domain)
    return { name, state: state === 'found' ? 'set' : state === 'failed' ? state : 'other' }
  }

  async #lookUpTarget(
    name: string,
    { type, target }: Pick<ReturnPathRecord, 'type' | 'target'>,
  ): Promise<NameFacts> {
    const answer = await this.#check.lookUp(name, type)
    if (answer.state === 'failed') return { name, state: 'failed' }
    const isSet = answer.state === 'found' && answer.records.some((each) => target.test(each))
    return { name, state: isSet ? 'set' : 'other' }
  }

  async #checkSpf(
    { kind, host, domains }: SendingLeaf,
    domain: string,
  ): Promise<SpfResult | undefined> {
    const isAligned = await this.#isAligned(domain, 'aspf')
    if (isAligned !== true) return undefined
    const include = domains?.include
    if (include !== undefined) return checkSpf(this.#check, domain, { include })
    if (domains !== null || kind !== 'smtp' || host === null) return undefined
    return checkSpf(this.#check, domain, { addresses: await this.#findAddresses(host) })
  }

  /** Finds all addresses of a host; none where one look-up has failed. */
  async #findAddresses(host: string): Promise<string[]> {
    if (isIP(host) !== 0) return [host]
    const types = ['A', 'AAAA'] as const
    const answers = await Promise.all(types.map((type) => this.#check.lookUp(host, type)))
    if (answers.some(({ state }) => state === 'failed')) return []
    return answers.flatMap((answer) => (answer.state === 'found' ? answer.records : []))
  }
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
function parentsOf(domain: string, dmarc: DmarcResult): string[] {
  const top = dmarc.state === 'failed' ? domain : dmarc.organizationalDomain
  const isStrict = dmarc.state === 'found' && dmarc.adkim === 's'
  if (isStrict || !domain.endsWith(`.${top}`)) return [domain]
  const labels = domain.slice(0, -top.length - 1).split('.')
  const all = labels.map((_, at) => `${labels.slice(at).join('.')}.${top}`)
  return [...all, top].slice(0, candidatesMax)
}

function whyUnsigned({ kind, signsDkim }: SendingLeaf, isPublicOnly: boolean): string | null {
  if (kind !== 'smtp') return 'they are not sent over SMTP'
  if (!signsDkim) return 'its DSN has dkim=off'
  return isPublicOnly ? 'its DSN was written by a caller of a Mautic' : null
}

/** What a sentence calls a server. */
export function serverOf({ kind, host, label, title }: SendingLeaf): string {
  return title ?? (kind === 'command' ? 'the mail command' : (host ?? label))
}
