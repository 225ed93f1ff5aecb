import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { FaultError } from '../delivery/fault-error.ts'
import { noObserver, type Observer } from '../delivery/stage.ts'
import { secretMask } from '../secret.ts'
import type { Connector } from './connector.ts'
import { type Endpoint, endpointName } from './endpoint.ts'
import type { HttpRequest, HttpResponse } from './http-message.ts'

/** Options of an HTTP client. */
interface HttpClientOptions {
  readonly connector: Connector
  /** The time limit of one request and its response, without the connection. */
  readonly timeoutMs: number
  readonly connectionsMax: number
  /** The size at which a response body is truncated. Default 1 MiB. */
  readonly responseBytesMax?: number
  readonly observer?: Observer
}

/** Options of one request. */
interface HttpSendOptions {
  readonly signal?: AbortSignal | undefined
  /** Called once there is a connection, right before the request is written. If it throws, nothing is sent. */
  readonly beforeSend?: () => void
}

/**
 * Sends requests over persistent connections to allowed addresses. It follows no redirect, because the redirect could
 * send the API key to another host.
 */
export interface HttpClient {
  /**
   * Sends a request.
   * @throws {FaultError} which is uncertain once the request may have been sent.
   */
  send(request: HttpRequest, options?: HttpSendOptions): Promise<HttpResponse>
  close(): void
}

/** Shorter than the keep-alive time of the providers, so that none closes a connection while a request is sent. */
const idleTimeoutMs = 4000
const responseBytesMaxDefault = 1024 * 1024
/** Resend, Mailtrap and others refuse clients without a user agent. */
const userAgent = 'mailyard'

/** Opens an HTTP client. A URL with `http:` is requested without TLS: its caller checks that it is of this machine. */
export function openHttpClient(options: HttpClientOptions): HttpClient {
  const agentOptions = {
    keepAlive: true,
    maxSockets: options.connectionsMax,
    timeout: idleTimeoutMs,
  }
  const secure = Object.assign(new HttpsAgent(agentOptions), {
    createConnection: connectWith(options, 'https'),
  })
  const plain = Object.assign(new HttpAgent(agentOptions), {
    createConnection: connectWith(options, 'http'),
  })
  return {
    send: (request, sendOptions) =>
      exchange(request, { ...options, ...sendOptions, agents: { secure, plain } }),
    close() {
      secure.destroy()
      plain.destroy()
    },
  }
}

type CreateConnection = (
  options: { host?: string; port?: number | string },
  done: (error: Error | null, socket?: Duplex) => void,
) => undefined

function connectWith(
  { connector, observer = noObserver }: HttpClientOptions,
  protocol: 'http' | 'https',
): CreateConnection {
  return ({ host = '', port = protocol === 'https' ? 443 : 80 }, done) => {
    const endpoint: Endpoint = {
      host: host.replace(/^\[(.*)\]$/, '$1'),
      port: Number(port),
      protocol,
      trust: { isVerified: true, fingerprints: [] },
      sourceAddress: null,
    }
    connector
      .open(endpoint, { observer })
      .then((socket): Socket | Promise<Socket> =>
        protocol === 'https' ? connector.secure(socket, endpoint, { observer }) : socket,
      )
      .then(
        (socket) => done(null, socket),
        (error: unknown) => done(error as Error),
      )
    return undefined
  }
}

interface ExchangeOptions extends HttpClientOptions, HttpSendOptions {
  readonly agents: { readonly secure: HttpsAgent; readonly plain: HttpAgent }
}

function exchange(request: HttpRequest, options: ExchangeOptions): Promise<HttpResponse> {
  const { observer = noObserver, signal, timeoutMs, agents } = options
  const url = new URL(request.url)
  const isSecure = url.protocol === 'https:'
  const body = Buffer.from(request.body)
  return new Promise((resolve, reject) => {
    checkHeaders(request)
    let isUncertain = false
    let timer: NodeJS.Timeout | undefined
    const send = isSecure ? httpsRequest : httpRequest
    const outgoing = send(url, {
      method: request.method,
      agent: isSecure ? agents.secure : agents.plain,
      headers: { 'user-agent': userAgent, ...request.headers, 'content-length': body.length },
    })
    const fail = (error: unknown) => {
      settle()
      outgoing.destroy()
      reject(error instanceof FaultError ? error : broken(url, { cause: error, isUncertain }))
    }
    const cancel = () => fail(cancelled(isUncertain))
    const settle = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', cancel)
    }
    outgoing.on('socket', () => {
      try {
        options.beforeSend?.()
      } catch (error) {
        return fail(error)
      }
      isUncertain = true
      observer.enter('request')
      observer.sent(`${request.method} ${url.href} (${body.length} bytes)`)
      timer = setTimeout(() => fail(stalled(url, timeoutMs)), timeoutMs)
      outgoing.end(body)
    })
    outgoing.on('error', fail)
    outgoing.on('response', (incoming) => {
      readResponse(incoming, options.responseBytesMax ?? responseBytesMaxDefault, (response) => {
        settle()
        observer.received(response.status, [shownBody(request, response)])
        if (response.status >= 300 && response.status < 400)
          reject(redirected(url, response.status))
        else resolve(response)
      })
    })
    if (signal?.aborted) return cancel()
    signal?.addEventListener('abort', cancel, { once: true })
  })
}

/** Refuses header values that Node would reject with a TypeError; most of all the API key. */
function checkHeaders({ headers }: HttpRequest): void {
  for (const [name, value] of Object.entries(headers))
    if (!/^[\t\u0020-\u007e]*$/.test(value))
      throw new FaultError({
        code: 'credentials_refused',
        stage: 'request',
        message: `The header ${name} would contain a character that is not ASCII; nothing was sent.`,
        hint: 'Copy the key into the DSN once more.',
      })
}

function shownBody(
  { hasSecretResponse = false }: HttpRequest,
  { status, body }: HttpResponse,
): string {
  if (hasSecretResponse && status < 300) return secretMask
  return body.slice(0, 2000).replace(/\s+/g, ' ')
}

/** Reads a response. One that is cut off is passed on as far as it was received: its status may be sufficient. */
function readResponse(
  incoming: IncomingMessage,
  bytesMax: number,
  done: (response: HttpResponse) => void,
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

function nameOf({ protocol, hostname, port }: URL): string {
  const standardPort = protocol === 'https:' ? 443 : 80
  return endpointName({ host: hostname, port: port === '' ? standardPort : Number(port) })
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
        ? `${nameOf(url)} closed the connection without a response; the message may have been sent.`
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
        ? 'The delivery was cancelled before the response came; the message may have been sent.'
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
