import { createHmac } from 'node:crypto'
import { asciiDomain, type Dns } from '../dns/index.ts'
import { AppError } from '../kit/app-error.ts'
import { BoundedMemory } from '../kit/bounded-memory.ts'
import { type Caller, callerKey } from '../kit/caller.ts'
import type { Clock } from '../kit/clock.ts'
import { formatOptionalDate } from '../kit/iso-date.ts'
import type { Log } from '../kit/log.ts'
import { oneLine } from '../kit/one-line.ts'
import { Periodic } from '../kit/periodic.ts'
import { SingleFlight } from '../kit/single-flight.ts'
import { within } from '../kit/within.ts'
import { WorkQueue } from '../kit/work-queue.ts'
import { type Keyring, openSigningKey, type Storage } from '../storage/index.ts'
import type { AlignmentQuestion, Transports, TransportTables } from '../transports/index.ts'
import { FactCollector, type FactCollectorOptions } from './alignment/collect-facts.ts'
import type { DmarcFacts } from './alignment/facts.ts'
import { judgeMember, judgeTransport, type TransportVerdict } from './alignment/judge.ts'
import { listSenders, worstFirst, worstOf } from './listed-senders.ts'
import { MessageVerifier } from './proofs/message-verifier.ts'
import { presentProof, SenderProofs, type StoredProof } from './proofs/sender-proofs.ts'
import type {
  SenderDmarc,
  SenderItem,
  SenderList,
  SenderTransport,
  Verdict,
  VerifiedMessage,
} from './schema.ts'
import { type NewCheck, pairKey, SenderChecks, type StoredCheck } from './sender-checks.ts'
import {
  type KnownSender,
  SenderDirectory,
  type SenderDirectoryOptions,
  type SenderTransportRow,
} from './sender-directory.ts'
import { type SenderUse, SenderUses } from './sender-uses.ts'
import { defaultTransportId, type SenderTables } from './table.ts'
import { TestMarks, testMarkHeader } from './test-marks.ts'
import {
  findMoved,
  listUnaligned,
  type MovedQuestion,
  type MovedSender,
  type UnalignedSender,
} from './unaligned.ts'

/** A page of the list of senders. */
export interface SenderQuery {
  search: string | undefined
  /** Only domains that are sent through it; see `defaultTransportId`. */
  transport?: number | undefined
  /** Only domains whose worst transport has it. */
  verdict?: Verdict | undefined
  start: number
  limit: number
}

/** Dependencies of `Senders`. */
export interface SendersOptions extends SenderDirectoryOptions, FactCollectorOptions {
  storage: Storage
  keyring: Keyring
  clock: Clock
  log: Log
  dns: Dns
  /** Where expensive work takes turns. */
  work: WorkQueue
  transports: Pick<Transports, 'getRow' | 'findRow' | 'findDsn'>
  /** How often the checks of used domains are looked through. Default: a minute. */
  renewEveryMs?: number
}

/** How long callers share a result. */
const sharedMs = 1_000
/** Used pairs are checked again after this time, and no check is kept for longer. */
const freshMs = 3_600_000
/** A check is kept for this time at least: DNS may have failed, or its answers end at once. */
const freshMsMin = 60_000
/** One check takes at most this time, whatever DNS and the providers do. */
const checkMs = 15_000
/** How many transports one request checks. */
const transportsMax = 100
/** How many published transports a domain is checked with that nothing uses. */
const suggestedMax = 20
const renewMs = 60_000
/** How many domains one run renews. */
const renewedMax = 20
/** How many domains a fire drill checks. */
const movedMax = 20
/** A fire drill checks a pair again after this time. */
const movedMs = 2 * freshMs
const drillOwner = 'fire drill'
const renewalOwner = 'renewal of sender checks'

/** The From domains, and whether receivers will believe them through the transports that send them. */
export class Senders {
  readonly #options: SendersOptions
  readonly #directory: SenderDirectory
  readonly #checks: SenderChecks
  readonly #proofs: SenderProofs
  readonly #running = new SingleFlight<string, CheckResult>()
  /** The checks of the last second: many who ask at once do not ask providers as often. */
  readonly #recent: BoundedMemory<string, CheckResult>
  readonly #verifier: MessageVerifier
  readonly #checking = new WorkQueue({ runningMax: 2, waitingMax: 20, totalMax: 8 })
  readonly #renewal: Periodic
  readonly #stopping = new AbortController()
  #defaultKey: Promise<string | null> | undefined
  #marks: Promise<TestMarks> | undefined
  /** Counts the changes of keys and proofs: a check that began before one is not stored. */
  #changes = 0
  readonly uses: SenderUses

