import { createSocket } from 'node:dgram'
import { connect, isIPv6 } from 'node:net'
import type { DnsServerAddress } from '../kit/dns-server-address.ts'
import {
  type DnsResponse,
  encodeQuery,
  type Query,
  type Question,
  readResponse,
} from './packets.ts'

/** Why a look-up failed: the code of `dns.promises`, and a sentence. */
export class DnsError extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** After this time a query over UDP is sent once more, because the packet may be lost. */
const resendMs = 1_000

/** How many packets with the right id are read until the server counts as broken. */
const packetsMax = 20

const tcpLengthBytes = 2

/**
 * Asks one server: over UDP, and over TCP where the answer is truncated.
 * @throws {DnsError} Where it answers with an error, not at all until `signal` is aborted, or with something else.
 */
export async function askServer(
  server: DnsServerAddress,
  question: Question,
  signal: AbortSignal,
): Promise<DnsResponse> {
  let response = await exchange(server, encodeQuery(question, { hasEdns: true }), signal)
  // Old servers do not know the extension of RFC 6891.
  if (response.code === 'FORMERR' || response.code === 'NOTIMP') {
    response = await exchange(server, encodeQuery(question, { hasEdns: false }), signal)
  }
  if (response.code === 'NOERROR' || response.code === 'NXDOMAIN') return response
  const code = response.code === 'REFUSED' ? 'EREFUSED' : 'ESERVFAIL'
  throw new DnsError(code, `The DNS server answered ${response.code} for ${question.name}.`)
}

async function exchange(
  server: DnsServerAddress,
  query: Query,
  signal: AbortSignal,
): Promise<DnsResponse> {
  const response = await exchangeUdp(server, query, signal)
  return response.isTruncated ? exchangeTcp(server, query, signal) : response
}

function exchangeUdp(
  { address, port }: DnsServerAddress,
  query: Query,
  signal: AbortSignal,
): Promise<DnsResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<DnsResponse>()
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4')
  let packets = 0
  const send = () => socket.send(query.bytes, (error) => error && fail(error))
  const fail = (error: Error) => reject(networkError(error))
  const abort = () => reject(signal.reason)
  socket.on('error', fail)
  socket.on('message', (bytes) => {
    const response = readResponse(bytes, query)
    if (response !== undefined) return resolve(response)
    packets += 1
    if (packets === packetsMax) reject(new DnsError('EBADRESP', unreadable(query)))
  })
  // Connected, the socket gets the packets of this server only.
  socket.once('connect', send)
  socket.connect(port, address)
  const resend = setInterval(send, resendMs)
  signal.addEventListener('abort', abort)
  if (signal.aborted) abort()
  return promise.finally(() => {
    clearInterval(resend)
    signal.removeEventListener('abort', abort)
    socket.removeAllListeners('message').close()
  })
}

function exchangeTcp(
  { address, port }: DnsServerAddress,
  query: Query,
  signal: AbortSignal,
): Promise<DnsResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<DnsResponse>()
  const socket = connect({ host: address, port })
  const pieces: Buffer[] = []
  let size = 0
  let expected: number | undefined
  const abort = () => reject(signal.reason)
  const broken = () => reject(new DnsError('EBADRESP', unreadable(query)))
  socket.on('error', (error) => reject(networkError(error)))
  socket.on('close', broken)
  socket.on('data', (piece) => {
    pieces.push(piece)
    size += piece.length
    if (size < tcpLengthBytes) return
    expected ??= tcpLengthBytes + Buffer.concat(pieces).readUInt16BE(0)
    if (size < expected) return
    const bytes = Buffer.concat(pieces).subarray(tcpLengthBytes, expected)
    const response = readResponse(bytes, query)
    if (response === undefined || response.isTruncated) broken()
    else resolve(response)
  })
  const length = Buffer.alloc(tcpLengthBytes)
  length.writeUInt16BE(query.bytes.length)
  socket.write(Buffer.concat([length, query.bytes]))
  signal.addEventListener('abort', abort)
  if (signal.aborted) abort()
  return promise.finally(() => {
    signal.removeEventListener('abort', abort)
    socket.destroy()
  })
}

function unreadable({ question }: Query): string {
  return `The DNS server answered something unreadable for ${question.name}.`
}

function networkError(error: Error & { code?: string }): DnsError {
  const code = error.code ?? 'ECONNREFUSED'
  return new DnsError(code, `The DNS server cannot be reached (${code}).`)
}
