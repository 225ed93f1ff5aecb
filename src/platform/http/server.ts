import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify, { LogController } from 'fastify'
import type { TSchema } from 'typebox'
import type { ByteBudget } from '../../kit/byte-budget.ts'
import type { Log } from '../../kit/log.ts'
import type { WorkQueue } from '../../kit/work-queue.ts'
import { AllowedMethods } from './allowed-methods.ts'
import { bodySizeBytesMax, headSizeBytesMax } from './body-limits.ts'
import { addBodyParsers } from './body-parsers.ts'
import { BodyReader } from './body-reader.ts'
import { createErrorHandler, createNotFoundHandler } from './error-handler.ts'
import { ExpensiveRoutes } from './expensive-routes.ts'
import type { Callers, HttpApp, HttpReply, HttpRequest, RoutePermission } from './http-app.ts'
import { addNodeErrors, answerBrokenHttp, findHostFault, readRequestLine } from './node-server.ts'
import { LargeQuery, parseQuery } from './query.ts'
import type { Reroute } from './rerouting.ts'
import { createSerializer, createValidator, neverBuilt } from './schema-compilers.ts'
import { setSecurityHeaders } from './security-headers.ts'
import { shownPathOf } from './shown-path.ts'
import { TurnTime } from './turn-time.ts'
import { addWarnings, checkNames, describeNames } from './warnings.ts'

export interface HttpServerOptions {
  log: Log
  memory: ByteBudget
  /** Returns a new id for each request: the `X-Request-Id` of its response and the `requestId` of its log lines. */
  createRequestId: () => string
  /** Where the parsing of large bodies and the handlers of expensive routes take turns. */
  work: WorkQueue
  callers: Callers
  /** Addresses or networks of proxies whose `X-Forwarded-For` is trusted. */
  trustedProxies: readonly string[]
  /** The paths that get a route, with their parameters: `/api/users/:id`. Default: all that are added. */
  paths?: ReadonlySet<string> | undefined
  /** Called for each route that is added. */
  onRoute?: ((route: DeclaredRoute) => void) | undefined
  /** Called for each request when it is answered. */
  onAnswered?: ((request: HttpRequest, reply: HttpReply) => void) | undefined
  /** Routes some requests by something else than their path. It is called for each request. */
  reroute?: Reroute
  /** Answers a browser that asks for a page at a path without a route. */
  sendPage: (reply: HttpReply) => HttpReply
}

/** A route and the permissions that it requires. */
export interface DeclaredRoute {
  method: string
  /** With its parameters: `/api/users/:id`. */
  url: string
  permissions: readonly RoutePermission[]
}

/**
 * Creates the HTTP server without routes. Body parsers, validation, errors, timeouts and headers are the same for every
 * route that is added to it. Adding a route without a permission throws.
 */
export function createHttpServer(options: HttpServerOptions): HttpApp {
  const { log, createRequestId, trustedProxies, sendPage, reroute, memory, work, callers } = options
  const allowed = new AllowedMethods()
  const logRequest = createRequestLog(log, options)
  const answerError = createErrorHandler(allowed, logRequest)
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: createRequestId,
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    bodyLimit: bodySizeBytesMax,
    // Node itself would answer a request without Host with an empty body.
    http: { maxHeaderSize: headSizeBytesMax, requireHostHeader: false },
    rewriteUrl: (head) => readRequestLine(head, reroute),
    requestTimeout: 120_000,
    connectionTimeout: 120_000,
    keepAliveTimeout: 75_000,
    forceCloseConnections: 'idle',
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: 200,
      querystringParser: parseQuery,
    },
    clientErrorHandler: (error, socket) => answerBrokenHttp(error, socket),
    // Prevents Fastify from loading Ajv and its serializer, which are replaced below.
    schemaController: {
      compilersFactory: { buildValidator: neverBuilt, buildSerializer: neverBuilt },
    },
    frameworkErrors(error, request, reply) {
      void answerError(error, request, reply)
      logRequest(request, reply)
    },
  }).withTypeProvider<TypeBoxTypeProvider>() as unknown as HttpApp

  if (options.paths !== undefined) keepRoutes(app, options.paths)
  app.setValidatorCompiler<TSchema>(({ schema, httpPart }) => createValidator(schema, httpPart))
  app.setSerializerCompiler(({ schema }) => createSerializer(schema))
  // A child logger for each request takes a sixth of the time of a look-up.
  app.setChildLoggerFactory((logger) => logger)
  app.setErrorHandler(answerError)
  app.setNotFoundHandler(createNotFoundHandler({ allowed, answerError, sendPage }))
  addNodeErrors(app.server)
  app.decorate('bodies', new BodyReader({ memory, callers }))
  const expensive = new ExpensiveRoutes({ work, callers })
  addBodyParsers(app, { work, callers, expensive })
  addHooks(app, { onRoute: options.onRoute, work, callers, allowed, logRequest, expensive })
  return app
}

