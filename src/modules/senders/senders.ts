import type { MovedQuestion, MovedSender } from '../../core/sending/index.ts'
import type { Transports } from '../../core/transports/index.ts'
import { AppError } from '../../kit/app-error.ts'
import { type Caller, callerKey, owns } from '../../kit/caller.ts'
import type { Log } from '../../kit/log.ts'
import { oneLine } from '../../kit/one-line.ts'
import { Periodic } from '../../kit/periodic.ts'
import { within } from '../../kit/within.ts'
import type { Dns } from '../../libraries/dns/index.ts'
import { asciiDomain } from '../../libraries/mailer/index.ts'
import type { FindOwnKey } from './alignment/collect-facts.ts'
import { findWorst } from './alignment/judge.ts'
import {
  type CheckedTransport,
  checkMs,
  DomainChecker,
  dayMs,
  transportsMax,
  unknownDmarc,
} from './domain-checker.ts'
import { listSenders, presentTransport, worstFirst, worstOf } from './listed-senders.ts'
import type { SenderItem, SenderList, Verdict } from './schema.ts'
import { pairKey, SenderChecks, type StoredCheck } from './sender-checks.ts'
import {
  brandsThrough,
  SenderDirectory,
  type SenderDirectoryOptions,
  type SenderTransportRow,
} from './sender-directory.ts'
import { SenderUses } from './sender-uses.ts'
import { defaultTransportId } from './table.ts'
import { findMoved, listUnaligned, type UnalignedSender } from './unaligned.ts'

/** A page of the list of senders. */
export interface SenderQuery {
  search: string | undefined
  /** Only domains that are sent through it; see `defaultTransportId`. */
  transport?: number | undefined
  /** Only domains of the messages and transports of this brand; `noBrand`: of none. */
  brand?: number | undefined
  /** Only domains whose worst transport has it. */
  verdict?: Verdict | undefined
  start: number
  limit: number
}

/** A question about a From domain. */
export interface SenderQuestion {
  domain: string
  /** One more transport to check it with; see `defaultTransportId`. */
  transport: number | undefined
  isAgain: boolean
}

export interface SendersOptions extends SenderDirectoryOptions {
  log: Log
  dns: Dns
  findOwnKey: FindOwnKey
  transports: Pick<Transports, 'getRow' | 'findRow' | 'findDsn'>
}

/** Callers get a stored check that is not older. */
const freshMs = 3_600_000
/** How often domains are looked for that were not checked for a day. */
const dueEveryMs = 600_000
/** How many published transports a domain is checked with that nothing uses. */
const suggestedMax = 20
/** How many domains a fire drill checks. */
const movedMax = 20
const drillOwner = 'fire drill'

/** The From domains, and whether receivers will believe them through the transports that send them. */
export class Senders {
  readonly #options: SendersOptions
  readonly #directory: SenderDirectory
  readonly #checks: SenderChecks
  readonly checker: DomainChecker
  /** Checks used domains whose check is a day old. */
  readonly daily: Periodic
  readonly uses: SenderUses

  constructor(options: SendersOptions) {
    this.#options = options
    const { storage, clock, log, dns, transports, defaultDsn, findOwnKey } = options
    const directory = new SenderDirectory(options)
    const checks = new SenderChecks(storage)
    this.#directory = directory
    this.#checks = checks
    this.checker = new DomainChecker({
      storage,
      clock,
      log,
      dns,
      transports,
      defaultDsn,
      findOwnKey,
      directory,
      checks,
    })
    this.daily = new Periodic({
      task: (signal) => this.checker.checkDue(signal),
      intervalMs: dueEveryMs,
      log,
      events: { failed: 'from domains not checked', recovered: 'from domains checked again' },
    })
    this.uses = new SenderUses({ storage, clock, log })
  }

  async start(): Promise<void> {
    await this.#checks.forgetDefault()
    this.uses.flushing.start()
    this.daily.start()
  }

  idle(): Promise<boolean> {
    return this.daily.idle()
  }

  async stop(): Promise<void> {
    this.checker.stop()
    await this.daily.stop()
    await this.uses.stop()
  }

