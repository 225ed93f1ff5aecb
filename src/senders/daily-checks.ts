import type { Clock } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import { Semaphore } from '../kit/semaphore.ts'
import type { DomainChecker } from './domain-checker.ts'
import { pairKey, type SenderChecks } from './sender-checks.ts'
import type { SenderDirectory } from './sender-directory.ts'

/** How many domains one run checks: 3,600 a day. */
const domainsMax = 25
/** How many at a time: a silent DNS costs 15 s for each, and callers need look-ups of the process, too. */
const domainsAtOnce = 2
/** How many transports of a domain are checked. */
export const transportsMax = 100
export const dayMs = 86_400_000

/** What `checkDue` works with. */
interface Parts {
  directory: SenderDirectory
  checks: SenderChecks
  checker: DomainChecker
  clock: Clock
  log: Log
}

/** Checks domains that are in use and were not checked for a day, a few of them. */
export async function checkDue(
  { directory, checks, checker, clock, log }: Parts,
  signal: AbortSignal,
): Promise<void> {
  const before = clock.now() - dayMs
  const times = await checks.listTimes()
  const due = (await directory.list(undefined)).flatMap(({ domain, transports }) => {
    const checked = [...transports.keys()].slice(0, transportsMax)
    const ids = checked.filter((id) => (times.get(pairKey(domain, id)) ?? 0) <= before)
    // In any order: domains whose checks fail do not take the turns of others, and processes rarely check the same.
    return ids.length > 0 ? [{ domain, ids, place: Math.random() }] : []
  })
  const some = due.sort((one, other) => one.place - other.place).slice(0, domainsMax)
  const semaphore = new Semaphore({ permits: domainsAtOnce })
  const checking = some.map(({ domain, ids }) =>
    semaphore.run(async () => {
      if (signal.aborted) return
      // One domain does not keep the others from being checked.
      const failed = (err: unknown) => log.error({ domain, err }, 'from domain not checked')
      await checker.check(domain, ids, { owner: undefined }).catch(failed)
    }),
  )
  await Promise.all(checking)
  await checks.prune()
}
