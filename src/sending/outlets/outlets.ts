import { AppError } from '../../kit/app-error.ts'
import type { Log } from '../../kit/log.ts'
import {
  type DeliveryResult,
  DsnError,
  type Mailer,
  type Message,
  type SendOptions,
  type Transport,
} from '../../mailer/index.ts'
import type { TransportRow, Transports } from '../../transports/index.ts'
import type { Way } from '../way/way.ts'

/**
 * The open transports, one for each row: pools, rate limits and the memory of failed members live in
 * them, so they are shared by everything that sends, and opened anew when their DSN changes.
 */
export interface Outlets {
  /** The transport at the end of a way, or why there is none. */
  open(way: Way): Promise<Outlet | OutletProblem>
  close(): Promise<void>
}

/** A way out for messages. */
export interface Outlet {
  /** Null for the default. */
  transportId: number | null
  name: string
  /** It does not throw, whatever happens. */
  send(message: Message, options?: SendOptions): Promise<DeliveryResult>
  /** What it leads to: the same for as long as its DSN is. */
  transport: Pick<Transport, 'load'>
}

/** Why a message cannot leave. */
export interface OutletProblem {
  /** A sentence for the person who can mend it. */
  problem: string
}

/** What outlets are made of. */
export interface OutletOptions {
  mailer: Mailer
  transports: Transports
  /** The operator's default. */
  defaultDsn: string | undefined
  log: Log
}

interface OpenTransport {
  /** The sealed DSN that it was opened with. */
  sealed: string
  transport: Promise<Transport>
}

/** What captured messages say that they were sent through, where that is the operator's default. */
const defaultTransport = { id: null, name: 'default' }

export function openOutlets(options: OutletOptions): Outlets {
  const { mailer, defaultDsn, log } = options
  const rows = new RowTransports(options)
  let byDefault: Transport | undefined
  const openDefault = (dsn: string): Outlet => {
    byDefault ??= mailer.open(dsn)
    const transport = byDefault
    return {
      transportId: null,
      name: 'default',
      send: (message, sendOptions) =>
        sendSafely(transport, log, message, { ...sendOptions, through: defaultTransport }),
      transport,
    }
  }
  return {
    async open({ exit, trace }) {
      try {
        if (exit.kind === 'transport') return await rows.outlet(exit.row)
        if (exit.kind === 'default' && defaultDsn !== undefined) return openDefault(defaultDsn)
      } catch (error) {
        return { problem: problemOf(error, log) }
      }
      if (exit.kind === 'refused') return { problem: exit.problem }
      const reasons = trace.map(({ reason }) => reason).join('; ')
      return { problem: `There is no transport for this message: ${reasons}.` }
    },
    async close() {
      await Promise.all([rows.close(), byDefault?.close()])
    },
  }
}

/** Why a transport cannot be opened. Throws what says that the database does not answer. */
function problemOf(error: unknown, log: Log): string {
  if (error instanceof DsnError) return `The transport cannot be used: ${error.message}`
  if (error instanceof AppError && error.kind === 'upstream') throw error
  log.error({ err: error }, 'a transport cannot be opened')
  return 'The transport cannot be used: its DSN cannot be read with the keys that there are; save it anew.'
}

/** The open transports of rows. */
class RowTransports {
  readonly #options: OutletOptions
  readonly #open = new Map<number, OpenTransport>()

  constructor(options: OutletOptions) {
    this.#options = options
  }

  /** Throws DsnError. */
  async outlet(row: TransportRow): Promise<Outlet> {
    const transport = await this.#find(row)
    const { id: transportId, name } = row
    return {
      transportId,
      name,
      send: (...args) => this.#send({ row, transport }, ...args),
      transport,
    }
  }

  async close(): Promise<void> {
    const all = [...this.#open.values()]
    this.#open.clear()
    await Promise.all(all.map(async ({ transport }) => (await transport).close()))
  }

  async #send(
    { row, transport }: { row: TransportRow; transport: Transport },
    message: Message,
    sendOptions?: SendOptions,
  ): Promise<DeliveryResult> {
    const { log } = this.#options
    const options = { ...sendOptions, through: { id: row.id, name: row.name } }
    const result = await sendSafely(transport, log, message, options)
    if (result.fault?.code !== 'transport_closed') return result
    // Its DSN was changed while the message waited for its turn: nothing was sent.
    const current = await this.#findAgain(row.id)
    return current === undefined ? result : sendSafely(current, log, message, options)
  }

  /** As the row is now; undefined where it is gone, or cannot be opened. */
  async #findAgain(id: number): Promise<Transport | undefined> {
    try {
      const row = await this.#options.transports.findRow(id)
      return row === undefined ? undefined : await this.#find(row)
    } catch (err) {
      this.#options.log.warn({ err }, 'a transport that was changed could not be opened again')
      return undefined
    }
  }

  #find(row: TransportRow): Promise<Transport> {
    const known = this.#open.get(row.id)
    if (known?.sealed === row.mailer_dsn) return known.transport
    const transport = this.#openTransport(row)
    this.#open.set(row.id, { sealed: row.mailer_dsn, transport })
    if (known !== undefined) this.#closeLater(known)
    transport.catch(() => {
      if (this.#open.get(row.id)?.transport === transport) this.#open.delete(row.id)
    })
    return transport
  }

  async #openTransport(row: TransportRow): Promise<Transport> {
    const { mailer, transports } = this.#options
    return mailer.open(await transports.dsnOf(row))
  }

  #closeLater({ transport }: OpenTransport): void {
    const { log } = this.#options
    transport
      .then((open) => open.close())
      .catch((err: unknown) => log.warn({ err }, 'a transport did not close'))
  }
}

/** A transport does not throw; should it do so all the same, nobody knows what it has sent. */
async function sendSafely(
  transport: Transport,
  log: Log,
  message: Message,
  options?: SendOptions,
): Promise<DeliveryResult> {
  try {
    return await transport.send(message, options)
  } catch (err) {
    log.error({ err }, 'a transport failed in a way that it should not')
    return uncertainResult(message)
  }
}

function uncertainResult({ envelope }: Message): DeliveryResult {
  const outcome = 'uncertain' as const
  const nothing = { reply: null, isPermanent: false }
  const what = {
    ...nothing,
    member: '',
    outcome,
    stage: 'data' as const,
    fault: null,
    durationMs: 0,
  }
  const recipients = envelope.to.map((address) => ({ ...nothing, address, outcome }))
  const rest = { isRetrySafe: false, retryAfterMs: null, messageId: null }
  return { ...what, ...rest, recipients, attempts: [what] }
}
