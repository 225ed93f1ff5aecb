import { AppError } from '../../kit/app-error.ts'
import type { Caller } from '../../kit/caller.ts'
import {
  type Callers,
  type HttpApp,
  type HttpReply,
  type HttpRequest,
  type HttpRequestHook,
  isFromBrowser,
  isFromOtherSite,
  isLocalRequest,
  otherSite,
  type RoutePermission,
} from '../http/index.ts'
import type { Authenticator, Connection } from './authenticator.ts'
import { allBrandsNeeded, apiDisabled, permissionMissing, sessionOver } from './errors.ts'
import type { ConsoleSessions } from './sessions/console-sessions.ts'

export interface GuardOptions {
  authenticator: Authenticator
  sessions: ConsoleSessions
  callers: Callers
  isApiEnabled: boolean
  isBasicEnabled: boolean
  findOtherCaller?: FindOtherCaller | undefined
}

/**
 * Finds the caller of a request whose callers another system knows, such as a Mautic; undefined for any other request.
 * Rejects with an AppError or an HttpError.
 */
export type FindOtherCaller = (request: HttpRequest) => Promise<Caller> | undefined

/**
 * Adds a hook to every route that is added later. It authenticates the caller and checks the permissions that the route
 * declares. Unknown paths of the API are answered 404 only to authenticated callers.
 */
export function addGuard(app: HttpApp, options: GuardOptions): void {
  app.addHook('onRoute', (route) => {
    const guard = createGuard({ ...route.config, path: route.url }, options)
    const others = [route.onRequest ?? []].flat()
    // Fastify copies the route of HEAD from that of GET, which has its guard already.
    if (!others.some((hook) => guards.has(hook))) route.onRequest = [guard, ...others]
    guards.add(guard)
  })
  const guards = new WeakSet<object>()
  const guardApi = createGuard({ path: '/api' }, options)
  const guardOther = createGuard({ path: '/' }, options)
  app.addHook('onRequest', (request, reply, next) => {
    if (!request.is404) next()
    else if (request.url.startsWith('/api')) guardApi(request, reply, next)
    else guardOther(request, reply, next)
  })
}

/** A route, or all unknown paths. */
interface Guarded {
  path: string
  permission?: RoutePermission | readonly RoutePermission[] | undefined
  needsAllBrands?: boolean
  isPublicOnLoopback?: boolean
}

function createGuard(guarded: Guarded, options: GuardOptions): HttpRequestHook {
  const { path, permission, needsAllBrands = false, isPublicOnLoopback = false } = guarded
  const { authenticator, sessions, callers, isApiEnabled, findOtherCaller } = options
  const isApi = path.startsWith('/api')
  if (!isApiEnabled && (isApi || path.startsWith('/oauth'))) {
    return (_request, _reply, next) => next(apiDisabled())
  }
  const asked = [permission ?? (isApi ? 'authenticated' : 'public')].flat()
  if (asked.includes('public')) return (_request, _reply, next) => next()
  const needed = asked.filter((each) => each !== 'authenticated')
  return (request, reply, next) => {
    const accept = (caller: Caller) => {
      callers.set(request, { ...caller, address: request.ip })
      const missing = needed.filter((each) => !caller.can(each))
      if (missing.length > 0) next(permissionMissing(missing))
      else next(needsAllBrands && caller.brands !== 'all' ? allBrandsNeeded() : undefined)
    }
    const refuse = (error: Error) => {
      if (error instanceof AppError && error.kind === 'unauthenticated') {
        addChallenge(request, reply, options)
      }
      next(error)
    }
    if (isForgeable(request, sessions)) return next(otherSite())
    const other = findOtherCaller?.(request)
    if (other !== undefined) {
      other.then(accept, refuse)
      return
    }
    const { authorization } = request.headers
    if (isPublicOnLoopback && authorization === undefined && isLocalRequest(request)) return next()
    if (authorization === undefined && sessions.hasCookie(request)) {
      sessions
        .findCaller(request)
        .then((caller) => (caller === undefined ? refuse(sessionOver()) : accept(caller)), refuse)
      return
    }
    try {
      const from = { address: request.ip, connection: request.socket as Connection }
      const result = authenticator.authenticate(authorization, from)
      if (result instanceof Promise) result.then(accept, refuse)
      else accept(result)
    } catch (error) {
      refuse(error as Error)
    }
  }
}

/** Whether the request may be a form of another site, to which a browser adds stored Basic credentials or the session's cookie. */
function isForgeable(request: HttpRequest, sessions: ConsoleSessions): boolean {
  const isRead = ['GET', 'HEAD', 'OPTIONS'].includes(request.method)
  const { authorization } = request.headers
  const isAdded = authorization === undefined ? sessions.hasCookie(request) : isBasic(authorization)
  return !isRead && isAdded && isFromOtherSite(request)
}

function isBasic(authorization = ''): boolean {
  return /^basic /i.test(authorization)
}

/** Adds WWW-Authenticate (RFC 9110, section 11.6.1; RFC 6750, section 3). */
function addChallenge(
  request: HttpRequest,
  reply: HttpReply,
  { isBasicEnabled }: GuardOptions,
): void {
  // A browser would ask for a password and then send it with every form of every site.
  if (isFromBrowser(request)) return
  const hasToken = /^bearer /i.test(request.headers.authorization ?? '')
  const bearer = `Bearer realm="Mailyard"${hasToken ? ', error="invalid_token"' : ''}`
  const basic = 'Basic realm="Mailyard", charset="UTF-8"'
  reply.header('www-authenticate', isBasicEnabled ? [bearer, basic] : [bearer])
}
