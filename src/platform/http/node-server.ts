import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { startStopwatch } from '../../kit/clock.ts'
import { Alarm, every } from '../../kit/timers.ts'
import { bodyOf, HttpError } from './errors.ts'
import { type Reroute, setRerouting } from './rerouting.ts'

/** The open connections of a server. */
export interface Connections {
  /**
   * Closes each connection once it is idle, and all connections after this time.
   *
   * @returns A function that stops the timer.
   */
  drain(timeoutMs: number): () => void
}

const intervalMs = 100
/** How long a connection without any request stays open after the stop. */
const firstByteWaitMs = 1_000

/**
 * Tracks the connections of a server, to close them when it stops. Node itself closes only connections that are idle at
 * that moment, neither those that become idle later, such as those of a proxy, nor those without any request.
 */
export function trackConnections(server: Server): Connections {
  const open = new Set<Socket>()
  server.on('connection', (socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  return {
    drain(timeoutMs) {
      const elapsedMs = startStopwatch()
      return every(intervalMs, () => {
        server.closeIdleConnections()
        for (const socket of open) {
          if (elapsedMs() > firstByteWaitMs && socket.bytesRead === 0) socket.destroy()
        }
        if (elapsedMs() > timeoutMs) server.closeAllConnections()
      })
    },
  }
}

/**
 * Answers requests that Node itself rejects without a body: an unknown `Expect` (RFC 9110, section 10.1.1), and CONNECT,
 * which is for proxies. An empty `Expect`, as Mautic's PHP library sends it, is ignored.
 */
export function addNodeErrors(server: Server): void {
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    if (request.headers.expect === '') {
      server.emit('request', request, response)
      return
    }
    response.statusCode = 417
    response.setHeader('content-type', contentType).setHeader('connection', 'close')
    response.end(JSON.stringify(bodyOf('Expect is not supported, except for 100-continue.')))
  })
  server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    const message = 'Method CONNECT is not allowed: Mailyard is not a proxy.'
    answerRaw(socket, ['405 Method Not Allowed', message], ['Allow: '])
  })
}

const contentType = 'application/json; charset=utf-8'

type RawAnswer = [status: string, message: string]

/** Answers where Node has made no response, and closes the connection. */
function answerRaw(socket: Socket, [status, message]: RawAnswer, headers: string[] = []): void {
  const text = JSON.stringify(bodyOf(message))
  const head = [
    `HTTP/1.1 ${status}`,
    `Content-Type: ${contentType}`,
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Connection: close',
    ...headers,
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`)
}

const answers: Readonly<Record<string, RawAnswer>> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'The headers are larger than 256 KiB.',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['413 Payload Too Large', 'The chunk extensions are too large.'],
}

/** How long a client may keep its side of a connection open that is closed. */
const closeWaitMs = 2_000

/**
 * Answers data that is not valid HTTP, or does not arrive in time, with the body of every other error, and closes the
 * connection, even if the client keeps its side open: what was received stays in memory until then.
 */
export function answerBrokenHttp(
  error: NodeJS.ErrnoException,
  socket: Socket,
  waitMs = closeWaitMs,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const fallback: RawAnswer = ['400 Bad Request', 'The request is not valid HTTP.']
  answerRaw(socket, answers[error.code ?? ''] ?? fallback)
  const timer = new Alarm(() => socket.destroy()).set(waitMs)
  socket.once('close', () => timer.cancel())
}

const overridden = new Set(['PUT', 'PATCH', 'DELETE'])

/**
 * Returns the path that a request is routed by, and sets its method. A POST may name another method in
 * `X-HTTP-Method-Override`, as Mautic's clients do. Scheme and host before the path are removed (RFC 9112, section 3.2.2).
 */
export function readRequestLine(head: IncomingMessage, reroute?: Reroute): string {
  const { method, headers, url: target = '/' } = head
  const url = target.startsWith('/')
    ? target
    : target.replace(/^https?:\/\/[^/?#]*(?=[/?#]|$)/i, '') || '/'
  const rerouting = reroute?.(head, url)
  if (rerouting !== undefined) setRerouting(head, rerouting)
  if (rerouting?.keepsMethod === true) return rerouting.url
  const other = method === 'POST' ? headers['x-http-method-override'] : undefined
  if (typeof other === 'string' && overridden.has(other.toUpperCase())) {
    head.method = other.toUpperCase()
  }
  return rerouting?.url ?? url
}

/** Returns an error for an HTTP/1.1 request without Host (RFC 9112, section 3.2). */
export function findHostFault(head: Pick<IncomingMessage, 'headers' | 'httpVersion'>) {
  if (head.headers.host !== undefined || head.httpVersion !== '1.1') return undefined
  return new HttpError(400, 'The header Host is missing; HTTP/1.1 requires it.')
}
