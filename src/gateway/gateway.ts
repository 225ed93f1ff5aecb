import type { Dispatcher } from 'undici'
import type { FindOtherCaller, LoginLimits } from '../auth/index.ts'
import {
  type HttpApp,
  HttpError,
  type HttpReply,
  type HttpRequest,
  isFromOtherSite,
  otherSite,
  type Reroute,
} from '../http/index.ts'
import { AppError } from '../kit/app-error.ts'
import type { Clock } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import { createOutage } from '../kit/outage.ts'
import { createFindTarget, forwardPath, type Target, targetOf } from './find-target.ts'
import { createForward, type Exchange, type Forward } from './forward.ts'
import { attemptOf, createLoginGate, type LoginGate } from './login-gate.ts'
import { attemptOfToken, isTokenRequest, readTokenBody } from './login-requests.ts'
import { MauticCallers } from './mautic-callers.ts'
import { createOutages } from './outages.ts'
import type { FindGrants } from './permissions.ts'
import { openServedMautics, type PublishedMautic } from './served-mautics.ts'

export interface GatewayOptions {
  listPublished: () => Promise<readonly PublishedMautic[]>
  /**
   * Opens an agent that connects to Mautics, within the outbound policy: with so many connections to each at a time. It is
   * called when one is needed.
   */
  openAgent: (connectionsMax: number) => Dispatcher
  loginLimits: LoginLimits
  findGrants: FindGrants
  /** How long a Mautic may take to answer. Default: 100 s. */
  answerMs?: number | undefined
  clock: Clock
  log: Log
}

/**
 * Serves the API of each connected Mautic under its host names and under `/mautic/{name}`: Mailyard answers the endpoints of
 * the contract, with the Mautic's ids, and forwards the rest of its API and its OAuth. Mautic's pages have Mautic's own address.
 */
export interface Gateway {
  /** Finds out which requests are for a Mautic. */
  reroute: Reroute
  /** Finds the callers of the contract's endpoints there. */
  findCaller: FindOtherCaller
  /** Adds the route that forwards. */
  addRoutes(app: HttpApp): Promise<void>
  /** Reads the Mautics again, after they were changed. */
  reload(): Promise<void>
  close(): Promise<void>
}

/** Connections to one Mautic at a time that forward requests; further requests wait. */
const forwardedMax = 128
/** Connections to one Mautic at a time that verify callers. */
const checkedMax = 16

export function openGateway(options: GatewayOptions): Gateway {
  const { openAgent, loginLimits, log, listPublished, answerMs } = options
  const outage = createOutage(log, {
    level: 'warn',
    failed: 'connected mautics not read',
    recovered: 'connected mautics read again',
  })
  const mautics = openServedMautics({ listPublished, onError: outage.report })
  const gate = createLoginGate(loginLimits)
  const outages = createOutages(log)
  const forwarding = createLazyAgent(() => openAgent(forwardedMax))
  // Of its own, so that slow uploads do not keep callers from being verified.
  const checking = createLazyAgent(() => openAgent(checkedMax))
  const callers = new MauticCallers({ ...options, getAgent: checking.get, gate, outages })
  const handler = createHandler({
    forward: createForward({ getAgent: forwarding.get, outages, answerMs }),
    gate,
    callers,
  })
  return {
    reroute: createFindTarget(mautics),
    findCaller(request) {
      const target = targetOf(request)
      return target === undefined ? undefined : callers.find(request, target.mautic)
    },
    async addRoutes(app) {
      await mautics.load()
      await app.register(async (scope) => {
        // Bodies are forwarded as they are.
        scope.removeAllContentTypeParsers()
        scope.addContentTypeParser('*', (_request, _body, done) => done(null))
        scope.route({
          method: ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'],
          url: forwardPath,
          config: { permission: 'public' },
          schema: { hide: true },
          handler,
        })
      })
    },
    reload: () => mautics.load(),
    async close() {
      await mautics.close()
      await Promise.all([forwarding.close(), checking.close()])
    },
  }
}

