import type { IncomingHttpHeaders } from 'node:http'
import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import type { Agent, Dispatcher } from 'undici'
import { pause } from '../../../kit/pause.ts'
import { Alarm } from '../../../kit/timers.ts'
import { cancelledFault, FaultError } from '../delivery/fault-error.ts'
import { noObserver, type Observer } from '../delivery/stage.ts'
import { secretMask } from '../secret.ts'
import type { Connector } from './connector.ts'
import { type Endpoint, endpointName } from './endpoint.ts'
import type { HttpRequest, HttpResponse, ReceivedResponse } from './http-message.ts'

interface HttpClientOptions {
  readonly connector: Connector
  /** Connections to one server, at most; further requests wait. */
  readonly connectionsMax: number
  /** The time limit of one request and its response, without the connection. Default: none. */
  readonly requestMs?: number
  readonly observer?: Observer
}

export interface HttpSendOptions {
  readonly signal?: AbortSignal | undefined
  /** The time limit of everything: connection, request and response. */
  readonly timeoutMs?: number | undefined
  /** The size at which the body of the response is truncated. Default 1 MiB. */
  readonly bytesMax?: number | undefined
  /** Called once there is a connection, right before the request is written. If it throws, nothing is sent. */
  readonly beforeSend?: (() => void) | undefined
}

/** Shorter than the keep-alive time of servers, so that none closes a connection while a request is sent. */
const idleTimeoutMs = 4000
const bytesMaxDefault = 1024 * 1024
/** Resend, Mailtrap and others refuse clients without a user agent. */
const userAgent = 'mailyard'

const require = createRequire(import.meta.url)

/**
 * Sends requests over persistent connections to allowed addresses. It follows no redirect, because the redirect could
 * send the API key to another host.
 */
export class HttpClient {
  readonly #options: HttpClientOptions
  #agent: Agent | undefined

  constructor(options: HttpClientOptions) {
    this.#options = options
  }

  /**
   * Sends a request.
   * @throws {FaultError} which is uncertain once the request may have been received.
   */
  send(request: HttpRequest, options: HttpSendOptions = {}): Promise<ReceivedResponse> {
    const { observer = noObserver, requestMs } = this.#options
    return new Promise((resolve, reject) => {
      const exchange = new Exchange(request, {
        observer,
        requestMs,
        timeoutMs: options.timeoutMs,
        bytesMax: options.bytesMax ?? bytesMaxDefault,
        signal: options.signal,
        beforeSend: options.beforeSend,
        resolve,
        reject,
      })
      exchange.dispatch(this.dispatcher)
    })
  }

  /**
   * The connections of the client, for requests whose bodies are streamed. undici is loaded with the first use: most
   * transports need no HTTP.
   */
  get dispatcher(): Dispatcher {
    this.#agent ??= this.#openAgent()
    return this.#agent
  }

  /** Closes the connections; requests that wait for a response fail. */
  async close(): Promise<void> {
    await this.#agent?.destroy()
  }

  #openAgent(): Agent {
    const undici = require('undici') as typeof import('undici')
    return new undici.Agent({
      connections: this.#options.connectionsMax,
      keepAliveTimeout: idleTimeoutMs,
      keepAliveMaxTimeout: idleTimeoutMs,
      headersTimeout: 0,
      bodyTimeout: 0,
      allowH2: false,
      connect: ({ hostname, port, protocol }, done) => {
        const isSecure = protocol === 'https:'
        this.#connect({
          host: hostname,
          port: Number(port) || (isSecure ? 443 : 80),
          protocol: isSecure ? 'https' : 'http',
          trust: { isVerified: true, fingerprints: [] },
          sourceAddress: null,
        }).then(
          (socket) => done(null, socket),
          (error: Error) => done(error, null),
        )
      },
    })
  }

  async #connect(endpoint: Endpoint): Promise<Socket> {
    const { connector, observer = noObserver } = this.#options
    const socket = await connector.open(endpoint, { observer })
    return endpoint.protocol === 'https' ? connector.secure(socket, endpoint, { observer }) : socket
  }
}

interface ExchangeOptions extends HttpSendOptions {
  readonly observer: Observer
  readonly requestMs: number | undefined
  readonly bytesMax: number
  readonly resolve: (response: ReceivedResponse) => void
  readonly reject: (error: unknown) => void
}

