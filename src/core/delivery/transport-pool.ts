import { AppError } from '../../kit/app-error.ts'
import { noBrand } from '../../kit/caller.ts'
import type { Log } from '../../kit/log.ts'
import {
  type DeliveryResult,
  DsnError,
  listSendingLeaves,
  type Mailer,
  type Message,
  type OpenOptions,
  type SendOptions,
  type Transport,
} from '../../libraries/mailer/index.ts'
import type { Limiter } from '../limits/index.ts'
import type { Route } from '../routing/index.ts'
import type { TransportRow, Transports } from '../transports/index.ts'
import { maskReturnPath } from './return-paths.ts'
import type { DeliveryRow } from './table.ts'

/** How a message is sent, and how it was submitted. */
export interface PoolSendOptions extends SendOptions {
  source: DeliveryRow['source']
  /** The Mautic that submitted it; undefined for Mailyard itself. */
  submitter: number | undefined
}

/** An attempt to send a message to its recipients, and its result. */
export interface FinishedAttempt {
  /** Null for the default. */
  transportId: number | null
  /** The name of the transport at that time. */
  transport: string
  source: DeliveryRow['source']
  /** `noBrand` for none. */
  brand: number
  result: DeliveryResult
}

/** A transport that is ready to send. */
export interface OpenTransport {
  /** Null for the default. */
  transportId: number | null
  name: string
  /** How often its row was written; undefined for the default. */
  revision?: number | undefined
  /** Whether a message to each recipient has an envelope sender of its own; see `SendOptions.returnPath`. */
  hasReturnPath: boolean
  /** Does not throw: every failure is a result. */
  send(message: Message, options: PoolSendOptions): Promise<DeliveryResult>
  /** The transport itself: the same object until its DSN changes. */
  transport: Pick<Transport, 'load'>
}

/** Why a message cannot be sent. */
export interface OpenTransportProblem {
  /** A sentence for the person who can fix it. */
  problem: string
  /** The transport that cannot be used; null for the default, undefined if the route has none. */
  transportId?: number | null
}

export interface TransportPoolOptions {
  mailer: Mailer
  /** Sends through the DSNs that callers of a Mautic wrote. */
  publicMailer: Mailer
  transports: Transports
  /** The operator's default. */
  defaultDsn: string | undefined
  /** Opens the rate limits of a transport's DSN, which all processes share. Default: each process has its own. */
  openRates?: Limiter['openRates']
  /** Opens the limits of connections of a transport. Default: there are none. */
  openConnections?: Limiter['openConnections']
  log: Log
  /** Called after each attempt, for the metrics. */
  onAttempt?: ((attempt: FinishedAttempt) => void) | undefined
}

interface PooledTransport {
  /** The sealed DSN that it was opened with. */
  sealed: string
  opened: Promise<Opened>
}

interface Opened {
  transport: Transport
  hasReturnPath: boolean
}

/** The transport that captured messages show. */
interface Through {
  /** Null for the operator's default. */
  id: number | null
  name: string
}

const defaultTransport: Through = { id: null, name: 'default' }

/**
 * The open transports, one for each row, shared by everything that sends: each has connection pools, rate limits and
 * the state of failed members. A transport is opened again when its DSN changes.
 */
export class TransportPool {
  readonly #options: TransportPoolOptions
  readonly #open = new Map<number, PooledTransport>()
  #default: Opened | undefined

  constructor(options: TransportPoolOptions) {
    this.#options = options
  }

  /** Returns the transport of a route, or why there is none. */
  async open({ target, trace }: Route): Promise<OpenTransport | OpenTransportProblem> {
    const { mailer, defaultDsn, log } = this.#options
    try {
      if (target.kind === 'transport') {
        const { id, name, revision } = target.row
        return this.#ready({ id, name }, await this.#find(target.row), revision)
      }
      if (target.kind === 'default' && defaultDsn !== undefined) {
        this.#default ??= openDsn(mailer, defaultDsn, limitsOf(null, this.#options))
        return this.#ready(defaultTransport, this.#default)
      }
    } catch (error) {
      const transportId = target.kind === 'transport' ? target.row.id : null
      return { problem: problemOf(error, log), transportId }
    }
    if ('problem' in target) return { problem: target.problem }
    const reasons = trace.map(({ reason }) => reason).join('; ')
    return { problem: `There is no transport for this message: ${reasons}.` }
  }