  constructor(options: SendersOptions) {
    this.#options = options
    const { storage, clock, log } = options
    this.#recent = new BoundedMemory({ sizeMax: 100, expiry: { keepMs: sharedMs, clock } })
    const defaultKey = () => this.#readDefaultKey()
    this.#directory = new SenderDirectory(options)
    this.#checks = new SenderChecks(storage, defaultKey)
    this.#proofs = new SenderProofs(storage, defaultKey)
    this.uses = new SenderUses({ storage, clock, log })
    this.#verifier = new MessageVerifier({
      storage,
      clock,
      dns: options.dns,
      work: options.work,
      transports: options.transports,
      defaultDsn: options.defaultDsn,
      proofs: this.#proofs,
      marks: () => this.#openMarks(),
      flushUses: () => this.uses.flush(),
      onProof: (domain, transportId) => this.#recheck(domain, transportId),
      fetch: options.fetch,
      publicFetch: options.publicFetch,
      findOwnKey: options.findOwnKey,
      now: options.now,
    })
    this.#renewal = new Periodic({
      task: (signal) => this.#renew(signal),
      intervalMs: options.renewEveryMs ?? renewMs,
      log,
      events: { failed: 'from domains not checked', recovered: 'from domains checked again' },
    })
  }

  start(): void {
    this.uses.start()
    this.#renewal.start()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#renewal.stop()
    await this.uses.stop()
  }

  /** Checks used domains again whose check is an hour old; see `#renew`. */
  renew(): Promise<void> {
    return this.#renewal.run()
  }

  /** Notes an attempt to send a message; see `SenderUses`. */
  note(use: SenderUse): void {
    this.uses.note(use)
  }

  /** Lists the From domains that the caller sees, what is not aligned first. It looks nothing up. */
  async list(query: SenderQuery, caller: Caller): Promise<SenderList> {
    const { search, transport, verdict, start, limit } = query
    const all = await this.#directory.list(caller.mautic?.id)
    const part = search === undefined ? undefined : (asciiDomain(search) ?? search.toLowerCase())
    const matching = all
      .filter(({ domain }) => part === undefined || domain.includes(part))
      .filter(({ transports }) => transport === undefined || transports.has(transport))
    const summaries = await this.#checks.findSummaries(matching.map(({ domain }) => domain))
    const listed = listSenders(matching, summaries, transport).filter(
      (sender) => verdict === undefined || worstOf(sender) === verdict,
    )
    return { total: listed.length, senders: listed.slice(start, start + limit) }
  }

  /** Returns the checks of a domain of the last hour, and checks it where there are none. */
  get(domain: string, transport: number | undefined, caller: Caller): Promise<SenderItem> {
    return this.#describe(domain, transport, { caller, isFresh: false })
  }

  /** Asks DNS and the APIs of providers again. */
  check(domain: string, transport: number | undefined, caller: Caller): Promise<SenderItem> {
    return this.#describe(domain, transport, { caller, isFresh: true })
  }

  /**
   * Checks the sender of a test message, with a DSN that may not be saved; stores nothing. It takes 15 s at most. Undefined: the domain is
   * not valid, nothing is sent to a server, or the caller has too many checks running.
   */
  async checkTest(
    { domain: text, dsn, transportId, isPublicOnly, signal }: AlignmentQuestion,
    owner: string,
  ): Promise<(TransportVerdict & { domain: string }) | undefined> {
    const domain = asciiDomain(text)
    if (domain === undefined) return undefined
    const check = async () => {
      const stored = transportId === null ? undefined : await this.#openTransport(transportId)
      const proofs =
        stored?.dsn === dsn ? await this.#proofs.find(domain, this.#options.clock.now()) : []
      const facts = await this.#collector(domain, true, signal).collect({
        dsn,
        isPublicOnly,
        otherEnvelope: null,
        proofs: proofs.filter((proof) => proof.transportId === transportId),
      })
      if (facts.every(({ kind }) => kind === 'null' || kind === 'inbox')) return undefined
      return { domain, ...judgeTransport(facts.map(judgeMember)) }
    }
    try {
      return await this.#checking.run(owner, check)
    } catch (error) {
      if (error instanceof AppError) return undefined
      throw error
    }
  }

  /** Returns what creates the header field that says what a test message was sent through. */
  async createTestHeaders({
    domain: text,
    recipient,
    dsn,
    transportId,
  }: Pick<AlignmentQuestion, 'domain' | 'recipient' | 'dsn' | 'transportId'>): Promise<
    (member: string) => Record<string, string>
  > {
    const domain = asciiDomain(text)
    if (domain === undefined || transportId === null) return () => ({})
    const marks = await this.#openMarks()
    const dsnKey = marks.dsnKeyOf(dsn)
    const sentAt = this.#options.clock.now()
    return (member) => ({
      [testMarkHeader]: marks.write({ transportId, member, domain, recipient, dsnKey, sentAt }),
    })
  }

  /** Verifies a message that was received, and keeps the result where Mailyard sent it. */
  verify(message: string, caller: Caller, signal: AbortSignal): Promise<VerifiedMessage> {
    return this.#verifier.verify(message, caller, signal)
  }

  /** Lists the From domains that are not believed through a transport that they are used with, as they were checked last. */
  listUnaligned(): Promise<UnalignedSender[]> {
    return listUnaligned({ directory: this.#directory, checks: this.#checks })
  }

  /** Finds the From domains that would not be believed through what takes over if transports were down. Checks what was not checked yet. */
  async findMoved(question: MovedQuestion): Promise<MovedSender[]> {
    const parts = { directory: this.#directory, checks: this.#checks }
    // Pairs that are not used are not checked again by themselves.
    const oldest = this.#options.clock.now() - movedMs
    const moved = await findMoved(parts, question, oldest)
    const unchecked = moved.filter(({ verdict }) => verdict === null)
    if (unchecked.length === 0) return moved
    const published = await this.#directory.listPublished(undefined)
    const byDomain = Map.groupBy(unchecked, ({ domain }) => domain)
    const checking = [...byDomain].slice(0, movedMax).map(async ([domain, senders]) => {
      const ids = new Set(senders.map(({ transportId }) => transportId))
      const rows = published.filter(({ id }) => ids.has(id)).slice(0, transportsMax)
      if (rows.length > 0) await this.#run(domain, rows, { owner: drillOwner, isFresh: false })
    })
    // What is not finished in time is not checked yet in this answer.
    await within(checkMs, Promise.allSettled(checking))
    return findMoved(parts, question, oldest)
  }

  /** Deletes the stored checks of domains whose keys have changed: the next question checks again. */
  async forget(domains: readonly string[]): Promise<void> {
    this.#changes += 1
    this.#recent.clear()
    for (const domain of domains) await this.#checks.forget(domain)
  }

  async #describe(
    text: string,
    transport: number | undefined,
    { caller, isFresh }: { caller: Caller; isFresh: boolean },
  ): Promise<SenderItem> {
    const domain = readDomain(text)
    const rows = await this.#findTransports(domain, transport, caller)
    const { clock } = this.#options
    const stored = await this.#checks.find(domain)
    const isKept = ({ id }: SenderTransportRow) => (stored.get(id)?.freshUntil ?? 0) > clock.now()
    const due = isFresh ? rows : rows.filter((row) => !isKept(row))
    const needsDmarc = rows.length === 0
    const { dmarc, checks } =
      due.length > 0 || needsDmarc
        ? await this.#run(domain, due, { owner: callerKey(caller), isFresh })
        : { dmarc: undefined, checks: [] }
    const byId = new Map([...stored, ...checks.map((each) => [each.transportId, each] as const)])
    const proofs = await this.#proofs.find(domain, clock.now())
    const newest = [...byId.values()].sort((one, other) => other.checkedAt - one.checkedAt)[0]
    return {
      domain,
      dmarc: dmarc ?? newest?.dmarc ?? unknownDmarc,
      transports: rows
        .map((row) => presentTransport(row, byId.get(row.id), proofs))
        .sort(worstFirst),
    }
  }

  /** Finds the transports with which a domain is shown to a caller. Throws an AppError (`not_found`). */
  async #findTransports(
    domain: string,
    transport: number | undefined,
    caller: Caller,
  ): Promise<SenderTransportRow[]> {
    const mauticId = caller.mautic?.id
    const sender = await this.#directory.find(domain, mauticId)
    const rows = new Map(sender?.transports)
    if (transport === defaultTransportId) {
      const published = await this.#directory.listPublished(mauticId)
      const row = published.find(({ id }) => id === defaultTransportId)
      if (row === undefined) throw transportNotFound()
      rows.set(row.id, row)
    } else if (transport !== undefined) {
      const { id, name, mautic_id } = await this.#options.transports.getRow(transport, caller)
      rows.set(id, { id, name, mautic_id })
    }
    // Callers of a Mautic learn of shared transports only what concerns the domains that they use.
    const isShown = ({ mautic_id: owner }: SenderTransportRow) =>
      mauticId === undefined || sender !== undefined || owner === mauticId
    // The one that is asked for comes first: a domain may have more than are shown.
    const isAskedFor = ({ id }: SenderTransportRow) => id === transport
    const shown = [...rows.values()]
      .filter(isShown)
      .sort((one, other) => Number(isAskedFor(other)) - Number(isAskedFor(one)))
    if (rows.size > 0) return shown.slice(0, transportsMax)
    const published = await this.#directory.listPublished(mauticId)
    return published.filter(isShown).slice(0, suggestedMax)
  }

  /** Runs a check, which concurrent callers share. */
  async #run(
    domain: string,
    rows: readonly SenderTransportRow[],
    { owner, isFresh }: { owner: string; isFresh: boolean },
  ): Promise<CheckResult> {
    const ids = rows.map(({ id }) => id)
    const key = JSON.stringify([domain, isFresh, await this.#readRevisions(ids)])
    const recent = isFresh ? this.#recent.get(key) : undefined
    if (recent !== undefined) return recent
    return this.#running.run(key, async () => {
      const result = await this.#checking.run(owner, () => this.#checkAll(domain, ids, isFresh))
      this.#recent.set(key, result)
      return result
    })
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

  async #checkAll(
    domain: string,
    transportIds: readonly number[],
    isFresh: boolean,
  ): Promise<CheckResult> {
    const { clock } = this.#options
    const changes = this.#changes
    const collector = this.#collector(domain, isFresh)
    const [envelopes, proofs] = [
      await this.#findEnvelopes(domain),
      await this.#proofs.find(domain, clock.now()),
    ]
    const [dmarc, checks] = await Promise.all([
      collector.findDmarc().then(presentDmarc),
      Promise.all(
        transportIds.map(async (id) => {
          const transport = await this.#openTransport(id)
          const facts = await collector.collect({
            dsn: transport?.dsn,
            isPublicOnly: transport?.isPublicOnly ?? false,
            otherEnvelope: envelopes.get(id) ?? null,
            proofs: proofs.filter(({ transportId }) => transportId === id),
          })
          const verdict = judgeTransport(facts.map(judgeMember))
          return { revision: transport?.revision, transportId: id, verdict }
        }),
      ),
    ])
    const checkedAt = clock.now()
    const keptMs = Math.min(Math.max(collector.until - checkedAt, freshMsMin), freshMs)
    const freshUntil = checkedAt + keptMs
    const stored = checks.map(({ revision, transportId, verdict }): NewCheck => {
      return { revision, check: { transportId, dmarc, checkedAt, freshUntil, ...verdict } }
    })
    // A key or a proof may have changed meanwhile; and a domain that nothing uses would take the place of others.
    const isUsed = (await this.#directory.find(domain, undefined)) !== undefined
    if (isUsed && changes === this.#changes) await this.#checks.save(domain, stored)
    return { dmarc, checks: stored.map(({ check }) => check) }
  }

  /** Checks again after a proof was stored: without a result, the next question does it. */
  async #recheck(domain: string, transportId: number): Promise<void> {
    this.#changes += 1
    this.#recent.clear()
    await this.#checks.forget(domain, transportId)
  }

  #collector(domain: string, isFresh: boolean, signal?: AbortSignal): FactCollector {
    const { dns } = this.#options
    const ends = [this.#stopping.signal, AbortSignal.timeout(checkMs), ...(signal ? [signal] : [])]
    const end = AbortSignal.any(ends)
    const check = dns.check({ isFresh, signal: end })
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

  /** Checks used domains again whose last check is an hour old: each by one process, and some at a time. */
  async #renew(signal: AbortSignal): Promise<void> {
    const now = this.#options.clock.now()
    const before = now - freshMs
    const [senders, times] = [await this.#directory.list(undefined), await this.#checks.listTimes()]
    const due = senders
      .map((sender) => ({ sender, checkedAt: oldestCheck(sender, times) }))
      .filter(({ checkedAt }) => checkedAt <= before)
      .sort((one, other) => one.checkedAt - other.checkedAt)
      .slice(0, renewedMax)
    for (const { sender } of due) {
      if (signal.aborted) return
      const pairs = [...sender.transports.keys()]
        .slice(0, transportsMax)
        .map((transportId) => ({ domain: sender.domain, transportId }))
      const claimed = await this.#checks.claim(pairs, { now, before })
      const rows = claimed.flatMap(({ transportId }) => sender.transports.get(transportId) ?? [])
      if (rows.length === 0) continue
      // One domain does not keep the others from being checked.
      await this.#run(sender.domain, rows, { owner: renewalOwner, isFresh: false }).catch(
        (err: unknown) => {
          this.#options.log.error({ domain: sender.domain, err }, 'from domain not checked')
        },
      )
    }
  }

  #openMarks(): Promise<TestMarks> {
    const { storage, keyring } = this.#options
    this.#marks ??= TestMarks.open({ storage, keyring }).catch((error: unknown) => {
      this.#marks = undefined
      throw error
    })
    return this.#marks
  }

  /** See `SenderCheckRow.dsn_key`. */
  #readDefaultKey(): Promise<string | null> {
    const { defaultDsn, storage, keyring } = this.#options
    if (defaultDsn === undefined) return Promise.resolve(null)
    this.#defaultKey ??= openSigningKey({ storage, keyring }, 'sender checks')
      .then((key) => createHmac('sha256', key).update(defaultDsn).digest('base64url'))
      .catch((error: unknown) => {
        this.#defaultKey = undefined
        throw error
      })
    return this.#defaultKey
  }
}

