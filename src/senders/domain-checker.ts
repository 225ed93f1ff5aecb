import type { Dns } from '../dns/index.ts'
import { AppError } from '../kit/app-error.ts'
import { BoundedMemory } from '../kit/bounded-memory.ts'
import type { Clock } from '../kit/clock.ts'
import { SingleFlight } from '../kit/single-flight.ts'
import { WorkQueue } from '../kit/work-queue.ts'
import { asciiDomain } from '../mailer/index.ts'
import type { Storage } from '../storage/index.ts'
import type { AlignmentQuestion, Transports, TransportTables } from '../transports/index.ts'
import { FactCollector, type FactCollectorOptions } from './alignment/collect-facts.ts'
import type { DmarcFacts } from './alignment/facts.ts'
import { judgeMember, judgeTransport, type TransportVerdict } from './alignment/judge.ts'
import type { SenderDmarc } from './schema.ts'
import type { NewCheck, SenderChecks, StoredCheck } from './sender-checks.ts'
import type { SenderDirectory } from './sender-directory.ts'
import { defaultTransportId, type SenderTables } from './table.ts'

/** Dependencies of `DomainChecker`. */
export interface DomainCheckerOptions extends FactCollectorOptions {
  storage: Storage
  clock: Clock
  dns: Dns
  transports: Pick<Transports, 'findRow' | 'findDsn'>
  /** MAILYARD_MAILER_DSN. */
  defaultDsn: string | undefined
  directory: SenderDirectory
  checks: SenderChecks
}

/** What a check found. */
export interface CheckResult {
  dmarc: SenderDmarc
  checks: readonly StoredCheck[]
}

/** Used pairs are checked again after this time. */
export const freshMs = 3_600_000
/** One check takes at most this time, whatever DNS and the providers do. */
export const checkMs = 15_000
/** How long callers share a result. */
const sharedMs = 1_000
const envelopeMs = 30 * 86_400_000

/** Checks From domains with transports: asks DNS and the APIs of providers, and stores the checks of domains that are used. */
export class DomainChecker {
  readonly #options: DomainCheckerOptions
  readonly #running = new SingleFlight<string, CheckResult>()
  /** The checks of the last second: many who ask at once do not ask providers as often. */
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
   * Checks a domain with some transports; concurrent callers share a check.
   *
   * @param options.owner Whose turn it is; undefined for a caller that limits its checks itself.
   * @param options.isFresh Whether a check of the last second may be answered.
   * @throws AppError (`rate_limited`) if too many checks of this owner wait.
   */
  async check(
    domain: string,
    transportIds: readonly number[],
    { owner, isFresh }: { owner: string | undefined; isFresh: boolean },
  ): Promise<CheckResult> {
    const revisions = await this.#readRevisions(transportIds)
    const key = JSON.stringify([domain, isFresh, this.#changes, revisions])
    const recent = isFresh ? this.#recent.get(key) : undefined
    if (recent !== undefined) return recent
    return this.#running.run(key, async () => {
      const check = () => this.#check(domain, transportIds)
      const result = await (owner === undefined ? check() : this.#queue.run(owner, check))
      this.#recent.set(key, result)
      return result
    })
  }

  /**
   * Checks the sender of a test message, with a DSN that may not be saved; stores nothing. It takes 15 s at most. Undefined: the domain is
   * not valid, nothing is sent to a server, or the caller has too many checks running.
   */
  async checkTest(
    { domain: text, dsn, isPublicOnly, signal }: AlignmentQuestion,
    owner: string,
  ): Promise<(TransportVerdict & { domain: string }) | undefined> {
    const domain = asciiDomain(text)
    if (domain === undefined) return undefined
    const check = async () => {
      const facts = await this.#collector(domain, signal).collect({
        dsn,
        isPublicOnly,
        otherEnvelope: null,
      })
      if (facts.every(({ kind }) => kind === 'null' || kind === 'inbox')) return undefined
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

  /** Reads what changes with each change of transports. */
  async #readRevisions(ids: readonly number[]): Promise<unknown> {
    const query = this.#options.storage
      .tables<TransportTables>()
      .selectFrom('transports')
      .select(['id', 'revision'])
      .where('id', 'in', [...ids, defaultTransportId])
      .orderBy('id')
    const rows = await query.execute()
    return [ids.includes(defaultTransportId), rows.map(({ id, revision }) => [id, revision])]
  }

