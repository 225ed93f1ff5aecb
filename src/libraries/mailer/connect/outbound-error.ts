import type { FaultCode } from '../delivery/fault.ts'
import { FaultError } from '../delivery/fault-error.ts'

/**
 * A destination that was not found or is not allowed, or a request to it that failed. The message says what to do.
 * @example
 * ```ts
 * const resolve = createResolveAllowed({ mode: 'public' })
 * await resolve('127.0.0.1', 443).catch((error: OutboundError) => console.error(error.code, error.message))
 * ```
 */
export class OutboundError extends Error {
  override readonly name = 'OutboundError'
  readonly code:
    | 'not_found'
    | 'lookup_failed'
    | 'blocked'
    | 'unreachable'
    | 'timeout'
    | 'answer_too_large'
  /** What happened, as a sentence. */
  readonly detail: string
  /** What to do, as a sentence. */
  readonly hint: string

  constructor(
    code: OutboundError['code'],
    { detail, hint }: { detail: string; hint: string },
    cause?: unknown,
  ) {
    super(`${detail} ${hint}`, { cause })
    this.code = code
    this.detail = detail
    this.hint = hint
  }

  /** Converts the fault of a connection or a request; any other error stays as it is. */
  static of(error: unknown): unknown {
    if (!(error instanceof FaultError)) return error
    const { code, message: detail, hint } = error.fault
    const outboundCode = codes[code] ?? 'unreachable'
    const advice = outboundCode === 'blocked' ? blockedAdvice : hint
    return new OutboundError(outboundCode, { detail, hint: advice }, error)
  }
}

const codes: Partial<Record<FaultCode, OutboundError['code']>> = {
  host_not_found: 'not_found',
  lookup_failed: 'lookup_failed',
  address_blocked: 'blocked',
  port_blocked: 'blocked',
  stalled: 'timeout',
}

const blockedAdvice =
  "Use another address, or have it added to the outbound policy's allow-list (MAILYARD_OUTBOUND_ALLOW)."
