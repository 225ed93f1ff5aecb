import type { Clock } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import { Periodic } from '../kit/periodic.ts'
import { type DomainChecker, freshMs } from './domain-checker.ts'
import { pairKey, type SenderChecks } from './sender-checks.ts'
import type { KnownSender, SenderDirectory } from './sender-directory.ts'

const intervalMs = 60_000
/** How many domains one run checks. */
const domainsMax = 20
/** How many transports of a domain are checked. */
export const transportsMax = 100

/** Checks used domains again whose last check is an hour old: each by one process, one domain after the other. */
export class CheckRenewal {
  readonly #directory: SenderDirectory
  readonly #checks: SenderChecks
  readonly #checker: DomainChecker
  readonly #clock: Clock
  readonly #log: Log
  readonly #periodic: Periodic

  constructor(parts: {
    directory: SenderDirectory
    checks: SenderChecks
    checker: DomainChecker
    clock: Clock
    log: Log
  }) {
    this.#directory = parts.directory
    this.#checks = parts.checks
    this.#checker = parts.checker
    this.#clock = parts.clock
    this.#log = parts.log
    this.#periodic = new Periodic({
      task: (signal) => this.#renew(signal),
      intervalMs,
      log: parts.log,
      events: { failed: 'from domains not checked', recovered: 'from domains checked again' },
    })
  }

  start(): void {
    this.#periodic.start()
  }

  stop(): Promise<void> {
    return this.#periodic.stop()
  }

  /** Checks what is due now. */
  run(): Promise<void> {
    return this.#periodic.run()
  }

  async #renew(signal: AbortSignal): Promise<void> {
    const before = this.#clock.now() - freshMs
    const senders = await this.#directory.list(undefined)
    const times = await this.#checks.listTimes()
    const due = senders
      .map((sender) => ({ sender, checkedAt: oldestCheck(sender, times) }))
      .filter(({ checkedAt }) => checkedAt <= before)
      .sort((one, other) => one.checkedAt - other.checkedAt)
      .slice(0, domainsMax)
    for (const { sender } of due) {
      if (signal.aborted) return
      await this.#check(sender, before)
    }
  }

  async #check(sender: KnownSender, before: number): Promise<void> {
    const { domain } = sender
    const pairs = checkedIds(sender).map((transportId) => ({ domain, transportId }))
    const claimed = await this.#checks.claim(pairs, { now: this.#clock.now(), before })
    const ids = claimed.map(({ transportId }) => transportId)
    if (ids.length === 0) return
    try {
      await this.#checker.check(domain, ids, { owner: undefined, isFresh: false })
    } catch (err) {
      // One domain does not keep the others from being checked.
      this.#log.error({ domain, err }, 'from domain not checked')
    }
  }
}

function checkedIds({ transports }: KnownSender): number[] {
  return [...transports.keys()].slice(0, transportsMax)
}

/** When the pair of a domain was checked that was checked longest ago. */
function oldestCheck(sender: KnownSender, times: ReadonlyMap<string, number>): number {
  const all = checkedIds(sender).map((id) => times.get(pairKey(sender.domain, id)) ?? 0)
  return all.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY)
}
