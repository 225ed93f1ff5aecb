import {
  type Callers,
  type HttpApp,
  type HttpReply,
  type HttpRequest,
  type HttpRequestHook,
  isFromBrowser,
  isFromOtherSite,
  otherSite,
  type RoutePermission,
} from '../http/index.ts'
import { AppError } from '../kit/app-error.ts'
import type { Caller } from '../kit/caller.ts'
import type { Authenticator, Connection } from './authenticator.ts'
import { apiDisabled, permissionMissing } from './errors.ts'

/** What the guard is told. */
export interface GuardOptions {
  authenticator: Authenticator
  callers: Callers
  isApiEnabled: boolean
  isBasicEnabled: boolean
}

/**
 * Stands before every route that is added after it, and enforces what the route declares: the caller is
 * known, and has its permissions. Unknown paths of the API are told to known callers only.
 */
export function addGuard(app: HttpApp, options: GuardOptions): void {
  // Each route has a guard of its own, which need not look up what the route asks for.
  app.addHook('onRoute', (route) => {
    const guard = createGuard({ path: route.url, permission: route.config?.permission }, options)
    const others = [route.onRequest ?? []].flat()
    // Fastify makes the route for HEAD of the one for GET, which has its guard already.
    if (!others.some((hook) => guards.has(hook))) route.onRequest = [guard, ...others]
    guards.add(guard)
  })
  const guards = new WeakSet<object>()
  const guardApi = createGuard({ path: '/api', permission: undefined }, options)
  const guardOther = createGuard({ path: '/', permission: undefined }, options)
  app.addHook('onRequest', (request, reply, next) => {
    if (!request.is404) next()
    else if (request.url.startsWith('/api')) guardApi(request, reply, next)
    else guardOther(request, reply, next)
  })
}

/** What is guarded: a route, or the paths that lead nowhere. */
interface Guarded {
  path: string
  permission: RoutePermission | readonly RoutePermission[] | undefined
}

function createGuard({ path, permission }: Guarded, options: GuardOptions): HttpRequestHook {
  const { authenticator, callers, isApiEnabled } = options
  const isApi = path.startsWith('/api')
  if (!isApiEnabled && (isApi || path.startsWith('/oauth'))) {
    return (_request, _reply, next) => next(apiDisabled())
  }
  const asked = [permission ?? (isApi ? 'authenticated' : 'public')].flat()
  if (asked.includes('public')) return (_request, _reply, next) => next()
  const needed = asked.filter((each) => each !== 'authenticated')
  return (request, reply, next) => {
    const admit = (caller: Caller) => {
      callers.set(request, caller)
      const missing = needed.filter((each) => !caller.can(each))
      next(missing.length === 0 ? undefined : permissionMissing(missing))
    }
    const refuse = (error: Error) => {
      if (error instanceof AppError && error.kind === 'unauthenticated') {
        addChallenge(request, reply, options)
      }
      next(error)
    }
    if (isForgeable(request)) return next(otherSite())
    try {
      const from = { address: request.ip, connection: request.socket as Connection }
      const result = authenticator.authenticate(request.headers.authorization, from)
      if (result instanceof Promise) result.then(admit, refuse)
      else admit(result)
    } catch (error) {
      refuse(error as Error)
    }
  }
}

/** Whether it may be a form on another site, which a browser adds the Basic credentials to that it has kept. */
function isForgeable(request: HttpRequest): boolean {
  const isRead = ['GET', 'HEAD', 'OPTIONS'].includes(request.method)
  return !isRead && isBasic(request.headers.authorization) && isFromOtherSite(request)
}

function isBasic(authorization = ''): boolean {
  return /^basic /i.test(authorization)
}

/** How to log in (RFC 9110, section 11.6.1; RFC 6750, section 3). */
function addChallenge(
  request: HttpRequest,
  reply: HttpReply,
  { isBasicEnabled }: GuardOptions,
): void {
  // A browser would ask its user for a password, and keep it for every form of every site.
  if (isFromBrowser(request)) return
  const hasToken = /^bearer /i.test(request.headers.authorization ?? '')
  const bearer = `Bearer realm="Mailyard"${hasToken ? ', error="invalid_token"' : ''}`
  const basic = 'Basic realm="Mailyard", charset="UTF-8"'
  reply.header('www-authenticate', isBasicEnabled ? [bearer, basic] : [bearer])
}
