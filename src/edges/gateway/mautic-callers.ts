import { hash, randomBytes } from 'node:crypto'
import type { Dispatcher } from 'undici'
import { brandsOf } from '../../core/mautic/index.ts'
import { AppError } from '../../kit/app-error.ts'
import { BoundedMemory } from '../../kit/bounded-memory.ts'
import type { Caller } from '../../kit/caller.ts'
import type { Clock } from '../../kit/clock.ts'
import { SingleFlight } from '../../kit/single-flight.ts'
import { HttpError, type HttpRequest } from '../../platform/http/index.ts'
import { askSelf, type MauticSelf } from './ask-self.ts'
import type { LoginGate } from './login-gate.ts'
import { attemptOf } from './login-requests.ts'
import type { MauticOutages } from './outages.ts'
import { type FindGrants, findPermissions } from './permissions.ts'
import type { ServedMautic } from './served-mautics.ts'

/** How long Mautic is not asked again. */
const freshMs = 60_000
/** How long its last answer counts while it cannot be reached … */
const graceMs = 600_000
/** … and how long it is not asked again after that was found. */
const retryMs = 10_000
const rememberedMax = 10_000

/** What a Mautic said of an Authorization header. */
interface Known {
  self: MauticSelf
  verifiedAt: number
  /** When Mautic is asked again. */
  askAt: number
}

export interface MauticCallersOptions {
  getAgent: () => Dispatcher
  gate: LoginGate
  clock: Clock
  outages: MauticOutages
  findGrants: FindGrants
}

/**
 * Authenticates callers by asking their Mautic. An answer is remembered for a minute, under a key that only this process has:
 * the header itself is stored nowhere.
 */
export class MauticCallers {
  readonly #options: MauticCallersOptions
  readonly #memoryKey = randomBytes(32).toString('base64')
  readonly #known = new BoundedMemory<string, Known>({ sizeMax: rememberedMax })
  readonly #checking = new SingleFlight<string, MauticSelf>()

  constructor(options: MauticCallersOptions) {
    this.#options = options
  }

  /** Finds the caller of a request. Throws an AppError (`unauthenticated`, `forbidden`, `rate_limited`) or an HttpError (502). */
  async find(request: HttpRequest, mautic: ServedMautic): Promise<Caller> {
    const { authorization } = request.headers
    if (authorization === undefined || !/^(?:basic|bearer) /i.test(authorization)) {
      throw unauthenticated(
        `Authentication required. Send the HTTP Basic credentials or an OAuth 2.0 bearer token of Mautic "${mautic.name}".`,
      )
    }
    const self = await this.#findSelf(authorization, { request, mautic })
    const { id, name } = mautic
    return {
      userId: self.id,
      clientName: self.id === undefined ? self.username : undefined,
      name: `${self.name} (${name})`,
      email: self.email,
      isAdmin: false,
      brands: brandsOf(mautic),
      mautic: { id, name },
      can: await findPermissions(self, mautic, this.#options.findGrants),
    }
  }

  /** Whether a Mautic accepted this header at its last check, and is not asked again yet. */
  isKnown(mautic: ServedMautic, authorization: string): boolean {
    return this.#findFresh(this.#keyOf(mautic, authorization)) !== undefined
  }

  /**
   * Checks the credentials of a request that is forwarded, like `find`. Returns whether Mautic said if they are right; where
   * they are not, its own answer to the request says so. Throws an AppError (`rate_limited`) or an HttpError (502).
   */
  async verify(request: HttpRequest, mautic: ServedMautic): Promise<boolean> {
    const { authorization = '' } = request.headers
    try {
      await this.#findSelf(authorization, { request, mautic })
      return true
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      if (error.kind !== 'unauthenticated' && error.kind !== 'forbidden') throw error
      return error.kind === 'unauthenticated'
    }
  }

  /** Forgets what is known of a header, because a Mautic refused it. */
  forget(mautic: ServedMautic, authorization: string): void {
    this.#known.delete(this.#keyOf(mautic, authorization))
  }

  async #findSelf(authorization: string, from: { request: HttpRequest; mautic: ServedMautic }) {
    const key = this.#keyOf(from.mautic, authorization)
    const known = this.#findFresh(key)
    if (known !== undefined) return known
    // Concurrent requests with the same credentials share one check.
    return this.#checking.run(key, () => this.#check(authorization, { ...from, key }))
  }

  async #check(
    authorization: string,
    { request, mautic, key }: { request: HttpRequest; mautic: ServedMautic; key: string },
  ): Promise<MauticSelf> {
    const { getAgent, gate, outages, clock } = this.#options
    const attempt = attemptOf(request, mautic, authorization)
    const login = attempt === undefined ? undefined : await gate.enter(attempt)
    let isRight: boolean | undefined
    try {
      const answer = await askSelf(getAgent(), mautic, authorization)
      outages.recover(mautic)
      if ('refused' in answer) {
        isRight = answer.refused === 403 ? undefined : false
        this.forget(mautic, authorization)
        throw refusal(mautic, answer)
      }
      isRight = true
      const now = clock.monotonic()
      this.#known.set(key, { self: answer, verifiedAt: now, askAt: now + freshMs })
      return answer
    } catch (error) {
      if (error instanceof HttpError) outages.report(mautic, error)
      const known = error instanceof HttpError ? this.#known.get(key) : undefined
      if (known === undefined || known.verifiedAt + graceMs <= clock.monotonic()) throw error
      known.askAt = clock.monotonic() + retryMs
      return known.self
    } finally {
      login?.finish(isRight)
    }
  }

  #findFresh(key: string): MauticSelf | undefined {
    const known = this.#known.get(key)
    return known !== undefined && known.askAt > this.#options.clock.monotonic()
      ? known.self
      : undefined
  }

  #keyOf({ id, url }: ServedMautic, authorization: string): string {
    return hash('sha256', JSON.stringify([this.#memoryKey, id, url, authorization]), 'base64')
  }
}

function refusal(
  { name }: ServedMautic,
  { refused, message }: { refused: 401 | 403; message: string },
): AppError {
  const text = `Mautic "${name}" refused the log-in: ${message}`
  return refused === 401 ? unauthenticated(text) : new AppError('forbidden', 'mautic_refused', text)
}

function unauthenticated(message: string): AppError {
  return new AppError('unauthenticated', 'unauthenticated', message)
}
