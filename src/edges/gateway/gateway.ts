import type { IncomingMessage } from 'node:http'
import type { Mautics } from '../../core/mautic/index.ts'
import { AppError } from '../../kit/app-error.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Log } from '../../kit/log.ts'
import { OutboundClient, type OutboundRules } from '../../libraries/mailer/index.ts'
import type { FindOtherCaller, LoginLimits, LoginRuleCheck } from '../../platform/auth/index.ts'
import {
  type HttpApp,
  HttpError,
  type HttpReply,
  type HttpRequest,
  isFromOtherSite,
  otherSite,
} from '../../platform/http/index.ts'
import { findTarget, forwardPath, type Target, targetOf } from './find-target.ts'
import { type Exchange, Forwarder } from './forward.ts'
import { LoginGate } from './login-gate.ts'
import { attemptOf, attemptOfToken, isTokenRequest, readTokenBody } from './login-requests.ts'
import { MauticCallers } from './mautic-callers.ts'
import { MauticOutages } from './outages.ts'
import type { FindGrants } from './permissions.ts'
import { type ServedMautic, ServedMautics } from './served-mautics.ts'

export interface GatewayOptions {
  mautics: Pick<Mautics, 'hooks' | 'listPublished'>
  /** Where connections to Mautics may go to. */
  outboundRules: OutboundRules
  loginLimits: LoginLimits
  loginRules: LoginRuleCheck
  findGrants: FindGrants
  /** How long a Mautic may take to answer. Default: 100 s. */
  answerMs?: number | undefined
  clock: Clock
  log: Log
}

/** Connections to one Mautic at a time that forward requests; further requests wait. */
const forwardedMax = 128
/** Connections to one Mautic at a time that verify callers: slow uploads do not keep callers from being verified. */
const checkedMax = 16

/**
 * Serves the API of each connected Mautic under its host names and under `/mautic/{name}`: Mailyard answers the endpoints of
 * the contract, with the Mautic's ids, and forwards the rest of its API and its OAuth. Mautic's pages have Mautic's own address.
 */
export class Gateway {
  readonly #mautics: ServedMautics
  readonly #gate: LoginGate
  readonly #rules: LoginRuleCheck
  readonly #forwarder: Forwarder
  readonly #callers: MauticCallers
  readonly #closeClients: () => Promise<void>

  constructor(options: GatewayOptions) {
    const { mautics, outboundRules, loginLimits, findGrants, answerMs, clock, log } = options
    const outages = new MauticOutages(log)
    const forwarding = new OutboundClient(outboundRules, { connectionsMax: forwardedMax })
    const checking = new OutboundClient(outboundRules, { connectionsMax: checkedMax })
    this.#mautics = new ServedMautics(() => mautics.listPublished(), clock, log)
    this.#gate = new LoginGate(loginLimits)
    this.#rules = options.loginRules
    this.#forwarder = new Forwarder({ getAgent: () => forwarding.dispatcher, outages, answerMs })
    this.#callers = new MauticCallers({
      getAgent: () => checking.dispatcher,
      gate: this.#gate,
      clock,
      outages,
      findGrants,
    })
    mautics.hooks.changed.add(() => this.#mautics.reload())
    this.#closeClients = async () => {
      await Promise.all([forwarding.close(), checking.close()])
    }
  }

  /** Finds out which requests are for a Mautic. */
  readonly reroute = (head: IncomingMessage, url: string): Target | undefined =>
    findTarget(this.#mautics, head, url)

  /** Finds the callers of the contract's endpoints there. */
  readonly findCaller: FindOtherCaller = (request) => {
    const target = targetOf(request)
    if (target === undefined) return undefined
    const { mautic } = target
    return this.#checkRules(request, mautic).then(() => this.#callers.find(request, mautic))
  }

  /** Adds the route that forwards. */
  async addRoutes(app: HttpApp): Promise<void> {
    await this.#mautics.reload()
    await app.register(async (scope) => {
      // Bodies are forwarded as they are.
      scope.removeAllContentTypeParsers()
      scope.addContentTypeParser('*', (_request, _body, done) => done(null))
      scope.route({
        method: ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'],
        url: forwardPath,
        config: { permission: 'public' },
        schema: { hide: true },
        handler: (request, reply) => this.#handle(request, reply),
      })
    })
  }

  async close(): Promise<void> {
    await this.#mautics.close()
    await this.#closeClients()
  }

  async #handle(request: HttpRequest, reply: HttpReply): Promise<undefined> {
    const target = targetOf(request)
    // A request from outside that names the path of this route.
    if (target === undefined) throw pathUnknown()
    try {
      if (target.kind === 'malformed') throw malformed()
      if (target.kind === 'elsewhere') throw elsewhere(target)
      await this.#checkRules(request, target.mautic)
      const exchange = { request, reply, target }
      if (isTokenRequest(target)) await this.#forwardToken(exchange)
      else if (isForgeable(request)) throw otherSite()
      else await this.#forwardOther(exchange)
    } catch (error) {
      // The rest of the body must not be taken for the next request.
      if (!request.raw.complete) reply.header('connection', 'close')
      throw error
    }
  }

  /** Throws an AppError, as for wrong credentials, where the rules of a Mautic forbid to log in from this client. */
  async #checkRules(request: HttpRequest, mautic: ServedMautic): Promise<void> {
    const name = `Mautic "${mautic.name}"`
    if (this.#rules.mayLogIn(name, mautic.loginRules, request.ip)) return
    const attempt = attemptOf(request, mautic, request.headers.authorization)
    if (attempt !== undefined) (await this.#gate.enter(attempt)).finish(false)
    throw new AppError('unauthenticated', 'unauthenticated', `${name} refused the log-in.`)
  }

  /**
   * Forwards a request. Basic credentials are checked at `users/self` before one of the API: of its own answer, only 401 says
   * something of them, because Mautic has public answers too.
   */
  async #forwardOther(exchange: Exchange): Promise<void> {
    const { request, target } = exchange
    const { mautic } = target
    const { authorization } = request.headers
    if (authorization === undefined) return this.#forwarder.forward(exchange)
    const attempt = attemptOf(request, mautic, authorization)
    const isUnknown = attempt !== undefined && !this.#callers.isKnown(mautic, authorization)
    const isCounted = isUnknown && (await this.#callers.verify(request, mautic))
    const login = isUnknown && !isCounted ? await this.#gate.enter(attempt) : undefined
    const onStatus = (status: number) => {
      if (status === 401) this.#callers.forget(mautic, authorization)
      login?.finish(status === 401 ? false : undefined)
    }
    try {
      await this.#forwarder.forward({ ...exchange, onStatus })
    } finally {
      login?.finish(undefined)
    }
  }

  /** Forwards a request for a token, whose client counts as the account of a log-in. */
  async #forwardToken(exchange: Exchange): Promise<void> {
    const { request, target } = exchange
    const { mautic, path } = target
    const body = await readTokenBody(request)
    const login = await this.#gate.enter(attemptOfToken(request, { mautic, path, body }))
    const onStatus = (status: number) =>
      login.finish(status === 200 ? true : [400, 401].includes(status) ? false : undefined)
    try {
      await this.#forwarder.forward({ ...exchange, body, onStatus })
    } finally {
      login.finish(undefined)
    }
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