/** Adds the routes of these paths only. All of them take a tenth of a second, which is long for a command that asks one. */
function keepRoutes(app: HttpApp, paths: ReadonlySet<string>): void {
  type AddRoute = (this: HttpApp, first: string | { url: string }, ...rest: unknown[]) => HttpApp
  const methods = app as unknown as Record<string, AddRoute>
  for (const method of ['get', 'post', 'put', 'patch', 'delete', 'route']) {
    const add = methods[method] as AddRoute
    methods[method] = function addKept(first, ...rest) {
      const url = typeof first === 'string' ? first : first.url
      return paths.has(url) ? add.call(this, first, ...rest) : this
    }
  }
}

interface HookOptions extends Pick<HttpServerOptions, 'onRoute' | 'work' | 'callers'> {
  allowed: AllowedMethods
  logRequest: (request: HttpRequest, reply: HttpReply) => void
  expensive: ExpensiveRoutes
}

function addHooks(
  app: HttpApp,
  { allowed, logRequest, onRoute, work, callers, expensive }: HookOptions,
): void {
  app.addHook('onRoute', (route) => {
    const { url, method, config } = route
    if (config?.permission === undefined) {
      throw new Error(`Route ${[method].flat().join(', ')} ${url} declares no permission.`)
    }
    for (const each of [method].flat()) {
      allowed.add(each, url)
      onRoute?.({ method: each, url, permissions: [config.permission].flat() })
    }
    describeNames(route)
    expensive.wrap(route)
  })
  app.addHook('onRequest', (request, reply, next) => {
    setSecurityHeaders(request, reply)
    app.bodies.accept(request, reply)
    expensive.accept(request, reply)
    const fault = findHostFault(request.raw)
    const { query } = request
    if (fault !== undefined || !(query instanceof LargeQuery)) return next(fault)
    void work.turn(callers.ownerOf(request)).then(() => {
      request.query = query.parse()
      next()
    })
  })
  app.addHook('preValidation', (request, _reply, next) => {
    // Clients may leave out a body whose fields are all optional.
    if (!isRead(request)) request.body ??= {}
    next(checkNames(request))
  })
  app.addHook('preSerialization', (request, reply, payload, next) =>
    next(null, addWarnings(payload, request, reply)),
  )
  // Node calls the handlers of all requests that have arrived in one turn of the event loop. Sixty of one caller that take ten
  // milliseconds each would hold up the others for more than half a second.
  const turnTime = new TurnTime()
  app.addHook('preHandler', (request, _reply, next) => {
    if (turnTime.isLeft()) next()
    else void work.turn(callers.ownerOf(request)).then(() => next())
  })
  app.addHook('onResponse', (request, reply, next) => {
    logRequest(request, reply)
    next()
  })
}

function isRead({ method }: HttpRequest): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** Logs each request once it is answered. Successful reads are frequent and change nothing, so they are logged at `debug`. */
function createRequestLog(
  log: Log,
  { onAnswered, callers }: Pick<HttpServerOptions, 'onAnswered' | 'callers'>,
): (request: HttpRequest, reply: HttpReply) => void {
  const isDebug = log.isLevelEnabled('debug')
  return (request, reply) => {
    onAnswered?.(request, reply)
    const isQuiet = isRead(request) && reply.statusCode < 400
    if (isQuiet && !isDebug) return
    const fields = {
      requestId: request.id,
      caller: callers.find(request)?.name,
      method: request.method,
      path: shownPathOf(request),
      status: reply.statusCode,
      durationMs: Math.round(reply.elapsedTime * 10) / 10,
      address: request.ip,
    }
    request.log[isQuiet ? 'debug' : 'info'](fields, 'request')
  }
}
