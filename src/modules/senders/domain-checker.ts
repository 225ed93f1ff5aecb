import type { AlignmentQuestion, Transports } from '../../core/transports/index.ts'
import { AppError } from '../../kit/app-error.ts'
import { BoundedMemory } from '../../kit/bounded-memory.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Log } from '../../kit/log.ts'
import { Semaphore } from '../../kit/semaphore.ts'
import { SingleFlight } from '../../kit/single-flight.ts'
import { WorkQueue } from '../../kit/work-queue.ts'
import type { DmarcResult, Dns } from '../../libraries/dns/index.ts'
import { asciiDomain } from '../../libraries/mailer/index.ts'
import type { Storage } from '../../platform/storage/index.ts'
import { FactCollector, type FindOwnKey } from './alignment/collect-facts.ts'
import { judgeMember, judgeTransport, type TransportVerdict } from './alignment/judge.ts'
import type { SenderDmarc } from './schema.ts'
import { type NewCheck, pairKey, type SenderChecks, type StoredCheck } from './sender-checks.ts'
import { brandsThrough, type SenderDirectory } from './sender-directory.ts'
import { defaultTransportId, type SenderTables } from './table.ts'

export interface DomainCheckerOptions {
  storage: Storage
  clock: Clock
  log: Log
  dns: Dns
  transports: Pick<Transports, 'findRow' | 'findDsn'>
  /** MAILYARD_MAILER_DSN. */
  defaultDsn: string | undefined
  findOwnKey: FindOwnKey
  directory: SenderDirectory
  checks: SenderChecks
}

/** What a check found. */
export interface CheckResult {
  dmarc: SenderDmarc
  checks: readonly StoredCheck[]
}

/** A transport that is checked, for the messages of these brands. */
export interface CheckedTransport {
  id: number
  brands: readonly number[]
}

interface OpenTransport extends CheckedTransport {
  dsn: string | undefined
  isPublicOnly: boolean
  /** Undefined for the default, and one that is deleted. */
  revision: number | undefined
}

/** One check takes at most this time, whatever DNS does. */
export const checkMs = 15_000
/** How long callers share a result. */
const sharedMs = 1_000
export const dayMs = 86_400_000
const envelopeMs = 30 * dayMs
/** How many domains one daily check takes: 3,600 a day. */
const dueDomainsMax = 25
/** How many at a time: a silent DNS costs 15 s for each, and callers need look-ups of the process, too. */
const dueAtOnceMax = 2
/** How many transports of a domain are checked. */
export const transportsMax = 100

/** Checks From domains with transports: asks DNS, and stores the checks of domains that are used. */
export class DomainChecker {
  readonly #options: DomainCheckerOptions
  readonly #running = new SingleFlight<string, CheckResult>()
  /** The checks of the last second: many who ask at once do not ask DNS as often. */
  readonly #recent: BoundedMemory<string, CheckResult>
  readonly #queue = new WorkQueue({ runningMax: 2, waitingMax: 20, totalMax: 8 })
  readonly #stopping = new AbortController()
  /** Counts the changes of keys: a check that began before one is neither stored nor shared. */
  #changes = 0

  constructor(options: DomainCheckerOptions) {
    this.#options = options
    const expiry = { keepMs: sharedMs, clock: options.clock }
    this.#recent = new BoundedMemory({ sizeMax: 100, expiry })
  }

  /** Ends the checks that run. */
  stop(): void {
    this.#stopping.abort()
  }

