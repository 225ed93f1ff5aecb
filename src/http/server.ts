import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type RouteOptions,
} from 'fastify'
import type { TSchema } from 'typebox'
import { AppError } from '../kit/app-error.ts'
import type { Log } from '../kit/log.ts'
import { type AllowedMethods, createAllowedMethods } from './allowed-methods.ts'
import { addBodyParsers, parseQuery } from './body-parsers.ts'
import { bodySizeBytesMax, headSizeBytesMax } from './body-sizes.ts'
import { answerBeforeRest } from './drop-rest.ts'
import { answerTo, type ErrorBody } from './error-body.ts'
import type { HttpApp, HttpRequestHook, RoutePermission } from './http-app.ts'
import { HttpRefusal } from './http-refusal.ts'
import { addNodeRefusals } from './node-refusals.ts'
import { sendUnknownPath } from './pages.ts'
import { findHostFault, readRequestLine } from './request-line.ts'
import { setSecurityHeaders } from './security-headers.ts'
import { createSerializer } from './serializer.ts'
import { answerBrokenHttp } from './socket-errors.ts'
import { createValidator } from './validation.ts'
import { ignoreUnknownNames } from './warnings.ts'

/** What the server is made of. */
export interface HttpServerOptions {
  log: Log
  /** A new id for each request: in the answer, and in the log where something goes wrong. */
  createRequestId: () => string
  /** Addresses or networks whose X-Forwarded-For is believed. */
  trustedProxies: readonly string[]
  /** Told of each route that is added. */
  onRoute?: ((route: DeclaredRoute) => void) | undefined
}

/** A route, and what it asks of its caller. */
export interface DeclaredRoute {
  method: string
  /** With its parameters: `/api/users/:id`. */
  url: string
  permissions: readonly RoutePermission[]
}

/**
 * Creates the HTTP server, without a route: bodies, validation, errors, timeouts and headers are the
 * same for every one that is added. A route that declares no permission throws.
 */
export function createHttpServer(options: HttpServerOptions): HttpApp {
  const { log, createRequestId, trustedProxies, onRoute } = options
  const app = Fastify({
    loggerInstance: withoutChildren(log),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: createRequestId,
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    bodyLimit: bodySizeBytesMax,
    // Without a Host, Node would refuse without a word.
    http: { maxHeaderSize: headSizeBytesMax, requireHostHeader: false },
    rewriteUrl: readRequestLine,
    requestTimeout: 120_000,
    connectionTimeout: 120_000,
    keepAliveTimeout: 75_000,
    forceCloseConnections: 'idle',
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: 200,
      querystringParser: parseQuery,
    },
    clientErrorHandler: answerBrokenHttp,
    // Fastify loads its own compilers otherwise, which are set aside below.
    schemaController: {
      compilersFactory: { buildValidator: neverBuilt, buildSerializer: neverBuilt },
    },
    frameworkErrors: (error, request, reply) => void answerError(error, request, reply),
  }).withTypeProvider<TypeBoxTypeProvider>()

  app.setValidatorCompiler<TSchema>(({ schema, httpPart }) => createValidator(schema, httpPart))
  app.setSerializerCompiler(({ schema }) => createSerializer(schema))
  const allowed = createAllowedMethods()
  addNodeRefusals(app.server)
  const answerError = createErrorHandler(log, allowed)
  addBodyParsers(app)
  addHooks(app, { log, allowed, onRoute })
  app.setErrorHandler(answerError)
  app.setNotFoundHandler((request, reply) => {
    const path = pathOf(request.url)
    const methods = allowed.of(path)
    if (methods.length === 0 && isPageRequest(request, path)) return sendUnknownPath(reply)
    const error =
      methods.length === 0 ? pathUnknown(path) : refuseMethod(request.method, path, methods)
    return answerError(error, request, reply)
  })
  return app
}

function addHooks(
  app: HttpApp,
  parts: Pick<HttpServerOptions, 'log' | 'onRoute'> & { allowed: AllowedMethods },
): void {
  const { log, onRoute, allowed } = parts
  app.addHook('onRoute', (route) => {
    const { url, method, config } = route
    if (config?.permission === undefined) {
      throw new Error(`${[method].flat().join(', ')} ${url} has no permission.`)
    }
    for (const each of [method].flat()) {
      allowed.add(each, url)
      onRoute?.({ method: each, url, permissions: [config.permission].flat() })
    }
    ignoreUnknownNames(route)
    if (!isReadMethod(method)) addChangeHooks(route, log)
  })
  app.addHook('onRequest', (request, reply, next) => {
    setSecurityHeaders(request, reply)
    next(findHostFault(request.raw))
  })
  if (log.isLevelEnabled('debug')) {
    app.addHook('onResponse', (request, reply, next) => {
      if (isQuiet(request, reply)) logRequest(log, request, reply)
      next()
    })
  }
}

