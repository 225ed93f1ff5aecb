import type { EmailRow } from '../../emails/index.ts'
import type { Log } from '../../kit/log.ts'
import { persist } from '../persist.ts'
import type { EmailRenderer } from '../rendering/email-renderer.ts'
import type { FindWay } from '../way/find-way.ts'
import type { Way } from '../way/way.ts'
import { type AttemptMade, type AttemptParts, makeAttempt } from './attempt.ts'
import type { Claimed, JobStore } from './job-store.ts'
import type { SendingRow } from './table.ts'

const idleMs = 1_000
const preparedAtOnce = 1_000
/** An email and its templates are read anew so often. */
const rendererLifetimeMs = 2_000

/** What a worker is made of. */
export interface WorkerOptions extends AttemptParts {
  store: JobStore
  findWay: FindWay
  /** Undefined for an email that is gone. */
  findEmail: (id: number) => Promise<EmailRow | undefined>
  prepareEmail: (email: EmailRow) => Promise<EmailRenderer>
  /** How many messages are under way at once; so many are uncertain when the process dies. */
  windowMax: number
  log: Log
}

/** Sends what is due, side by side with the workers of other processes. */
export class Worker {
  readonly #options: WorkerOptions
  readonly #renderers = new Map<number, { renderer: EmailRenderer; readAt: number }>()
  #inFlight = 0
  #isStopped = false
  #wake: () => void = () => undefined
  #isWoken = false
  #running: Promise<void> = Promise.resolve()

  constructor(options: WorkerOptions) {
    this.#options = options
  }

  start(): void {
    this.#running = this.#run()
  }

  /** Looks at once whether there is something to send. */
  wake(): void {
    this.#isWoken = true
    this.#wake()
  }

  /** Takes nothing more, and ends when what is under way has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.wake()
    await this.#running
    while (this.#inFlight > 0) await this.#wait()
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      let isBusy = false
      try {
        isBusy = await this.#step()
      } catch (err) {
        this.#options.log.error({ err }, 'sending to many was interrupted; it goes on in a moment')
      }
      if (!isBusy && !this.#isStopped) await this.#wait()
    }
  }

  /** Resolves when something happens or has happened, or after a while. */
  async #wait(): Promise<void> {
    if (!this.#isWoken) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, idleMs)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    this.#isWoken = false
  }

  /** Whether there may be more to do at once. */
  async #step(): Promise<boolean> {
    const { store, clock } = this.#options
    let isBusy = false
    for (const sending of await store.due(clock.now())) {
      if (this.#isStopped) return false
      const hasMore = await this.#advance(sending)
      isBusy ||= hasMore
    }
    return isBusy && this.#inFlight < this.#options.windowMax
  }

  async #advance(sending: SendingRow): Promise<boolean> {
    const { store, clock, windowMax, processId, log } = this.#options
    const now = clock.now()
    if (!sending.is_prepared) await store.prepare(sending, { now, limit: preparedAtOnce })
    const limit = Math.min(windowMax - this.#inFlight, windowMax / 2)
    if (limit < 1) return true
    const claimed = await store.claim(sending, { now, limit: Math.ceil(limit), processId })
    if (claimed.length > 0) {
      await this.#send(sending, claimed)
      return true
    }
    if (!sending.is_prepared) return true
    if (await store.finish(sending, now)) log.info({ sending: sending.id }, 'a sending is done')
    return false
  }

  async #send(sending: SendingRow, claimed: readonly Claimed[]): Promise<void> {
    const renderer = await this.#findRenderer(sending)
    const wayOf = this.#ways(sending)
    for (const each of claimed) {
      this.#inFlight += 1
      void this.#sendOne({ sending, claimed: each, renderer, wayOf }).finally(() => {
        this.#inFlight -= 1
        this.wake()
      })
    }
  }

  async #sendOne(turn: {
    sending: SendingRow
    claimed: Claimed
    renderer: EmailRenderer
    wayOf: (claimed: Claimed) => Promise<Way>
  }): Promise<void> {
    const { store, log } = this.#options
    const { sending, claimed, renderer } = turn
    let made: AttemptMade
    try {
      const way = await turn.wayOf(claimed)
      made = await makeAttempt({ sending, claimed, renderer, way }, this.#options)
    } catch (err) {
      log.error({ err, sending: sending.id }, 'nothing was sent; it is tried again')
      await persist(() => store.release(sending, claimed.contact), log)
      return
    }
    await persist(() => store.record(made.attempt), log)
    const { outUntil } = made
    if (outUntil !== undefined) await persist(() => store.postpone(sending, outUntil), log)
  }

  async #findRenderer({ email_id: emailId }: SendingRow): Promise<EmailRenderer> {
    const { clock, findEmail, prepareEmail } = this.#options
    const known = this.#renderers.get(emailId)
    const now = clock.now()
    if (known !== undefined && now - known.readAt < rendererLifetimeMs) return known.renderer
    const email = await findEmail(emailId)
    if (email === undefined) throw new Error(`Email ${emailId} is gone.`)
    const renderer = await prepareEmail(email)
    this.#renderers.set(emailId, { renderer, readAt: now })
    return renderer
  }

  /** The contacts of one owner go one way, so it is looked for once. */
  #ways({ email_id: emailId }: SendingRow): (claimed: Claimed) => Promise<Way> {
    const ways = new Map<number | null, Promise<Way>>()
    return ({ contact }) => {
      const known = ways.get(contact.owner_id)
      if (known !== undefined) return known
      const way = this.#options.findWay({ emailId, contactId: contact.id })
      ways.set(contact.owner_id, way)
      return way
    }
  }
}