  /**
   * Checks a domain with some transports; callers at the same time share a check.
   *
   * @param options.owner Whose turn it is; undefined for a caller that limits its checks itself.
   * @param options.isAgain Whether a check of the last second may be answered.
   * @throws AppError (`rate_limited`) if too many checks of this owner wait.
   */
  async check(
    domain: string,
    checked: readonly CheckedTransport[],
    { owner, isAgain = false }: { owner: string | undefined; isAgain?: boolean },
  ): Promise<CheckResult> {
    const transports = await Promise.all(checked.map((each) => this.#openTransport(each)))
    const opened = transports.map(({ id, brands, revision }) => [id, brands, revision])
    const key = JSON.stringify([domain, this.#changes, opened])
    const recent = isAgain ? this.#recent.get(key) : undefined
    if (recent !== undefined) return recent
    return this.#running.run(key, async () => {
      const check = () => this.#check(domain, transports)
      const result = await (owner === undefined ? check() : this.#queue.run(owner, check))
      if (isAgain) this.#recent.set(key, result)
      return result
    })
  }

  /** Checks domains that are in use and were not checked for a day, a few of them. */
  async checkDue(signal: AbortSignal): Promise<void> {
    const { directory, checks, clock, log } = this.#options
    const before = clock.now() - dayMs
    const times = await checks.listTimes()
    const due = (await directory.list('all')).flatMap((sender) => {
      const { domain } = sender
      const timeOf = (id: number, brand: number) => times.get(pairKey(domain, id, brand)) ?? 0
      const all = [...sender.transports.values()].slice(0, transportsMax)
      const transports = all
        .map((row) => ({ id: row.id, brands: brandsThrough(sender, row) }))
        .filter(({ id, brands }) => brands.some((brand) => timeOf(id, brand) <= before))
      // In any order: domains whose checks fail do not take the turns of others, and processes rarely check the same.
      return transports.length > 0 ? [{ domain, transports, place: Math.random() }] : []
    })
    const chosen = due.sort((one, other) => one.place - other.place).slice(0, dueDomainsMax)
    const semaphore = new Semaphore({ permits: dueAtOnceMax })
    const checking = chosen.map(({ domain, transports }) =>
      semaphore.run(async () => {
        if (signal.aborted) return
        // One domain does not keep the others from being checked.
        const failed = (err: unknown) => log.error({ domain, err }, 'from domain not checked')
        await this.check(domain, transports, { owner: undefined }).catch(failed)
      }),
    )
    await Promise.all(checking)
    await checks.prune()
  }

  /**
   * Checks the sender of a test message, with a DSN that may not be saved; stores nothing. It takes 15 s at most. Undefined: the domain is
   * not valid, nothing is sent to a server, or the caller has too many checks running.
   */
  async checkTest(
    { domain: text, dsn, isPublicOnly, brand, signal }: AlignmentQuestion,
    owner: string,
  ): Promise<(TransportVerdict & { domain: string }) | undefined> {
    const domain = asciiDomain(text)
    if (domain === undefined) return undefined
    const check = async () => {
      const collector = this.#collector(domain, signal)
      const facts = await collector.collect({ dsn, isPublicOnly, brand, otherEnvelope: null })
      if (facts.every(({ leaf: { kind } }) => kind === 'null' || kind === 'inbox')) return undefined
      return { domain, ...judgeTransport(facts.map(judgeMember)) }
    }
    try {
      return await this.#queue.run(owner, check)
    } catch (error) {
      if (error instanceof AppError) return undefined
      throw error
    }
  }

  /** Deletes the stored checks of domains whose keys have changed: the next question checks again. */
  async forget(domains: readonly string[]): Promise<void> {
    this.#changes += 1
    for (const domain of domains) await this.#options.checks.forget(domain)
  }

  async #check(domain: string, transports: readonly OpenTransport[]): Promise<CheckResult> {
    const { clock, directory, checks } = this.#options
    const changes = this.#changes
    const collector = this.#collector(domain)
    const envelopes = await this.#findEnvelopes(domain)
    const dmarc = presentDmarc(await collector.dmarc)
    const pairs = transports.flatMap(({ brands, ...each }) =>
      brands.map((brand) => ({ ...each, brand })),
    )
    const newChecks = await Promise.all(
      pairs.map(async ({ id, brand, dsn, isPublicOnly, revision }): Promise<NewCheck> => {
        const otherEnvelope = envelopes.get(pairKey(domain, id, brand)) ?? null
        const facts = await collector.collect({ dsn, isPublicOnly, brand, otherEnvelope })
        const verdict = judgeTransport(facts.map(judgeMember))
        const checkedAt = clock.now()
        return { revision, check: { domain, transportId: id, brand, dmarc, checkedAt, ...verdict } }
      }),
    )
    // A key may have changed meanwhile; and a domain that nothing uses would take the place of others.
    const isUsed = (await directory.find(domain, 'all')) !== undefined
    if (isUsed && changes === this.#changes) await checks.save(newChecks)
    return { dmarc, checks: newChecks.map(({ check }) => check) }
  }

  #collector(domain: string, signal?: AbortSignal): FactCollector {
    const { dns, findOwnKey } = this.#options
    const ends = [this.#stopping.signal, AbortSignal.timeout(checkMs)]
    if (signal !== undefined) ends.push(signal)
    return new FactCollector(domain, dns.check(AbortSignal.any(ends)), findOwnKey)
  }

  async #openTransport({ id, brands }: CheckedTransport): Promise<OpenTransport> {
    const { transports, defaultDsn } = this.#options
    const none = { id, brands, dsn: undefined, isPublicOnly: false, revision: undefined }
    if (id === defaultTransportId) return { ...none, dsn: defaultDsn }
    const row = await transports.findRow(id)
    if (row === undefined) return none
    const { revision, is_public_only: isPublicOnly } = row
    const dsn = await transports.findDsn(row)
    return { id, brands, dsn, isPublicOnly: Boolean(isPublicOnly), revision }
  }

  /** Finds other envelope domains that messages of a domain were sent with, by `pairKey`. */
  async #findEnvelopes(domain: string): Promise<Map<string, string>> {
    const { storage, clock } = this.#options
    const rows = await storage
      .tables<SenderTables>()
      .selectFrom('sender_uses')
      .select(['transport_id', 'brand_id', 'other_envelope'])
      .where('domain', '=', domain)
      .where('other_envelope_at', '>', clock.now() - envelopeMs)
      .execute()
    return new Map(
      rows.flatMap(({ transport_id: id, brand_id: brand, other_envelope: envelope }) =>
        envelope === null ? [] : [[pairKey(domain, id, brand), envelope] as const],
      ),
    )
  }
}

/** What is known of the DMARC record of a domain where DNS was not asked. */
export const unknownDmarc: SenderDmarc = {
  state: 'failed',
  record: null,
  foundAt: null,
  organizationalDomain: null,
  policy: null,
  adkim: null,
  aspf: null,
  problems: [],
}

function presentDmarc(result: DmarcResult): SenderDmarc {
  if (result.state === 'failed') return { ...unknownDmarc, problems: [result.problem] }
  const { state, organizationalDomain, problems } = result
  if (state === 'absent') return { ...unknownDmarc, state, organizationalDomain, problems }
  const { record, foundAt, policy, adkim, aspf } = result
  return {
    state,
    record,
    foundAt: `_dmarc.${foundAt}`,
    organizationalDomain,
    policy,
    adkim: adkim === 's' ? 'strict' : 'relaxed',
    aspf: aspf === 's' ? 'strict' : 'relaxed',
    problems,
  }
}
