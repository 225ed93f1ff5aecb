import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { SecureContext, TLSSocket } from 'node:tls'
import type { Login } from '../../auth/index.ts'
import type { Log } from '../../kit/log.ts'
import { networkOf } from '../../kit/network-of.ts'
import { createByteBudget } from './byte-budget.ts'
import { Connection, type ConnectionTimeouts, tooManyConnections } from './connection.ts'
import { type Guest, GuestList } from './guest-list.ts'
import { listen } from './listen.ts'
import { isLoopback, normalAddress } from './network-address.ts'
import { formatReply } from './reply.ts'
import { secureSocket } from './secure-socket.ts'
import type { DoorRules } from './session.ts'

/** What a door is opened with. */
export interface DoorOptions {
  readonly host: string
  /** Undefined opens none. */
  readonly port: number | undefined
  /** With TLS from the first byte; undefined opens none. */
  readonly securePort: number | undefined
  /** Asked for each handshake. Undefined offers no TLS. */
  readonly secureContext: (() => SecureContext) | undefined
  readonly rules: Omit<DoorRules, 'hasTls'>
  /** Who needs no log-in at an address. */
  readonly vouchFor: (address: string) => Login | undefined
  readonly connectionsMax: number
  /**
   * How many of them may be unauthenticated; beyond it the oldest of these is closed for a new one. Default: a quarter,
   * at least 10.
   */
  readonly unauthenticatedMax?: number | undefined
  /** For each IPv4 address and each IPv6 /64. */
  readonly connectionsPerAddressMax: number
  /** How many bytes of messages may be in hand at once. */
  readonly bytesMax: number
  readonly timeouts: ConnectionTimeouts
  /** How often it is looked who is late. Default: each second. */
  readonly sweepMs?: number
  readonly log: Log
}

/** Where clients hand in mail. */
export interface Door {
  /** The ports that it listens on; undefined for those that are not open. */
  readonly port: number | undefined
  readonly securePort: number | undefined
  /** Open connections. */
  readonly connections: number
  /** Takes nobody in any more, lets messages that are under way be answered, and says goodbye. */
  close(timeoutMs: number): Promise<void>
}

/** Opens it. Throws an AppError where a port cannot be listened on. */
export async function openDoor(options: DoorOptions): Promise<Door> {
  const { host, port, securePort } = options
  const visitors = new Visitors(options)
  const servers: Server[] = []
  const open = async (at: number | undefined, isSecure: boolean, setting: string) => {
    if (at === undefined) return undefined
    const server = createServer({ noDelay: true, allowHalfOpen: true }, (socket) =>
      visitors.admit(socket, isSecure),
    )
    await listen(server, { host, port: at, setting })
    servers.push(server)
    return (server.address() as AddressInfo).port
  }
  const opened = await open(port, false, 'MAILYARD_SMTP_PORT')
  const openedSecure = await open(securePort, true, 'MAILYARD_SMTPS_PORT').catch(
    (error: unknown) => {
      for (const server of servers) server.close()
      throw error
    },
  )
  return {
    port: opened,
    securePort: openedSecure,
    get connections() {
      return visitors.size
    },
    async close(timeoutMs) {
      for (const server of servers) server.close()
      await visitors.dismiss(timeoutMs)
    },
  }
}

/** What is known of a client when it has connected. */
interface Visitor {
  readonly guest: Guest
  readonly address: string
  readonly isSecure: boolean
  /** As whom it may send without a log-in. */
  readonly lent: Login | undefined
  /** As `performance.now()` has it. */
  readonly loginDeadline: number
}

/** The open connections. */
class Visitors {
  readonly #options: DoorOptions
  readonly #rules: DoorRules
  readonly #budget
  readonly #guests
  readonly #open = new Set<Connection>()
  readonly #handshaking = new Set<Socket>()
  readonly #sweeper: NodeJS.Timeout
  #gone: (() => void) | undefined

