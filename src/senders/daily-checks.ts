import type { Clock } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import { Periodic } from '../kit/periodic.ts'
import { Semaphore } from '../kit/semaphore.ts'
import type { DomainChecker } from './domain-checker.ts'
import { pairKey, type SenderChecks } from './sender-checks.ts'
import type { KnownSender, SenderDirectory } from './sender-directory.ts'

const intervalMs = 600_000
/** How many domains one run checks: 3,600 a day. */
const domainsMax = 25
/** How many at a time: a silent DNS costs 15 s for each, and callers need look-ups of the process, too. */
const domainsAtOnce = 2
/** How many transports of a domain are checked. */
export const transportsMax = 100
export const dayMs = 86_400_000

/** Checks the domains that are in use once a day, a few in each run. */
export class DailyChecks {
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
      task: (signal) => this.#checkDue(signal),
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

  async #checkDue(signal: AbortSignal): Promise<void> {
    const before = this.#clock.now() - dayMs
    const senders = await this.#directory.list(undefined)
    const times = await this.#checks.listTimes()
    const isDue = (sender: KnownSender) =>
      checkedIds(sender).some((id) => (times.get(pairKey(sender.domain, id)) ?? 0) <= before)
    // In any order: domains whose checks fail do not take the turns of others, and processes rarely check the same.
    const due = senders
      .filter(isDue)
      .map((sender) => ({ sender, place: Math.random() }))
      .sort((one, other) => one.place - other.place)
      .slice(0, domainsMax)
    const semaphore = new Semaphore({ permits: domainsAtOnce })
    const checking = due.map(({ sender }) =>
      semaphore.run(async () => {
        if (!signal.aborted) await this.#check(sender, before)
      }),
    )
    await Promise.all(checking)
    await this.#checks.prune()
  }

  /** Does not throw: one domain does not keep the others from being checked. */
  async #check(sender: KnownSender, before: number): Promise<void> {
    const { domain } = sender
    try {
      const stored = await this.#checks.find(domain)
      const ids = checkedIds(sender).filter((id) => (stored.get(id)?.checkedAt ?? 0) <= before)
      // Another process may have been faster.
      if (ids.length > 0) await this.#checker.check(domain, ids, { owner: undefined })
    } catch (err) {
      this.#log.error({ domain, err }, 'from domain not checked')
    }
  }
}

function checkedIds({ transports }: KnownSender): number[] {
  return [...transports.keys()].slice(0, transportsMax)
}
