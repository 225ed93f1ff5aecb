import { hostname } from 'node:os'
import type { SecureContext } from 'node:tls'
import type { Login, Logins } from '../auth/index.ts'
import type { TrustedNetwork } from '../config/index.ts'
import { AppError } from '../kit/app-error.ts'
import type { Caller } from '../kit/caller.ts'
import type { Clock } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import type { Sending } from '../sending/index.ts'
import type { Storage } from '../storage/index.ts'
import { type DoorCertificate, openDoorTls } from './door-tls.ts'
import {
  createNetworkLookup,
  createReply,
  type Door,
  isLoopback,
  openDoor,
  type Reply,
} from './smtp/index.ts'
import { createSubmit } from './submission/submit.ts'

/** What the relay is opened with. */
export interface RelayOptions {
  host: string
  port: number | undefined
  securePort: number | undefined
  certificate: DoorCertificate
  /** As it is now; it may throw. */
  rereadCertificate: () => DoorCertificate
  trustedNetworks: readonly TrustedNetwork[]
  messageBytesMax: number
  connectionsMax: number
  connectionsPerAddressMax: number
  /** How many connections may be unauthenticated; undefined: a quarter of all, at least 10. */
  unauthenticatedMax: number | undefined
  /** How long after it connected a client may take to log in. */
  loginMs: number
  rememberRefusalsMs: number
  logins: Logins
  sending: Sending
  storage: Storage
  clock: Clock
  log: Log
}

const recipientsMax = 1_000
/**
 * The limit for message data in memory, as a number of the largest messages. While it is sent, a message is in memory three
 * times: as it was received, in one piece and as it is encoded.
 */
const largestInMemory = 20
const timeouts = { commandMs: 300_000, pieceMs: 120_000, messageMs: 900_000 }

/** Opens the SMTP door: what is handed in leaves by its transport. Throws an AppError for wrong settings. */
export async function openRelay(options: RelayOptions): Promise<Door> {
  const { host, port, securePort, log, logins, messageBytesMax } = options
  const networks = createNetworkLookup<Login>(
    options.trustedNetworks.map(({ network, username }) => ({
      network,
      value: logins.vouchFor(username),
    })),
  )
  const submit = createSubmit(options)
  const door = await openDoor({
    host,
    port,
    securePort,
    secureContext: openTls(options),
    rules: {
      name: hostname(),
      sizeMax: messageBytesMax,
      recipientsMax,
      logIn: (attempt) => logins.logIn(attempt),
      admit: (login) => admit(login, log),
      submit,
    },
    vouchFor: networks,
    connectionsMax: options.connectionsMax,
    connectionsPerAddressMax: options.connectionsPerAddressMax,
    unauthenticatedMax: options.unauthenticatedMax,
    bytesMax: messageBytesMax * largestInMemory,
    timeouts: { ...timeouts, loginMs: options.loginMs },
    log,
  })
  for (const [name, at] of Object.entries({ smtp: door.port, smtps: door.securePort })) {
    if (at !== undefined) log.info(`listening at ${name}://${host}:${at}`)
  }
  const isReachable =
    (port ?? securePort) !== undefined && !isLoopback(host) && host !== 'localhost'
  if (isReachable && options.certificate.certificate === undefined) {
    log.warn('the SMTP door has no certificate: from other machines only trusted networks may send')
  }
  return door
}

/** Undefined where nobody asked for TLS. */
function openTls(options: RelayOptions): (() => SecureContext) | undefined {
  const { securePort, certificate: first, rereadCertificate: read, clock, log } = options
  const isAsked = (securePort ?? first.certificate ?? first.key) !== undefined
  return isAsked ? openDoorTls({ first, read, clock, log }) : undefined
}

/** Asked for each message: who may no longer send is out at once. */
async function admit(login: Login, log: Log): Promise<Caller | Reply> {
  try {
    const caller = await login.findCaller()
    if (caller === undefined) return createReply(530, '5.7.0', 'Log in first: nobody is known here')
    if (caller.can('email:send')) return caller
    return createReply(550, '5.7.1', 'You do not have permission to send (email:send)')
  } catch (err) {
    log.warn({ err }, 'a caller could not be looked up at the SMTP door')
    const text = err instanceof AppError ? err.message : 'Mailyard has a fault; try again later'
    return createReply(451, '4.3.0', text)
  }
}
