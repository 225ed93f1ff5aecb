import type { IncomingMessage } from 'node:http'
import { Agent, request as httpsRequest } from 'node:https'
import type { Duplex } from 'node:stream'
import type { Connector } from '../connect/connector.ts'
import { type Endpoint, endpointName } from '../connect/endpoint.ts'
import { FaultError } from '../delivery/fault-error.ts'
import { noObserver, type Observer } from '../delivery/observer.ts'
import { secretMask } from '../secret.ts'
import type { HttpAnswer, HttpRequest } from './http-exchange.ts'

/** What a client is made of. */
export interface HttpsClientOptions {
  readonly connector: Connector
  /** For one request and its answer, after the connection is there. */
  readonly timeoutMs: number
  readonly connectionsMax: number
  /** Of the answer's body; what is over is cut off. Default 1 MiB. */
  readonly answerBytesMax?: number
  readonly observer?: Observer
}

/**
 * Sends requests over kept-alive connections to checked addresses. No redirect is followed: the key
 * would go where nobody chose to send it.
 */
export interface HttpsClient {
  /**
   * Throws FaultError; it is uncertain from the moment on at which the request may have left.
   */
  send(request: HttpRequest, signal?: AbortSignal): Promise<HttpAnswer>
  close(): void
}

/** Under the keep-alive time of any provider, so that none closes as a request leaves. */
const idleTimeoutMs = 4000
const answerBytesMaxDefault = 1024 * 1024
/** Resend, Mailtrap and whoever is behind such a proxy refuse clients that do not say what they are. */
const userAgent = 'mailyard'

/** Opens a client. */
export function openHttpsClient(options: HttpsClientOptions): HttpsClient {
  const agent = Object.assign(
    new Agent({ keepAlive: true, maxSockets: options.connectionsMax, timeout: idleTimeoutMs }),
    { createConnection: connectWith(options) },
  )
  return {
    send: (request, signal) => exchange(request, { ...options, agent, signal }),
    close: () => agent.destroy(),
  }
}

type CreateConnection = (
  options: { host?: string; port?: number | string },
  done: (error: Error | null, socket?: Duplex) => void,
) => undefined

function connectWith({ connector, observer = noObserver }: HttpsClientOptions): CreateConnection {
  return ({ host = '', port = 443 }, done) => {
    const endpoint: Endpoint = {
      host: host.replace(/^\[(.*)\]$/, '$1'),
      port: Number(port),
      protocol: 'https',
      trust: { isVerified: true, fingerprints: [] },
      sourceAddress: null,
    }
    connector
      .open(endpoint, { observer })
      .then((socket) => connector.secure(socket, endpoint, { observer }))
      .then(
        (socket) => done(null, socket),
        (error: unknown) => done(error as Error),
      )
    return undefined
  }
}

interface ExchangeOptions extends HttpsClientOptions {
  readonly agent: Agent
  readonly signal: AbortSignal | undefined
}

function exchange(request: HttpRequest, options: ExchangeOptions): Promise<HttpAnswer> {
  const { observer = noObserver, signal, timeoutMs } = options
  const url = new URL(request.url)
  const body = Buffer.from(request.body)
  return new Promise((resolve, reject) => {
    checkHeaders(request)
    let isSent = false
    let timer: NodeJS.Timeout | undefined
    const outgoing = httpsRequest(url, {
      method: request.method,
      agent: options.agent,
      headers: { 'user-agent': userAgent, ...request.headers, 'content-length': body.length },
    })
    const fail = (error: unknown) => {
      settle()
      outgoing.destroy()
      reject(
        error instanceof FaultError ? error : broken(url, { cause: error, isUncertain: isSent }),
      )
    }
    const cancel = () => fail(cancelled(isSent))
    const settle = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', cancel)
    }
    outgoing.on('socket', () => {
      isSent = true
      observer.enter('request')
      observer.sent(`${request.method} ${url.href} (${body.length} bytes)`)
      timer = setTimeout(() => fail(stalled(url, timeoutMs)), timeoutMs)
    })
    outgoing.on('error', fail)
    outgoing.on('response', (incoming) => {
      readAnswer(incoming, options.answerBytesMax ?? answerBytesMaxDefault, (answer) => {
        settle()
        observer.received(answer.status, [shownBody(request, answer)])
        if (answer.status >= 300 && answer.status < 400) reject(redirected(url, answer.status))
        else resolve(answer)
      })
    })
    if (signal?.aborted) return cancel()
    signal?.addEventListener('abort', cancel, { once: true })
    outgoing.end(body)
  })
}