const envelopeMs = 30 * 86_400_000

interface CheckResult {
  dmarc: SenderDmarc | undefined
  checks: readonly StoredCheck[]
}

const unknownDmarc: SenderDmarc = {
  state: 'failed',
  record: null,
  foundAt: null,
  organizationalDomain: null,
  policy: null,
  adkim: null,
  aspf: null,
  problems: [],
}

/** Reads the domain of a path. Throws an AppError (`invalid`). */
function readDomain(text: string): string {
  const domain = asciiDomain(text)
  if (domain !== undefined) return domain
  const shown = oneLine(text, 100)
  const message = `"${shown}" is not a domain. Send one such as brand.example.`
  throw new AppError('invalid', 'domain_invalid', message, { details: { domain: [message] } })
}

const transportNotFound = () =>
  new AppError('not_found', 'transport_not_found', 'Transport not found')

function oldestCheck(
  { domain, transports }: KnownSender,
  times: ReadonlyMap<string, number>,
): number {
  const all = [...transports.keys()].map((id) => times.get(pairKey(domain, id)) ?? 0)
  return all.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY)
}

function idOf(id: number): number | null {
  return id === defaultTransportId ? null : id
}

function presentTransport(
  { id, name }: SenderTransportRow,
  check: StoredCheck | undefined,
  proofs: readonly StoredProof[],
): SenderTransport {
  const proof = proofs.find(({ transportId }) => transportId === id)
  const {
    verdict = 'cannotTell',
    sentence = uncheckedSentence,
    reasons = [],
    records = [],
    members = [],
    checkedAt = null,
  } = check ?? {}
  return {
    id: idOf(id),
    name,
    verdict,
    sentence,
    reasons,
    records,
    members,
    proof: proof === undefined ? null : presentProof(proof),
    dateChecked: formatOptionalDate(checkedAt),
  }
}

const uncheckedSentence = 'It was not checked yet.'

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