function createLazyAgent(open: () => Dispatcher) {
  let agent: Dispatcher | undefined
  return {
    get: () => {
      agent ??= open()
      return agent
    },
    close: async () => agent?.destroy(),
  }
}

interface HandlerParts {
  forward: Forward
  gate: LoginGate
  callers: MauticCallers
}

/** Creates the handler of forwarded requests. */
function createHandler(parts: HandlerParts) {
  return async (request: HttpRequest, reply: HttpReply): Promise<HttpReply | undefined> => {
    const target = targetOf(request)
    // A request from outside that names the path of this route.
    if (target === undefined) throw pathUnknown()
    const exchange = { request, reply, target }
    try {
      await handle(parts, exchange)
      return undefined
    } catch (error) {
      // The rest of the body must not be taken for the next request.
      if (!request.raw.complete) reply.header('connection', 'close')
      throw error
    }
  }
}

async function handle(parts: HandlerParts, exchange: Exchange): Promise<void> {
  const { request, target } = exchange
  if (target.kind === 'malformed') throw malformed()
  if (target.kind === 'elsewhere') throw elsewhere(target)
  if (isTokenRequest(target)) return forwardToken(parts, exchange)
  if (isForgeable(request)) throw otherSite()
  return forwardOther(parts, exchange)
}

/**
 * Forwards a request. Basic credentials are checked at `users/self` before one of the API: of its own answer, only 401 says
 * something of them, because Mautic has public answers too.
 */
async function forwardOther(
  { forward, gate, callers }: HandlerParts,
  exchange: Exchange,
): Promise<void> {
  const { request, target } = exchange
  const { mautic } = target
  const { authorization } = request.headers
  if (authorization === undefined) return forward(exchange)
  const attempt = attemptOf(request, mautic, authorization)
  const isUnknown = attempt !== undefined && !callers.isKnown(mautic, authorization)
  const isCounted = isUnknown && (await callers.verify(request, mautic))
  const login = isUnknown && !isCounted ? await gate.enter(attempt) : undefined
  const onStatus = (status: number) => {
    if (status === 401) callers.forget(mautic, authorization)
    login?.finish(status === 401 ? false : undefined)
  }
  try {
    await forward({ ...exchange, onStatus })
  } finally {
    login?.finish(undefined)
  }
}

/** Forwards a request for a token, whose client counts as the account of a log-in. */
async function forwardToken({ forward, gate }: HandlerParts, exchange: Exchange): Promise<void> {
  const { request, target } = exchange
  const { mautic, path } = target
  const body = await readTokenBody(request)
  const login = await gate.enter(attemptOfToken(request, { mautic, path, body }))
  const onStatus = (status: number) =>
    login.finish(status === 200 ? true : [400, 401].includes(status) ? false : undefined)
  try {
    await forward({ ...exchange, body, onStatus })
  } finally {
    login.finish(undefined)
  }
}

/** Whether a browser may have added stored Basic credentials. */
function isForgeable(request: HttpRequest): boolean {
  const isRead = ['GET', 'HEAD', 'OPTIONS'].includes(request.method)
  const isBasic = /^basic /i.test(request.headers.authorization ?? '')
  return !isRead && isBasic && isFromOtherSite(request)
}

function pathUnknown(): AppError {
  return new AppError('not_found', 'path_unknown', `There is nothing at ${forwardPath}.`)
}

function malformed(): HttpError {
  return new HttpError(
    400,
    'The path has "#", a segment "." or "..", or escapes that are not UTF-8. Send it without them.',
  )
}

function elsewhere({ mautic: { name, url } }: Target): HttpError {
  return new HttpError(
    404,
    `Mailyard serves only the API of Mautic "${name}": paths that begin with /api/ or /oauth/, without the log-in pages of OAuth. Use ${url} for all other pages.`,
  )
}
