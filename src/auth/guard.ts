import type { Callers, HttpApp, HttpReply, HttpRequest } from '../http/index.ts'
import { AppError } from '../kit/app-error.ts'
import type { Caller } from '../kit/caller.ts'
import type { Authenticator } from './authenticator.ts'
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
  const { authenticator, callers, isApiEnabled } = options
  app.addHook('onRequest', (request, reply, next) => {
    const { config, url } = request.routeOptions
    // A path may be written in many ways (`/%61pi/users`); the route that it leads to is one.
    const path = url ?? request.url
    const isApi = path.startsWith('/api')
    if (!isApiEnabled && (isApi || path.startsWith('/oauth'))) return next(apiDisabled())
    const { permission } = config
    const needed = permission ?? (isApi ? 'authenticated' : 'public')
    if (needed === 'public') return next()

    const admit = (caller: Caller) => {
      callers.set(request, caller)
      const missing = [needed]
        .flat()
        .filter((each) => each !== 'authenticated' && !caller.can(each))
      next(missing.length === 0 ? undefined : permissionMissing(missing))
    }
    const refuse = (error: Error) => {
      if (error instanceof AppError && error.kind === 'unauthenticated') {
        addChallenge(request, reply, options)
      }
      next(error)
    }
    try {
      const result = authenticator.authenticate(request.headers.authorization, request.ip)
      if (result instanceof Promise) result.then(admit, refuse)
      else admit(result)
    } catch (error) {
      refuse(error as Error)
    }
  })
}

/** How to log in (RFC 9110, section 11.6.1; RFC 6750, section 3). */
function addChallenge(
  request: HttpRequest,
  reply: HttpReply,
  { isBasicEnabled }: GuardOptions,
): void {
  const hasToken = /^bearer /i.test(request.headers.authorization ?? '')
  const bearer = `Bearer realm="Mailyard"${hasToken ? ', error="invalid_token"' : ''}`
  const basic = 'Basic realm="Mailyard", charset="UTF-8"'
  reply.header('www-authenticate', isBasicEnabled ? [bearer, basic] : [bearer])
}
