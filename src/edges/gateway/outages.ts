import type { Log } from '../../kit/log.ts'
import { createOutage, type Outage } from '../../kit/outage.ts'
import type { ServedMautic } from './served-mautics.ts'

/** Logs that a Mautic cannot be reached: once, and once more when it answers again. */
export class MauticOutages {
  readonly #log: Log
  readonly #outages = new Map<string, Outage>()

  constructor(log: Log) {
    this.#log = log
  }

  report({ name }: ServedMautic, error: Error): void {
    const log = this.#log.child({ mautic: name })
    const events = { failed: 'mautic unreachable', recovered: 'mautic reachable again' }
    const outage = this.#outages.get(name) ?? createOutage(log, { level: 'warn', ...events })
    this.#outages.set(name, outage)
    outage.report(error)
  }

  recover({ name }: ServedMautic): void {
    this.#outages.get(name)?.recover()
  }
}