  /** Closes a transport that was deleted. */
  forget(id: number): void {
    const pooled = this.#open.get(id)
    if (this.#open.delete(id) && pooled !== undefined) this.#closeLater(pooled)
  }

  async close(): Promise<void> {
    const all = [...this.#open.values()]
    this.#open.clear()
    const closing = all.map(async ({ opened }) => (await opened).transport.close())
    await Promise.all([...closing, this.#default?.transport.close()])
  }

  #ready(through: Through, { transport, hasReturnPath }: Opened, revision?: number): OpenTransport {
    const { id: transportId, name } = through
    return {
      transportId,
      name,
      revision,
      hasReturnPath,
      send: async (message, { source, ...sendOptions }) => {
        const sent = await this.#send(transport, message, { ...sendOptions, through })
        const result = sendOptions.returnPath === undefined ? sent : maskReturnPath(sent)
        const { submitter: brand = noBrand } = sendOptions
        this.#report({ transportId, transport: name, source, brand, result })
        return result
      },
      transport,
    }
  }

  async #send(
    transport: Transport,
    message: Message,
    options: SendOptions & { through: Through },
  ): Promise<DeliveryResult> {
    const { log } = this.#options
    const result = await sendSafely({ transport, log }, message, options)
    const { id } = options.through
    if (result.fault?.code !== 'transport_closed' || id === null) return result
    // Its DSN was changed while the message waited in the pool: nothing was sent.
    const current = await this.#findAgain(id)
    return current === undefined
      ? result
      : sendSafely({ transport: current, log }, message, options)
  }

  /** Opens the transport with its current DSN; undefined if it was deleted or cannot be opened. */
  async #findAgain(id: number): Promise<Transport | undefined> {
    try {
      const row = await this.#options.transports.findRow(id)
      return row === undefined ? undefined : (await this.#find(row)).transport
    } catch (err) {
      this.#options.log.warn({ err }, 'changed transport not opened')
      return undefined
    }
  }

  #find(row: TransportRow): Promise<Opened> {
    const pooled = this.#open.get(row.id)
    if (pooled?.sealed === row.mailer_dsn) return pooled.opened
    const opened = this.#openPooled(row)
    this.#open.set(row.id, { sealed: row.mailer_dsn, opened })
    if (pooled !== undefined) this.#closeLater(pooled)
    opened.catch(() => {
      if (this.#open.get(row.id)?.opened === opened) this.#open.delete(row.id)
    })
    return opened
  }

  async #openPooled(row: TransportRow): Promise<Opened> {
    const { transports } = this.#options
    const mailer = row.is_public_only ? this.#options.publicMailer : this.#options.mailer
    return openDsn(mailer, await transports.dsnOf(row), limitsOf(row.id, this.#options))
  }

  #closeLater({ opened }: PooledTransport): void {
    const { log } = this.#options
    opened
      .then(({ transport }) => transport.close())
      .catch((err: unknown) => log.warn({ err }, 'transport not closed'))
  }

  /** An error of the metrics must not change the result of a message. */
  #report(attempt: FinishedAttempt): void {
    const { onAttempt, log } = this.#options
    try {
      onAttempt?.(attempt)
    } catch (err) {
      log.error({ err }, 'attempt not counted')
    }
  }
}

function openDsn(mailer: Mailer, dsn: string, limits: OpenOptions): Opened {
  const hasReturnPath = listSendingLeaves(dsn).some((leaf) => leaf.hasReturnPath)
  return { transport: mailer.open(dsn, limits), hasReturnPath }
}

/** Returns the limits that a transport shares with other processes. */
function limitsOf(
  transportId: number | null,
  { openRates, openConnections }: Pick<TransportPoolOptions, 'openRates' | 'openConnections'>,
): OpenOptions {
  const connections = openConnections?.(transportId)
  return {
    ...(openRates === undefined ? {} : { openRate: openRates(transportId) }),
    ...(connections === undefined ? {} : { connections }),
  }
}

/** Explains why a transport cannot be opened. Rethrows the error of a lost database. */
function problemOf(error: unknown, log: Log): string {
  if (error instanceof DsnError) return `The transport cannot be used: ${error.message}`
  if (error instanceof AppError && error.kind === 'upstream') throw error
  log.error({ err: error }, 'transport not opened')
  return 'The transport cannot be used: no configured key decrypts its DSN. Save the DSN again.'
}

/** Sends, and turns an unexpected error into an uncertain result: the message may have been sent. */
async function sendSafely(
  { transport, log }: { transport: Transport; log: Log },
  message: Message,
  options: SendOptions,
): Promise<DeliveryResult> {
  try {
    return await transport.send(message, options)
  } catch (err) {
    log.error({ err }, 'transport threw an error')
    return uncertainResult(message)
  }
}

function uncertainResult({ envelope }: Message): DeliveryResult {
  const outcome = 'uncertain' as const
  const noReply = { reply: null, isPermanent: false }
  const attempt = {
    ...noReply,
    member: '',
    outcome,
    stage: 'data' as const,
    fault: null,
    durationMs: 0,
  }
  const recipients = envelope.to.map((address) => ({ ...noReply, address, outcome }))
  const retry = { isRetrySafe: false, retryAfterMs: null, messageId: null }
  return { ...attempt, ...retry, recipients, attempts: [attempt] }
}