  /** Lists the From domains that the caller sees, what is not aligned first. It looks nothing up. */
  async list(query: SenderQuery, caller: Caller): Promise<SenderList> {
    const { transport, brand, verdict, start, limit } = query
    const search = query.search?.replace(/^.*@|>?\s*$/g, '')
    const all = await this.#directory.list(caller.brands, brand)
    const part = search === undefined ? undefined : (asciiDomain(search) ?? search.toLowerCase())
    const matching = all
      .filter(({ domain }) => part === undefined || domain.includes(part))
      .filter(({ transports }) => transport === undefined || transports.has(transport))
    const summaries = await this.#checks.findSummaries(
      matching.map(({ domain }) => domain),
      caller.brands,
    )
    const listed = listSenders(matching, summaries, transport).filter(
      (sender) => verdict === undefined || worstOf(sender) === verdict,
    )
    return { total: listed.length, senders: listed.slice(start, start + limit) }
  }

  /** Lists the From domains that are not believed through a transport that they are used with, as they were checked last. */
  listUnaligned(): Promise<UnalignedSender[]> {
    return listUnaligned({ directory: this.#directory, checks: this.#checks })
  }

  /** Finds the From domains that would not be believed through what takes over if transports were down. Checks what was not checked yet. */
  async findMoved(question: MovedQuestion): Promise<MovedSender[]> {
    const parts = { directory: this.#directory, checks: this.#checks }
    // Pairs that are not used are not checked daily.
    const oldest = this.#options.clock.now() - dayMs
    const moved = await findMoved(parts, question, oldest)
    const unchecked = moved.filter(({ verdict }) => verdict === null)
    if (unchecked.length === 0) return moved
    const published = await this.#directory.listPublished('all')
    const byDomain = Map.groupBy(unchecked, ({ domain }) => domain)
    const checking = [...byDomain].slice(0, movedMax).map(async ([domain, senders]) => {
      const ids = new Set(senders.map(({ transportId }) => transportId))
      const sender = await this.#directory.find(domain, question.brands)
      const due = published
        .filter(({ id }) => ids.has(id))
        .slice(0, transportsMax)
        .map((row) => ({ id: row.id, brands: brandsThrough(sender, row) }))
      if (due.length > 0) await this.checker.check(domain, due, { owner: drillOwner })
    })
    // What is not finished in time is not checked yet in this answer.
    await within(checkMs, Promise.allSettled(checking))
    return findMoved(parts, question, oldest)
  }

  /**
   * Describes a domain with the transports that the caller sees, and checks those that were not checked for an hour.
   *
   * @param question.isAgain Whether all are checked now.
   * @throws AppError (`invalid`, `not_found`, `rate_limited`)
   */
  async get(
    { domain: text, transport, isAgain }: SenderQuestion,
    caller: Caller,
  ): Promise<SenderItem> {
    const domain = readDomain(text)
    const rows = await this.#findTransports(domain, transport, caller)
    const checks = await this.#checks.find([domain], caller.brands)
    const known = new Map<string, StoredCheck>()
    const add = (check: StoredCheck) =>
      known.set(pairKey(domain, check.transportId, check.brand), check)
    checks.forEach(add)
    const checksOf = ({ id, brands }: CheckedTransport) =>
      brands.map((brand) => known.get(pairKey(domain, id, brand)))
    const before = this.#options.clock.now() - freshMs
    const isOld = (row: CheckedTransport) =>
      checksOf(row).some((check) => (check?.checkedAt ?? 0) <= before)
    const due = isAgain ? rows : rows.filter(isOld)
    // Without a transport, DMARC is checked.
    const result =
      due.length > 0 || rows.length === 0
        ? await this.checker.check(domain, due, { owner: callerKey(caller), isAgain })
        : undefined
    result?.checks.forEach(add)
    const newest = [...known.values()].sort((one, other) => other.checkedAt - one.checkedAt)[0]
    return {
      domain,
      dmarc: result?.dmarc ?? newest?.dmarc ?? unknownDmarc,
      transports: rows
        .flatMap((row) => {
          // Each has one: what lacked it was due.
          const check = findWorst(checksOf(row).filter((each) => each !== undefined))
          return check ? [{ ...presentTransport(row, check), members: check.members }] : []
        })
        .sort(worstFirst),
    }
  }

  /** Finds the transports with which a domain is shown to a caller. Throws an AppError (`not_found`). */
  async #findTransports(
    domain: string,
    transport: number | undefined,
    caller: Caller,
  ): Promise<(SenderTransportRow & CheckedTransport)[]> {
    const { brands } = caller
    const sender = await this.#directory.find(domain, brands)
    const rows = new Map<number, SenderTransportRow>(sender?.transports)
    if (transport === defaultTransportId) {
      const published = await this.#directory.listPublished(brands)
      const row = published.find(({ id }) => id === defaultTransportId)
      if (row === undefined)
        throw new AppError('not_found', 'transport_not_found', 'Transport not found')
      rows.set(row.id, row)
    } else if (transport !== undefined) {
      const row = await this.#options.transports.getRow(transport, caller)
      rows.set(row.id, row)
    }
    // Callers with brands learn of shared transports only what concerns the domains that they use.
    const isShown = ({ brand_id: brand }: SenderTransportRow) =>
      sender !== undefined || owns(caller, brand)
    // The one that is asked for comes first: a domain may have more than are shown.
    const isAskedFor = ({ id }: SenderTransportRow) => id === transport
    const found = [...rows.values()]
      .filter(isShown)
      .sort((one, other) => Number(isAskedFor(other)) - Number(isAskedFor(one)))
      .slice(0, transportsMax)
    const published = rows.size > 0 ? [] : await this.#directory.listPublished(brands)
    const shown = rows.size > 0 ? found : published.filter(isShown).slice(0, suggestedMax)
    return shown.map((row) => ({ ...row, brands: brandsThrough(sender, row) }))
  }
}

/** Reads the domain of a path. Throws an AppError (`invalid`). */
function readDomain(text: string): string {
  const domain = asciiDomain(text)
  if (domain !== undefined) return domain
  const shown = oneLine(text, 100)
  const message = `"${shown}" is not a domain. Send one such as brand.example.`
  throw new AppError('invalid', 'domain_invalid', message, { details: { domain: [message] } })
}
