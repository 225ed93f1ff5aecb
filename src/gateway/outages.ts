import type { Log } from '../kit/log.ts'
import { createOutage, type Outage } from '../kit/outage.ts'
import type { ServedMautic } from './served-mautics.ts'

/** Logs that a Mautic cannot be reached: once, and once more when it answers again. */
export interface Outages {
  report(mautic: ServedMautic, error: Error): void
  recover(mautic: ServedMautic): void
}

export function createOutages(log: Log): Outages {
  const outages = new Map<string, Outage>()
  return {
    report({ name }, error) {
      const outage =
        outages.get(name) ??
        createOutage(log.child({ mautic: name }), {
          level: 'warn',
          failed: 'mautic unreachable',
          recovered: 'mautic reachable again',
        })
      outages.set(name, outage)
      outage.report(error)
    },
    recover: ({ name }) => outages.get(name)?.recover(),
  }
}