  async #check(domain: string, transportIds: readonly number[]): Promise<CheckResult> {
    const { clock, directory, checks } = this.#options
    const changes = this.#changes
    const collector = this.#collector(domain)
    const envelopes = await this.#findEnvelopes(domain)
    const [dmarc, verdicts] = await Promise.all([
      collector.findDmarc().then(presentDmarc),
      Promise.all(
        transportIds.map(async (id) => {
          const transport = await this.#openTransport(id)
          const facts = await collector.collect({
            dsn: transport?.dsn,
            isPublicOnly: transport?.isPublicOnly ?? false,
            otherEnvelope: envelopes.get(id) ?? null,
          })
          const verdict = judgeTransport(facts.map(judgeMember))
          return { revision: transport?.revision, transportId: id, verdict }
        }),
      ),
    ])
    const checkedAt = clock.now()
    const freshUntil = checkedAt + freshMs
    const newChecks = verdicts.map(({ revision, transportId, verdict }): NewCheck => {
      return { revision, check: { transportId, dmarc, checkedAt, freshUntil, ...verdict } }
    })
    // A key may have changed meanwhile; and a domain that nothing uses would take the place of others.
    const isUsed = (await directory.find(domain, undefined)) !== undefined
    if (isUsed && changes === this.#changes) await checks.save(domain, newChecks)
    return { dmarc, checks: newChecks.map(({ check }) => check) }
  }

  #collector(domain: string, signal?: AbortSignal): FactCollector {
    const { dns } = this.#options
    const ends = [this.#stopping.signal, AbortSignal.timeout(checkMs), ...(signal ? [signal] : [])]
    const end = AbortSignal.any(ends)
    const check = dns.check(end)
    return new FactCollector(domain, { check, signal: end }, this.#options)
  }

  async #openTransport(
    id: number,
  ): Promise<
    { dsn: string | undefined; isPublicOnly: boolean; revision: number | undefined } | undefined
  > {
    const { transports, defaultDsn } = this.#options
    if (id === defaultTransportId)
      return { dsn: defaultDsn, isPublicOnly: false, revision: undefined }
    const row = await transports.findRow(id)
    if (row === undefined) return undefined
    const { revision } = row
    return {
      dsn: await transports.findDsn(row),
      isPublicOnly: Boolean(row.is_public_only),
      revision,
    }
  }

  /** Finds other envelope domains that messages of a domain were sent with, by transport. */
  async #findEnvelopes(domain: string): Promise<Map<number, string>> {
    const { storage, clock } = this.#options
    const rows = await storage
      .tables<SenderTables>()
      .selectFrom('sender_uses')
      .select(['transport_id', 'other_envelope'])
      .where('domain', '=', domain)
      .where('other_envelope_at', '>', clock.now() - envelopeMs)
      .execute()
    return new Map(
      rows.flatMap(({ transport_id: id, other_envelope: other }) =>
        other === null ? [] : [[id, other] as const],
      ),
    )
  }
}

function presentDmarc(facts: DmarcFacts): SenderDmarc {
  const { state, record, foundAt, organizationalDomain, policy, problems } = facts
  const modeOf = (mode: 'r' | 's') => (mode === 's' ? 'strict' : 'relaxed')
  const isFound = state === 'found'
  return {
    state,
    record,
    foundAt,
    organizationalDomain,
    policy,
    adkim: isFound ? modeOf(facts.adkim) : null,
    aspf: isFound ? modeOf(facts.aspf) : null,
    problems: [...problems],
  }
}