/** What no header can hold, the key most of all, would be a TypeError of the request. */
function checkHeaders({ headers }: HttpRequest): void {
  for (const [name, value] of Object.entries(headers))
    if (!/^[\t\u0020-\u007e]*$/.test(value))
      throw new FaultError({
        code: 'credentials_refused',
        stage: 'request',
        message: `The header ${name} of the request would hold a character that is not ASCII; nothing was sent.`,
        hint: 'Copy the key into the DSN once more.',
      })
}

function shownBody({ hasSecretAnswer = false }: HttpRequest, { status, body }: HttpAnswer): string {
  if (hasSecretAnswer && status < 300) return secretMask
  return body.slice(0, 2000).replace(/\s+/g, ' ')
}

/** An answer that breaks off is handed on as far as it came: the status alone says much. */
function readAnswer(
  incoming: IncomingMessage,
  bytesMax: number,
  done: (answer: HttpAnswer) => void,
): void {
  const chunks: Buffer[] = []
  let length = 0
  const finish = () => {
    const headers: Record<string, string> = {}
    for (const [name, value] of Object.entries(incoming.headers))
      headers[name] = Array.isArray(value) ? value.join(', ') : (value ?? '')
    const body = Buffer.concat(chunks).subarray(0, bytesMax).toString('utf8')
    done({ status: incoming.statusCode ?? 0, headers, body })
  }
  incoming.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    length += chunk.length
    if (length > bytesMax) incoming.destroy()
  })
  incoming.on('error', () => undefined)
  incoming.once('close', finish)
}

function nameOf({ hostname, port }: URL): string {
  return endpointName({ host: hostname, port: port === '' ? 443 : Number(port) })
}

function stalled(url: URL, timeoutMs: number): FaultError {
  return new FaultError(
    {
      code: 'stalled',
      stage: 'request',
      message: `${nameOf(url)} did not answer the request in ${timeoutMs / 1000} s; the message may have been sent.`,
      hint: "Look for the message in the provider's log before sending it again.",
    },
    { isUncertain: true },
  )
}

function broken(url: URL, options: { cause: unknown; isUncertain: boolean }): FaultError {
  return new FaultError(
    {
      code: 'connection_closed',
      stage: 'request',
      message: options.isUncertain
        ? `${nameOf(url)} closed the connection without an answer; the message may have been sent.`
        : `The connection to ${nameOf(url)} failed.`,
      hint: options.isUncertain
        ? "Look for the message in the provider's log before sending it again."
        : 'Try again; if it happens every time, check the host in the DSN and the network of this machine.',
    },
    options,
  )
}

function cancelled(isUncertain: boolean): FaultError {
  return new FaultError(
    {
      code: 'cancelled',
      scope: 'message',
      stage: 'request',
      message: isUncertain
        ? 'The delivery was cancelled before the answer came; the message may have been sent.'
        : 'The delivery was cancelled before the request was sent.',
    },
    { isUncertain },
  )
}

function redirected(url: URL, status: number): FaultError {
  return new FaultError({
    code: 'redirected',
    stage: 'request',
    message: `${nameOf(url)} answered with a redirect (${status}), which is not followed.`,
    hint: 'Check the host in the DSN; write "default" for the provider\'s own.',
    reply: { protocol: 'http', code: status, enhancedCode: null, text: 'redirect' },
  })
}