  constructor(options: DoorOptions) {
    this.#options = options
    this.#rules = { ...options.rules, hasTls: options.secureContext !== undefined }
    this.#budget = createByteBudget(options.bytesMax)
    this.#guests = new GuestList(options)
    this.#sweeper = setInterval(() => this.#sweep(), options.sweepMs ?? defaultSweepMs)
    this.#sweeper.unref()
  }

  get size(): number {
    return this.#guests.size
  }

  admit(socket: Socket, isSecure: boolean): void {
    const { timeouts, vouchFor } = this.#options
    const address = normalAddress(socket.remoteAddress)
    const lent = vouchFor(address)
    const guest = { network: networkOf(address), evict: () => void socket.destroy() }
    socket.on('error', () => socket.destroy())
    if (!this.#guests.enter(guest, { isAuthenticated: lent !== undefined })) {
      refuse(socket, isSecure)
      return
    }
    socket.on('close', () => this.#guests.leave(guest))
    const loginDeadline =
      lent === undefined ? performance.now() + timeouts.loginMs : Number.POSITIVE_INFINITY
    const visitor = { guest, address, isSecure, lent, loginDeadline }
    if (isSecure) this.#shakeHands(socket, visitor)
    else this.#begin(socket, visitor)
  }

  /** TLS from the first byte. */
  #shakeHands(socket: Socket, visitor: Visitor): void {
    const late = setTimeout(() => socket.destroy(), this.#options.timeouts.loginMs)
    this.#handshaking.add(socket)
    this.#secure(socket)
      .then((secured) => this.#begin(secured, visitor))
      .catch(() => socket.destroy())
      .finally(() => {
        this.#handshaking.delete(socket)
        clearTimeout(late)
      })
  }

  /** Resolves when all have gone. */
  async dismiss(timeoutMs: number): Promise<void> {
    for (const socket of this.#handshaking) socket.destroy()
    try {
      if (this.#open.size > 0) await this.#dismissAll(timeoutMs)
    } finally {
      clearInterval(this.#sweeper)
    }
  }

  async #dismissAll(timeoutMs: number): Promise<void> {
    const gone = new Promise<void>((resolve) => {
      this.#gone = resolve
    })
    for (const connection of this.#open) connection.end()
    const cut = setTimeout(() => {
      for (const connection of this.#open) connection.destroy()
    }, timeoutMs)
    await gone
    clearTimeout(cut)
  }

  #sweep(): void {
    const now = performance.now()
    for (const connection of this.#open) connection.sweep(now)
  }

  #begin(socket: Socket, { guest, address, isSecure, lent, loginDeadline }: Visitor): void {
    const { log, timeouts } = this.#options
    const session = {
      address,
      isSecure,
      isLocal: isLoopback(address),
      hello: undefined,
      lent,
      login: undefined,
      envelope: undefined,
      answer: undefined,
      failedLogins: 0,
      unknownCommands: 0,
    }
    const connection = new Connection(socket, {
      session,
      log,
      timeouts,
      loginDeadline,
      rules: this.#rules,
      budget: this.#budget,
      secure: (plain) => this.#secure(plain),
      onAuthenticated: () => this.#guests.authenticate(guest),
      onClose: () => this.#forget(connection),
    })
    guest.evict = () => connection.evict()
    this.#open.add(connection)
  }

  #forget(connection: Connection): void {
    this.#open.delete(connection)
    if (this.#open.size === 0) this.#gone?.()
  }

  #secure(socket: Socket): Promise<TLSSocket> {
    const { secureContext } = this.#options
    if (secureContext === undefined) throw new Error('There is no certificate.')
    return secureSocket(socket, secureContext())
  }
}

const defaultSweepMs = 1_000
const refusalWaitMs = 1_000

function refuse(socket: Socket, isSecure: boolean): void {
  if (!isSecure) socket.end(formatReply(tooManyConnections))
  setTimeout(() => socket.destroy(), isSecure ? 0 : refusalWaitMs)
  socket.resume()
}
