import type { TransportState } from '../../delivery/index.ts'
import type { Clock } from '../../kit/clock.ts'
import { type Log, maskAddresses } from '../../kit/log.ts'
import { Periodic } from '../../kit/periodic.ts'
import type { EventSink } from '../../webhooks/index.ts'
import { type ConditionSources, conditionTypes, findConditions } from './find-conditions.ts'
import { SignalStates } from './signal-states.ts'

export interface SignalWatcherOptions extends ConditionSources {
  events: EventSink
  clock: Clock
  log: Log
  /** The transports that this process has used. */
  listTransports: () => readonly TransportState[]
  intervalMs: number
}

/**
 * Publishes what operators want to know: transports that fail and work again, limits that are used up, a queue that is
 * delayed, and Mautics that cannot be read. It compares what goes on with what was published, each few seconds.
 */
export class SignalWatcher {
  readonly #options: SignalWatcherOptions
  readonly #states: SignalStates
  readonly #look: Periodic
  /** The last failure of each transport that was compared, by id. */
  readonly #failedAt = new Map<number | null, number>()

  constructor(options: SignalWatcherOptions) {
    this.#options = options
    this.#states = new SignalStates(options)
    this.#look = new Periodic({
      task: () => this.#compare(),
      intervalMs: options.intervalMs,
      log: options.log,
      events: { failed: 'signals not published', recovered: 'signals published again' },
    })
  }

  start(): void {
    this.#look.start()
  }

  async stop(): Promise<void> {
    await this.#look.stop()
  }

  async #compare(): Promise<void> {
    const now = this.#options.clock.now()
    const open = new Set(await this.#states.listOpen())
    await this.#compareTransports(open)
    await this.#compareConditions(now, open)
    await this.#states.forgetOld(now)
  }

  async #compareTransports(open: ReadonlySet<string>): Promise<void> {
    const { events, listTransports } = this.#options
    if (!events.wants('transport.down') && !events.wants('transport.up')) return
    for (const { transportId, transport, problem, failedAt, availableAt } of listTransports()) {
      const key = `transport.down ${transportId ?? 'default'}`
      const cause = causeOf(transportId)
      if (problem === undefined) {
        if (!open.has(key)) continue
        const message = `Transport ${transport} works again.`
        const data = { transportId, transport, message }
        await this.#states.end({ key, seenAt: availableAt }, { type: 'transport.up', cause, data })
      } else if (this.#failedAt.get(transportId) !== failedAt) {
        const message = `Transport ${transport} does not work: ${maskAddresses(problem)}`
        const data = { transportId, transport, message }
        await this.#states.begin({ key, seenAt: failedAt }, { type: 'transport.down', cause, data })
        this.#failedAt.set(transportId, failedAt)
      }
    }
  }

  async #compareConditions(now: number, open: ReadonlySet<string>): Promise<void> {
    const wanted = conditionTypes.filter((type) => this.#options.events.wants(type))
    if (wanted.length === 0) return
    const conditions = await findConditions(wanted, this.#options, now)
    const present = new Set(conditions.map(({ key }) => key))
    for (const { key, event } of conditions)
      if (!open.has(key)) await this.#states.begin({ key, seenAt: now }, event)
    for (const key of open)
      if (!present.has(key) && wanted.some((type) => key.startsWith(type)))
        await this.#states.end({ key, seenAt: now })
  }
}

function causeOf(transportId: number | null): string {
  return transportId === null ? 'default transport' : `transport ${transportId}`
}
