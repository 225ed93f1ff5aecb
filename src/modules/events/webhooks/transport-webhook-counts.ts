import type { Transaction } from 'kysely'
import type { Log } from '../../../kit/log.ts'
import { oneLine } from '../../../kit/one-line.ts'
import { Periodic } from '../../../kit/periodic.ts'
import type { Storage } from '../../../platform/storage/index.ts'
import { type TransportWebhookTables, type WebhookCount, webhookCounts } from './table.ts'

/** The webhook of a transport at one of its providers. */
export interface WebhookKey {
  transportId: number
  provider: string
}

export type WebhookSums = Partial<Record<WebhookCount, number>>

/** What has happened since it was stored last. */
interface Unstored {
  key: WebhookKey
  sums: Map<WebhookCount, number>
  /** When the last genuine request arrived. */
  genuineAt: number
  /** When the last one with events arrived. */
  eventAt: number | null
  problem: { text: string; at: number } | undefined
}

const flushMs = 1_000
const problemLengthMax = 600

/**
 * Counts what webhooks received, and keeps why the last request was refused. It is stored once a second, so that neither a flood
 * of forged requests nor many events write a row each.
 */
export class TransportWebhookCounts {
  readonly #storage: Storage
  readonly #log: Log
  readonly #flushing: Periodic
  #unstored = new Map<string, Unstored>()
  /** The problems that are logged, by webhook: each once. */
  readonly #logged = new Map<string, string>()

  constructor({ storage, log }: { storage: Storage; log: Log }) {
    this.#storage = storage
    this.#log = log
    this.#flushing = new Periodic({
      task: () => this.#store(),
      intervalMs: flushMs,
      log,
      events: { failed: 'counts of webhooks not stored', recovered: 'counts of webhooks stored' },
    })
  }

  /** Adds to the counts of a webhook. */
  add(key: WebhookKey, sums: WebhookSums): void {
    const unstored = this.#of(key)
    for (const name of webhookCounts) {
      const sum = sums[name] ?? 0
      if (sum > 0) unstored.sums.set(name, (unstored.sums.get(name) ?? 0) + sum)
    }
  }

  /** Notes a genuine request at a time. It ends the problem of earlier ones. */
  noteGenuine(key: WebhookKey, at: number, { hasEvents }: { hasEvents: boolean }): void {
    const unstored = this.#of(key)
    unstored.genuineAt = at
    if (hasEvents) unstored.eventAt = at
    unstored.problem = undefined
  }

  /** Notes why a request was refused, in a sentence. */
  noteProblem(key: WebhookKey, at: number, problem: string): void {
    // It may repeat a part of the request, which is anyone's until it is verified.
    this.#of(key).problem = { text: oneLine(problem, problemLengthMax), at }
  }

  /** Stores everything that was noted before. */
  flush(): Promise<void> {
    return this.#flushing.runFromStart()
  }

  idle(): Promise<boolean> {
    return this.#flushing.idle()
  }

  /** Stores from now on, once a second. */
  start(): void {
    this.#flushing.start()
  }

  /** Stores what is left. */
  async stop(): Promise<void> {
    await this.#flushing.stop()
    await this.#store().catch(() => undefined)
  }

  #of(key: WebhookKey): Unstored {
    const name = nameOf(key)
    const known = this.#unstored.get(name)
    if (known !== undefined) return known
    const created: Unstored = {
      key,
      sums: new Map(),
      genuineAt: Number.NEGATIVE_INFINITY,
      eventAt: null,
      problem: undefined,
    }
    this.#unstored.set(name, created)
    return created
  }

  async #store(): Promise<void> {
    if (this.#unstored.size === 0) return
    const taken = this.#unstored
    this.#unstored = new Map()
    // Of processes that store at the same time, each locks the rows in the same order.
    const inOrder = [...taken].sort(([one], [other]) => (one < other ? -1 : 1))
    try {
      await this.#storage.transaction(
        async (tx: Transaction<TransportWebhookTables>) => {
          for (const [, unstored] of inOrder) await storeOne(tx, unstored)
        },
        { isFlushDeferred: true },
      )
    } catch (error) {
      this.#putBack(taken)
      throw error
    }
    for (const [name, unstored] of taken) this.#logProblem(name, unstored)
  }

  /** What was noted meanwhile is newer. */
  #putBack(taken: ReadonlyMap<string, Unstored>): void {
    for (const { key, sums, genuineAt, eventAt, problem } of taken.values()) {
      this.add(key, Object.fromEntries(sums))
      const unstored = this.#of(key)
      unstored.problem ??= unstored.genuineAt > genuineAt ? undefined : problem
      unstored.genuineAt = Math.max(unstored.genuineAt, genuineAt)
      unstored.eventAt ??= eventAt
    }
  }

  #logProblem(name: string, { key, problem }: Unstored): void {
    if (problem === undefined) this.#logged.delete(name)
    else if (this.#logged.get(name) !== problem.text) {
      this.#logged.set(name, problem.text)
      this.#log.warn({ ...key, problem: problem.text }, 'webhook of a provider refused')
    }
  }
}

function nameOf({ transportId, provider }: WebhookKey): string {
  return `${transportId} ${provider}`
}

async function storeOne(
  tx: Transaction<TransportWebhookTables>,
  { key, sums, genuineAt, eventAt, problem }: Unstored,
): Promise<void> {
  await tx
    .updateTable('transport_webhooks')
    .set((row) => ({
      ...Object.fromEntries([...sums].map(([name, sum]) => [name, row(name, '+', sum)])),
      last_event_at: eventAt ?? row.ref('last_event_at'),
      problem: problem?.text ?? row.ref('problem'),
      problem_at: problem?.at ?? row.ref('problem_at'),
    }))
    .where('transport_id', '=', key.transportId)
    .where('provider', '=', key.provider)
    .execute()
  if (problem !== undefined || genuineAt === Number.NEGATIVE_INFINITY) return
  await tx
    .updateTable('transport_webhooks')
    .set({ problem: null, problem_at: null })
    .where('transport_id', '=', key.transportId)
    .where('provider', '=', key.provider)
    // Another process may have noted a later one.
    .where('problem_at', '<=', genuineAt)
    .execute()
}
