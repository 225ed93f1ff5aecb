import type { Clock } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import { Periodic } from '../kit/periodic.ts'
import { Semaphore } from '../kit/semaphore.ts'
import { type DomainChecker, freshMs } from './domain-checker.ts'
import { type CheckTimes, pairKey, type SenderChecks } from './sender-checks.ts'
import type { KnownSender, SenderDirectory } from './sender-directory.ts'

const intervalMs = 60_000
/** How many domains one run checks. */
const domainsMax = 20
/** How many at a time: a silent DNS costs 15 s for each, and callers need look-ups of the process, too. */
const domainsAtOnce = 3
/** How many transports of a domain are checked. */
export const transportsMax = 100

/** Checks used domains again whose last check is an hour old: each by one process, a few at a time. */
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
    // Those that were tried longest ago come first, so that domains whose checks fail do not take the turns of others.
    const due = senders
      .map((sender) => ({ sender, ...oldestTimes(sender, times) }))
      .filter(({ checkedAt }) => checkedAt <= before)
      .sort((one, other) => one.triedAt - other.triedAt)
      .slice(0, domainsMax)
    const semaphore = new Semaphore({ permits: domainsAtOnce })
    const checking = due.map(({ sender }) =>
      semaphore.run(async () => {
        if (!signal.aborted) await this.#check(sender, before)
      }),
    )
    await Promise.all(checking)
  }

  /** Does not throw: one domain does not keep the others from being checked. */
  async #check(sender: KnownSender, before: number): Promise<void> {
    const { domain } = sender
    try {
      const pairs = checkedIds(sender).map((transportId) => ({ domain, transportId }))
      const claimed = await this.#checks.claim(pairs, { now: this.#clock.now(), before })
      const ids = claimed.map(({ transportId }) => transportId)
      if (ids.length === 0) return
      await this.#checker.check(domain, ids, { owner: undefined, isFresh: false })
    } catch (err) {
      this.#log.error({ domain, err }, 'from domain not checked')
    }
  }
}

function checkedIds({ transports }: KnownSender): number[] {
  return [...transports.keys()].slice(0, transportsMax)
}

/** When the pair of a domain that was checked longest ago was checked, and when the one that was tried longest ago was tried. */
function oldestTimes(sender: KnownSender, times: ReadonlyMap<string, CheckTimes>): CheckTimes {
  const never = { checkedAt: 0, triedAt: 0 }
  const all = checkedIds(sender).map((id) => times.get(pairKey(sender.domain, id)) ?? never)
  return {
    checkedAt: Math.min(...all.map(({ checkedAt }) => checkedAt)),
    triedAt: Math.min(...all.map(({ triedAt }) => triedAt)),
  }
}
