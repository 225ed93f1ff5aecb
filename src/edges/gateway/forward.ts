import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { PassThrough, type Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { OutboundError } from '../../libraries/mailer/index.ts'
import {
  discardBody,
  HttpError,
  type HttpReply,
  type HttpRequest,
} from '../../platform/http/index.ts'
import type { Target } from './find-target.ts'
import type { MauticOutages } from './outages.ts'
import { checkForwardable, hasBody, requestHeaders } from './request-headers.ts'
import { responseHeaders } from './response-headers.ts'
import type { ServedMautic } from './served-mautics.ts'

/** A request to be forwarded, and where its answer goes. */
export interface Exchange {
  request: HttpRequest
  reply: HttpReply
  target: Target
  /** The body, if it was read already. */
  body?: Buffer
  /** Called with the status of the answer. */
  onStatus?: (status: number) => void
}

/** Less than the silence after which a connection is closed, so that the client gets an answer. */
const answerDefaultMs = 100_000
/** How many requests of one Mautic are open at a time. */
const openMax = 500

/** Forwards requests to Mautics. */
export class Forwarder {
  readonly #getAgent: () => Dispatcher
  readonly #outages: MauticOutages
  readonly #answerMs: number
  readonly #open = new Map<number, number>()

  constructor(options: {
    getAgent: () => Dispatcher
    outages: MauticOutages
    /** How long a Mautic may take to answer. Default: 100 s. */
    answerMs?: number | undefined
  }) {
    this.#getAgent = options.getAgent
    this.#outages = options.outages
    this.#answerMs = options.answerMs ?? answerDefaultMs
  }

  /**
   * Sends a request on to its Mautic and the answer back, both as they arrive. Resolves when the answer has ended, or the
   * client has disconnected.
   *
   * @throws HttpError where there is no answer to send: Mautic cannot be reached, does not answer, or the request is ambiguous.
   */
  async forward(exchange: Exchange): Promise<void> {
    checkForwardable(exchange.request)
    const { mautic } = exchange.target
    const count = this.#open.get(mautic.id) ?? 0
    if (count >= openMax) throw tooManyOpen(mautic)
    this.#open.set(mautic.id, count + 1)
    try {
      await this.#dispatch(exchange)
      this.#outages.recover(mautic)
    } catch (error) {
      if (error instanceof HttpError && error.status >= 500) this.#outages.report(mautic, error)
      throw error
    } finally {
      this.#open.set(mautic.id, (this.#open.get(mautic.id) ?? 1) - 1)
    }
  }

  #dispatch(exchange: Exchange): Promise<void> {
    const { request, target, body } = exchange
    const { mautic, path } = target
    const options = {
      origin: mautic.origin,
      path: mautic.basePath + path,
      method: request.method,
      headers: requestHeaders(request, target),
      body: body ?? (hasBody(request) ? bodyOf(request) : null),
      servername: mautic.servername,
      headersTimeout: this.#answerMs,
      bodyTimeout: this.#answerMs,
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#getAgent().dispatch(options, new ForwardHandler(exchange, { resolve, reject }))
    return promise
  }
}

/**
 * The body of a request. undici destroys the stream that it reads, when Mautic answers before its end; the request itself
 * must stay readable, or its client would get a reset instead of the answer.
 */
function bodyOf({ raw }: HttpRequest): Readable {
  return raw.pipe(new PassThrough())
}

interface Settle {
  resolve: () => void
  reject: (error: Error) => void
}

/**
 * Receives the answer of Mautic. Where `onResponseStart` throws, undici aborts the request and calls `onResponseError`. The other
 * functions call nothing that throws.
 */
class ForwardHandler implements Dispatcher.DispatchHandler {
  readonly #exchange: Exchange
  readonly #response: ServerResponse
  readonly #settle: Settle
  #controller: Dispatcher.DispatchController | undefined
  #isDisconnected = false

  constructor(exchange: Exchange, settle: Settle) {
    this.#exchange = exchange
    this.#response = exchange.reply.raw
    this.#settle = settle
    // The client may have disconnected while its credentials were checked.
    this.#isDisconnected = this.#response.destroyed
    this.#response.once('close', this.#onClose)
  }

  readonly #onClose = () => {
    if (this.#response.writableFinished) return
    this.#isDisconnected = true
    this.#controller?.abort(new Error('The client disconnected.'))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#isDisconnected) controller.abort(new Error('The client disconnected.'))
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    received: IncomingHttpHeaders,
  ): void {
    if (status < 200) return
    const { request, reply, target, onStatus } = this.#exchange
    if (status > 599) throw new Error(`Mautic answered with the status ${status}.`)
    if (Array.isArray(received['content-length']))
      throw new Error('Mautic answered with several lengths.')
    // All that Node would refuse is refused before: a `writeHead` that throws leaves parts of this answer in the next one.
    const headers = responseHeaders(received, request, target)
    // What is left of the body could be taken for the next request.
    if (!request.raw.complete) headers['connection'] = 'close'
    // Without Mautic's reason phrase, which may have any bytes. Node adds its own.
    this.#response.writeHead(status, headers)
    reply.hijack()
    onStatus?.(status)
    this.#response.on('drain', () => controller.resume())
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#response.write(chunk)) controller.pause()
  }

  onResponseEnd(): void {
    const { raw } = this.#exchange.request
    const end = () => this.#response.end()
    if (raw.complete) end()
    else {
      raw.unpipe()
      void discardBody(raw).then(end)
    }
    this.#settle.resolve()
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (!this.#response.headersSent && !this.#isDisconnected) {
      this.#response.off('close', this.#onClose)
      this.#settle.reject(toHttpError(error, this.#exchange.target))
      return
    }
    // The client sees that the answer has no end.
    this.#exchange.reply.hijack()
    this.#response.destroy()
    this.#settle.resolve()
  }
}

function toHttpError(error: Error & { code?: string }, { mautic }: Target): Error {
  switch (error.code) {
    case 'UND_ERR_HEADERS_TIMEOUT':
      return new HttpError(504, `Mautic "${mautic.name}" did not answer in time.`)
    case 'UND_ERR_INVALID_ARG':
      return new HttpError(
        400,
        'The request cannot be forwarded: its path or a header is malformed.',
      )
    case 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH':
      return new HttpError(400, 'The body does not have the length that Content-Length names.')
    default:
      return unreachable(mautic, error)
  }
}

/** The error for a Mautic that cannot be reached, or whose answer is not HTTP. */
export function unreachable({ name }: { name: string }, cause?: unknown): HttpError {
  const error = new HttpError(502, `Mautic "${name}" cannot be reached. Try again later.`)
  return Object.assign(error, { cause: OutboundError.of(cause) })
}

function tooManyOpen({ name }: ServedMautic): HttpError {
  const message = `Too many requests to Mautic "${name}" are open. Try again in 5 seconds.`
  return new HttpError(503, message, { 'retry-after': '5' })
}
