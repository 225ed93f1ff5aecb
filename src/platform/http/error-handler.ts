import { Readable } from 'node:stream'
import { AppError } from '../../kit/app-error.ts'
import { pauseForTurn } from '../../kit/pause.ts'
import { Alarm } from '../../kit/timers.ts'
import type { AllowedMethods } from './allowed-methods.ts'
import { answerTo, type ErrorBody, HttpError } from './errors.ts'
import type { HttpReply, HttpRequest } from './http-app.ts'
import { pathOf, shownPathOf } from './shown-path.ts'

type ErrorHandler = (error: unknown, request: HttpRequest, reply: HttpReply) => HttpReply
type LogRequest = (request: HttpRequest, reply: HttpReply) => void

/** Creates the handler for `setErrorHandler`: answers every error with the same JSON body, and logs errors of ours. */
export function createErrorHandler(allowed: AllowedMethods, logRequest: LogRequest): ErrorHandler {
  return (error, request, reply) => {
    const { method } = request
    const path = pathOf(request.url)
    // The router takes `GET /things/new` for `GET /things/:id` with a malformed id.
    const isOtherPath = isMalformedParameter(error) && allowed.isOtherPath(method, path)
    const fault = isOtherPath ? methodNotAllowed(request, allowed.of(path)) : error
    const { status, headers, body } = answerTo(fault, request.id)
    // An HttpError is the answer itself, such as 502 for another server.
    if (status >= 500 && !(fault instanceof HttpError))
      request.log.error(
        { requestId: request.id, method, path: shownPathOf(request), err: fault },
        'request failed',
      )
    reply.code(status).headers(headers).type('application/json; charset=utf-8')
    if (reply.getHeader('connection') !== 'close' || request.raw.readableEnded)
      return reply.send(body)
    return sendBeforeBody(reply, body, logRequest)
  }
}

interface NotFoundParts {
  allowed: AllowedMethods
  answerError: ErrorHandler
  /** Answers a browser that asks for a page. */
  sendPage: (reply: HttpReply) => HttpReply
}

/** Creates the handler for `setNotFoundHandler`: 405 where the path has other methods, the page for browsers, else 404. */
export function createNotFoundHandler({ allowed, answerError, sendPage }: NotFoundParts) {
  return (request: HttpRequest, reply: HttpReply) => {
    const path = pathOf(request.url)
    const methods = allowed.of(path)
    if (methods.length > 0) return answerError(methodNotAllowed(request, methods), request, reply)
    if (isPageRequest(request, path)) return sendPage(reply)
    const sentences = [`There is nothing at ${shownPathOf(request)}.`, allowed.suggest(path) ?? []]
    const error = new AppError('not_found', 'path_unknown', sentences.flat().join(' '))
    return answerError(error, request, reply)
  }
}

/** Whether a browser asks for a page, and not a program for the API. */
function isPageRequest({ method, headers }: HttpRequest, path: string): boolean {
  const isProgram = /^\/(?:api|oauth)(?:\/|$)/.test(path)
  return method === 'GET' && !isProgram && (headers.accept ?? '').includes('text/html')
}

function isMalformedParameter(error: unknown): boolean {
  return (
    error instanceof Error && 'validationContext' in error && error.validationContext === 'params'
  )
}

function methodNotAllowed(request: HttpRequest, methods: string[]): HttpError {
  const allow = methods.join(', ')
  const message = `Method ${request.method} is not allowed for ${shownPathOf(request)}; use ${allow}.`
  return new HttpError(405, message, { allow })
}

/**
 * Answers before the body was read to its end, which closes the connection. The response ends only after the rest of
 * the body is discarded: a client that is still writing would otherwise get a reset instead of the answer.
 * `Content-Length` lets the client read the answer without waiting for that end.
 */
function sendBeforeBody(reply: HttpReply, body: ErrorBody, logRequest: LogRequest): HttpReply {
  const { request } = reply
  const text = JSON.stringify(body)
  // A client may disconnect once it has read the answer; then onResponse is not called.
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) logRequest(request, reply)
  })
  const write = async function* () {
    yield text
    await discardBody(request.raw)
  }
  const stream = Readable.from(write(), { objectMode: false })
  return reply.header('content-length', Buffer.byteLength(text)).send(stream)
}

/** How much of a body is discarded, for how long, and how long without any data. */
const discardLimits = { bytes: 64 * 1024 * 1024, durationMs: 30_000, silenceMs: 5_000 }

/** Reads and discards the rest of a body, to its end or to the first of the limits. */
export function discardBody(body: Readable, limits = discardLimits): Promise<void> {
  if (body.readableEnded || body.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    let bytes = 0
    const finish = () => {
      duration.cancel()
      silence.cancel()
      body.off('data', discard)
      resolve()
    }
    const discard = (chunk: Buffer) => {
      silence.set(limits.silenceMs)
      bytes += chunk.length
      if (bytes > limits.bytes) finish()
      else pauseForTurn(body)
    }
    const duration = new Alarm(finish).set(limits.durationMs)
    const silence = new Alarm(finish).set(limits.silenceMs)
    body.on('data', discard).once('end', finish).once('close', finish).on('error', finish)
    body.resume()
  })
}