/** One request and its response. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #request: HttpRequest
  readonly #options: ExchangeOptions
  readonly #url: URL
  readonly #body: Buffer
  readonly #chunks: Buffer[] = []
  #bytes = 0
  #status = 0
  #headers: IncomingHttpHeaders = {}
  #controller: Dispatcher.DispatchController | undefined
  #timer: Alarm | undefined
  /** Whether the server may have the request. */
  #isSent = false
  #isSettled = false

  constructor(request: HttpRequest, options: ExchangeOptions) {
    this.#request = request
    this.#options = options
    this.#url = new URL(request.url)
    this.#body = Buffer.from(request.body)
  }

  dispatch(dispatcher: Dispatcher): void {
    const { method, headers } = this.#request
    const { signal, timeoutMs } = this.#options
    checkHeaders(headers)
    if (signal?.aborted) {
      this.#cancel()
      return
    }
    signal?.addEventListener('abort', this.#cancel, { once: true })
    if (timeoutMs !== undefined) this.#startTimer(timeoutMs)
    dispatcher.dispatch(
      {
        origin: this.#url.origin,
        path: `${this.#url.pathname}${this.#url.search}`,
        method,
        headers: { 'user-agent': userAgent, ...headers },
        body: this.#body,
      },
      this,
    )
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#isSettled) throw cancelled(false)
    this.#options.beforeSend?.()
    const { observer, requestMs } = this.#options
    this.#controller = controller
    this.#isSent = true
    observer.enter('request')
    observer.sent(`${this.#request.method} ${this.#url.href} (${this.#body.length} bytes)`)
    if (requestMs !== undefined) this.#startTimer(requestMs)
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (status < 200) return
    this.#status = status
    this.#headers = headers
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
    if (this.#bytes > this.#options.bytesMax) this.#end('too_large')
  }

  onResponseEnd(): void {
    this.#end('whole')
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    // The status may be sufficient.
    if (this.#status !== 0) this.#end('cut_off')
    else this.#fail(error instanceof FaultError ? error : broken(this.#url, error, this.#isSent))
  }

  #startTimer(timeoutMs: number): void {
    this.#timer?.cancel()
    const fail = () => this.#fail(stalled(this.#url, timeoutMs, this.#isSent))
    this.#timer = new Alarm(fail).set(timeoutMs)
  }

  readonly #cancel = () => this.#fail(cancelled(this.#isSent))

  #end(ending: ReceivedResponse['ending']): void {
    if (!this.#settle()) return
    const { observer, bytesMax, resolve } = this.#options
    const body = Buffer.concat(this.#chunks).subarray(0, bytesMax).toString('utf8')
    const response = { status: this.#status, headers: joined(this.#headers), body, ending }
    observer.received(response.status, [shownBody(this.#request, response)])
    // undici reuses a connection one turn of the event loop after a response. A request before that would open another one.
    process.nextTick(() => void pause().then(() => resolve(response)))
    if (ending === 'too_large') this.#controller?.abort(new Error('The response is too large.'))
  }

  #fail(error: FaultError): void {
    if (!this.#settle()) return
    this.#options.reject(error)
    this.#controller?.abort(error)
  }

  /** Returns false if the exchange has ended already. */
  #settle(): boolean {
    if (this.#isSettled) return false
    this.#isSettled = true
    this.#timer?.cancel()
    this.#options.signal?.removeEventListener('abort', this.#cancel)
    return true
  }
}

function joined(headers: IncomingHttpHeaders): Record<string, string> {
  const entries = Object.entries(headers)
  return Object.fromEntries(
    entries.map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  )
}

/** Refuses header values that undici would reject with a TypeError; most of all the API key. */
function checkHeaders(headers: HttpRequest['headers']): void {
  for (const [name, value] of Object.entries(headers))
    if (!/^[\t\u0020-\u007e]*$/.test(value))
      throw new FaultError({
        code: 'credentials_refused',
        stage: 'request',
        message: `The header ${name} would contain a character that is not ASCII; nothing was sent.`,
        hint: 'Copy the key once more.',
      })
}

function shownBody(
  { hasSecretResponse = false }: HttpRequest,
  { status, body }: HttpResponse,
): string {
  if (hasSecretResponse && status < 300) return secretMask
  return body.slice(0, 2000).replace(/\s+/g, ' ')
}

function nameOf({ protocol, hostname, port }: URL): string {
  const standardPort = protocol === 'https:' ? 443 : 80
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  return endpointName({ host, port: port === '' ? standardPort : Number(port) })
}

function stalled(url: URL, timeoutMs: number, isUncertain: boolean): FaultError {
  const seconds = Math.max(1, Math.round(timeoutMs / 1000))
  return new FaultError(
    {
      code: 'stalled',
      stage: 'request',
      message: `${nameOf(url)} did not answer within ${seconds} s.`,
      hint: 'Check that the server works, and try again later.',
    },
    { isUncertain },
  )
}

function broken(url: URL, cause: unknown, isUncertain: boolean): FaultError {
  return new FaultError(
    {
      code: 'connection_closed',
      stage: 'request',
      message: isUncertain
        ? `${nameOf(url)} closed the connection without a response.`
        : `The connection to ${nameOf(url)} failed.`,
      hint: isUncertain
        ? 'Check that the server works, and that the port speaks the protocol of the URL (http or https).'
        : 'Try again; if it happens every time, check the host and the network of this machine.',
    },
    { cause, isUncertain },
  )
}

function cancelled(isUncertain: boolean): FaultError {
  if (!isUncertain) return cancelledFault('request', 'before the request was sent')
  const { fault } = cancelledFault('request', 'before the response came')
  return new FaultError(fault, { isUncertain })
}

/**
 * Refuses a redirect.
 * @throws {FaultError}
 */
export function refuseRedirect({ url }: HttpRequest, { status }: HttpResponse): void {
  if (status < 300 || status >= 400) return
  throw new FaultError({
    code: 'redirected',
    stage: 'request',
    message: `${nameOf(new URL(url))} answered with a redirect (${status}), which is not followed.`,
    hint: 'Check the host in the DSN; write "default" for the provider\'s own.',
    reply: { protocol: 'http', code: status, enhancedCode: null, text: 'redirect' },
  })
}