/** Whether a browser asks for a page, and not a program for the API. */
function isPageRequest({ method, headers }: FastifyRequest, path: string): boolean {
  const isProgram = /^\/(?:api|oauth)(?:\/|$)/.test(path)
  return method === 'GET' && !isProgram && (headers.accept ?? '').includes('text/html')
}

function neverBuilt(): never {
  throw new Error('The compilers of schemas are our own.')
}

/** Reads are many, and are spared the hooks that they do not need: each costs as much as a small look-up. */
function addChangeHooks(route: RouteOptions, log: Log): void {
  const fillBody: HttpRequestHook = (request, _reply, next) => {
    request.body ??= {}
    next()
  }
  const logAnswer: HttpRequestHook = (request, reply, next) => {
    if (!isReadMethod(request.method)) logRequest(log, request, reply)
    next()
  }
  route.preValidation = [fillBody, ...[route.preValidation ?? []].flat()]
  route.onResponse = [logAnswer, ...[route.onResponse ?? []].flat()]
}

/**
 * One logger for all: a line is given what it needs of its request where it is written. A logger for each
 * request costs more than the look-up that the request is for.
 */
function withoutChildren(log: Log): FastifyBaseLogger {
  const logger: FastifyBaseLogger = Object.assign(Object.create(log), { child: () => logger })
  return logger
}

function createErrorHandler(log: Log, allowed: AllowedMethods) {
  return async (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const { method, id: requestId } = request
    const path = pathOf(request.url)
    // `GET /things/new` was taken for a malformed id.
    const isOtherPath = isMalformedParameter(error) && allowed.isOtherPath(method, path)
    const known = isOtherPath ? refuseMethod(method, path, allowed.of(path)) : error
    const fault = isBodyTooLarge(known) ? bodyTooLarge(request) : known
    const { status, headers, body } = answerTo(fault, requestId)
    if (status >= 500) log.error({ requestId, method, path, err: fault }, 'request failed')
    reply.code(status).headers(headers).type('application/json; charset=utf-8')
    if (isLoggedAtOnce(request)) logRequest(log, request, reply)
    return sendError(log, { request, reply, body })
  }
}

function isBodyTooLarge(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'FST_ERR_CTP_BODY_TOO_LARGE'
}

/** Fastify's own sentence does not say what the limit is. */
function bodyTooLarge({ routeOptions }: FastifyRequest): AppError {
  const limit = routeOptions.bodyLimit ?? bodySizeBytesMax
  const message = `The body is larger than ${limit} bytes, the limit of this path. Send less at once.`
  return new AppError('too_large', 'body_too_large', message)
}

/** Every other request that fails is logged when it was answered; see addChangeHooks. */
function isLoggedAtOnce({ is404, method }: FastifyRequest): boolean {
  return is404 || isReadMethod(method)
}

/** Where a body was refused before it was read to its end, the connection is to be closed. */
function sendError(
  log: Log,
  { request, reply, body }: { request: FastifyRequest; reply: FastifyReply; body: ErrorBody },
): FastifyReply {
  const { raw } = request
  if (reply.getHeader('connection') !== 'close' || raw.readableEnded) return reply.send(body)
  const text = JSON.stringify(body)
  // A client that has read the answer may go while its body is still dropped: then it never is answered in full.
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished && !isLoggedAtOnce(request)) logRequest(log, request, reply)
  })
  return reply.header('content-length', Buffer.byteLength(text)).send(answerBeforeRest(text, raw))
}

function isMalformedParameter(error: unknown): boolean {
  return (
    error instanceof Error && 'validationContext' in error && error.validationContext === 'params'
  )
}

function pathUnknown(path: string): AppError {
  return new AppError('not_found', 'path_unknown', `There is nothing at ${path}.`)
}

function refuseMethod(method: string, path: string, methods: string[]): HttpRefusal {
  const allow = methods.join(', ')
  return new HttpRefusal(405, `Method ${method} is not allowed for ${path}; use ${allow}.`, {
    allow,
  })
}

function pathOf(url: string): string {
  const end = url.indexOf('?')
  return end === -1 ? url : url.slice(0, end)
}

function isReadMethod(method: string | string[]): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** Reads that went well are told at `debug`: there are many, and they changed nothing. */
function isQuiet(request: FastifyRequest, reply: FastifyReply): boolean {
  return isReadMethod(request.method) && reply.statusCode < 400
}

function logRequest(log: Log, request: FastifyRequest, reply: FastifyReply): void {
  const line = {
    requestId: request.id,
    method: request.method,
    path: pathOf(request.url),
    status: reply.statusCode,
    durationMs: Math.round(reply.elapsedTime * 10) / 10,
    address: request.ip,
  }
  log[isQuiet(request, reply) ? 'debug' : 'info'](line, 'request')
}
