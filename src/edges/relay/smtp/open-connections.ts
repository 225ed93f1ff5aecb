import type { Socket } from 'node:net'
import type { SecureContext, TLSSocket } from 'node:tls'
import type { ByteBudget } from '../../../kit/byte-budget.ts'
import type { Clock } from '../../../kit/clock.ts'
import type { Log } from '../../../kit/log.ts'
import { isLoopback, networkOf } from '../../../kit/network-of.ts'
import { blockList, isListed } from '../../../kit/networks.ts'
import { Alarm, every, sleep } from '../../../kit/timers.ts'
import { within } from '../../../kit/within.ts'
import type { Login } from '../../../platform/auth/index.ts'
import { Connection, type ConnectionTimeouts, tooManyConnections } from './connection.ts'
import { ConnectionLimiter, type ConnectionSlot } from './connection-limiter.ts'
import { secureSocket } from './server-tls.ts'
import { formatReply, type SmtpServerRules } from './session.ts'

export interface ConnectionsOptions {
  /** Called for each handshake; undefined: no TLS. */
  readonly secureContext: (() => SecureContext) | undefined
  readonly rules: Omit<SmtpServerRules, 'hasTls'>
  /** Returns the login of an address in a trusted network, which need not authenticate. */
  readonly trust: (address: string) => Login | undefined
  readonly connectionsMax: number
  /** The most unauthenticated connections; above it, a new one evicts an old one. Default: a quarter, at least 10. */
  readonly unauthenticatedMax?: number | undefined
  /** For each IPv4 address and each IPv6 /64. */
  readonly connectionsPerAddressMax: number
  /** The memory for messages that are being received and sent. */
  readonly memory: ByteBudget
  readonly timeouts: ConnectionTimeouts
  /** How often connections are checked for timeouts. Default: each second. */
  readonly sweepMs?: number
  readonly clock: Clock
  readonly log: Log
}

/** A client that has connected. */
interface Peer {
  readonly slot: ConnectionSlot
  readonly address: string
  readonly isSecure: boolean
  /** See `Session.trustedLogin`. */
  readonly trustedLogin: Login | undefined
  /** By the monotonic clock. */
  readonly loginDeadline: number
}

export class OpenConnections {
  readonly #options: ConnectionsOptions
  readonly #rules: SmtpServerRules
  readonly #slots
  readonly #connections = new Set<Connection>()
  readonly #handshaking = new Set<Socket>()
  readonly #endSweeps: () => void
  #onAllClosed: (() => void) | undefined

  constructor(options: ConnectionsOptions) {
    this.#options = options
    this.#rules = { ...options.rules, hasTls: options.secureContext !== undefined }
    this.#slots = new ConnectionLimiter(options)
    this.#endSweeps = every(options.sweepMs ?? defaultSweepMs, () => this.#closeLate())
  }

  get size(): number {
    return this.#slots.size
  }

  accept(socket: Socket, isSecure: boolean): void {
    const { timeouts, trust, clock } = this.#options
    const address = normalAddress(socket.remoteAddress)
    const trustedLogin = trust(address)
    const slot = { network: networkOf(address), evict: () => void socket.destroy() }
    socket.on('error', () => socket.destroy())
    if (!this.#slots.accept(slot, { isAuthenticated: trustedLogin !== undefined })) {
      reject(socket, isSecure)
      return
    }
    socket.on('close', () => this.#slots.release(slot))
    const loginDeadline =
      trustedLogin === undefined ? clock.monotonic() + timeouts.loginMs : Number.POSITIVE_INFINITY
    const peer = { slot, address, isSecure, trustedLogin, loginDeadline }
    if (isSecure) this.#startTls(socket, peer)
    else this.#open(socket, peer)
  }

  /** For a port with TLS from the first byte. */
  #startTls(socket: Socket, peer: Peer): void {
    const timeout = new Alarm(() => socket.destroy()).set(this.#options.timeouts.loginMs)
    this.#handshaking.add(socket)
    this.#secure(socket)
      .then((secured) => this.#open(secured, peer))
      .catch(() => socket.destroy())
      .finally(() => {
        this.#handshaking.delete(socket)
        timeout.cancel()
      })
  }

  /** Ends all connections and resolves when they are closed. */
  async close(timeoutMs: number): Promise<void> {
    for (const socket of this.#handshaking) socket.destroy()
    try {
      if (this.#connections.size > 0) await this.#closeAll(timeoutMs)
    } finally {
      this.#endSweeps()
    }
  }

  async #closeAll(timeoutMs: number): Promise<void> {
    const allClosed = new Promise<void>((resolve) => {
      this.#onAllClosed = resolve
    })
    for (const connection of this.#connections) connection.end()
    await within(timeoutMs, allClosed)
    for (const connection of this.#connections) connection.destroy()
    await allClosed
  }

  #closeLate(): void {
    for (const connection of this.#connections) connection.closeIfLate()
  }

  #open(socket: Socket, { slot, address, isSecure, trustedLogin, loginDeadline }: Peer): void {
    const { log, clock, timeouts, memory } = this.#options
    const session = {
      address,
      isSecure,
      isLocal: isLoopback(address),
      hello: undefined,
      trustedLogin,
      login: undefined,
      envelope: undefined,
      answer: undefined,
      failedLogins: 0,
      unknownCommands: 0,
    }
    const connection = new Connection(socket, {
      session,
      log,
      clock,
      timeouts,
      loginDeadline,
      rules: this.#rules,
      memory,
      secure: (plain) => this.#secure(plain),
      onAuthenticated: () => this.#slots.authenticate(slot),
      onClose: () => this.#forget(connection),
    })
    slot.evict = () => connection.evict()
    this.#connections.add(connection)
  }

  #forget(connection: Connection): void {
    this.#connections.delete(connection)
    if (this.#connections.size === 0) this.#onAllClosed?.()
  }

  #secure(socket: Socket): Promise<TLSSocket> {
    const { secureContext } = this.#options
    if (secureContext === undefined) throw new Error('No certificate is configured.')
    return secureSocket(socket, secureContext())
  }
}

const defaultSweepMs = 1_000
const rejectWaitMs = 1_000

function reject(socket: Socket, isSecure: boolean): void {
  if (!isSecure) socket.end(formatReply(tooManyConnections))
  void sleep(isSecure ? 0 : rejectWaitMs).then(() => socket.destroy())
  socket.resume()
}

/** Normalizes an address: a dual-stack socket returns IPv4 addresses in IPv6 notation. */
function normalAddress(address: string | undefined): string {
  return (address ?? '').replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
}

/** Creates a lookup of the first network that contains an address. Networks are in CIDR notation or single addresses. */
export function createNetworkLookup<Value>(
  entries: readonly { network: string; value: Value }[],
): (address: string) => Value | undefined {
  const lists = entries.map(({ network, value }) => ({ list: blockList([network]), value }))
  return (address) => lists.find(({ list }) => isListed(list, address))?.value
}
