import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import type { TSchema } from 'typebox'
import { AppError } from '../kit/app-error.ts'
import type { Log } from '../kit/log.ts'
import { type AllowedMethods, createAllowedMethods } from './allowed-methods.ts'
import { addBodyParsers, parseQuery } from './body-parsers.ts'
import { bodySizeBytesMax, headSizeBytesMax } from './body-sizes.ts'
import { answerTo } from './error-body.ts'
import type { HttpApp, RoutePermission } from './http-app.ts'
import { HttpRefusal } from './http-refusal.ts'
import { addNodeRefusals } from './node-refusals.ts'
import { findHostFault, readRequestLine } from './request-line.ts'
import { setSecurityHeaders } from './security-headers.ts'
import { createSerializer } from './serializer.ts'
import { answerBrokenHttp } from './socket-errors.ts'
import { createValidator } from './validation.ts'

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
  const logger: FastifyBaseLogger = log
  const app = Fastify({
    loggerInstance: logger,
    // One logger for all: what a line needs of its request is put on it where it is written.
    childLoggerFactory: () => logger,
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
    frameworkErrors: (error, request, reply) => void answerError(error, request, reply),
  }).withTypeProvider<TypeBoxTypeProvider>()

  const allowed = createAllowedMethods()
  addNodeRefusals(app.server)
  addBodyParsers(app)
  app.setValidatorCompiler<TSchema>(({ schema, httpPart }) => createValidator(schema, httpPart))
  app.setSerializerCompiler(({ schema }) => createSerializer(schema))
  addHooks(app, { log, allowed, onRoute })
  app.setErrorHandler(answerError)
  app.setNotFoundHandler((request, reply) => {
    const path = pathOf(request.url)
    const methods = allowed.of(path)
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
    // The reader of the API's description comes with its own routes.
    if (route.url.startsWith('/api/docs')) route.config = { ...route.config, permission: 'public' }
    const { url, method, config } = route
    if (config?.permission === undefined) {
      throw new Error(`${[method].flat().join(', ')} ${url} has no permission.`)
    }
    for (const each of [method].flat()) {
      allowed.add(each, url)
      onRoute?.({ method: each, url, permissions: [config.permission].flat() })
    }
  })
  app.addHook('onRequest', (request, reply, next) => {
    setSecurityHeaders(request, reply)
    next(findHostFault(request.raw))
  })
  app.addHook('preValidation', (request, _reply, next) => {
    request.body ??= {}
    const path = pathOf(request.url)
    // `GET /things/new` would otherwise be taken for a malformed id.
    if (allowed.isOtherPath(request.method, path))
      next(refuseMethod(request.method, path, allowed.of(path)))
    else next()
  })
  app.addHook('onResponse', (request, reply, next) => {
    logRequest(log, request, reply)
    next()
  })
}

async function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const { status, headers, body } = answerTo(error, request.id)
  const line = {
    requestId: request.id,
    method: request.method,
    path: pathOf(request.url),
    err: error,
  }
  if (status >= 500) request.log.error(line, 'request failed')
  return reply.code(status).headers(headers).type('application/json; charset=utf-8').send(body)
}

function pathUnknown(path: string): AppError {
  return new AppError('not_found', 'path_unknown', `There is nothing at ${path}.`)
}

function refuseMethod(method: string, path: string, methods: string[]): HttpRefusal {
  const allow = methods.join(', ')
  return new HttpRefusal(405, `${method} is not possible at ${path}; ${allow} is.`, { allow })
}

function pathOf(url: string): string {
  const end = url.indexOf('?')
  return end === -1 ? url : url.slice(0, end)
}

/** Reads that went well are told at `debug`: there are many, and they changed nothing. */
function logRequest(log: Log, request: FastifyRequest, reply: FastifyReply): void {
  const isQuiet = request.method === 'GET' && reply.statusCode < 400
  if (isQuiet && !log.isLevelEnabled('debug')) return
  const line = {
    requestId: request.id,
    method: request.method,
    path: pathOf(request.url),
    status: reply.statusCode,
    durationMs: Math.round(reply.elapsedTime * 10) / 10,
    address: request.ip,
  }
  log[isQuiet ? 'debug' : 'info'](line, 'request')
}
