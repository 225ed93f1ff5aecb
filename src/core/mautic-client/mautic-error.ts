import { AppError } from '../../kit/app-error.ts'

/** What went wrong with a request to a Mautic. */
export type MauticErrorCode =
  | 'unreachable'
  | 'blocked'
  | 'timeout'
  | 'redirected'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'refused'
  | 'failed'
  | 'unexpected'

/** A request to a Mautic that failed. The message says what is wrong and what to do, without secrets. */
export class MauticError extends Error {
  override readonly name = 'MauticError'
  readonly code: MauticErrorCode
  /** What is wrong, as a sentence. */
  readonly detail: string
  /** What to do, as a sentence. */
  readonly hint: string

  constructor(
    code: MauticErrorCode,
    { detail, hint }: { detail: string; hint: string },
    cause?: unknown,
  ) {
    super(`${detail} ${hint}`, cause === undefined ? undefined : { cause })
    this.code = code
    this.detail = detail
    this.hint = hint
  }

  /** Whether Mautic does not work at the moment, so that the same request may succeed later. */
  get isOutage(): boolean {
    return ['unreachable', 'timeout', 'failed'].includes(this.code)
  }
}

/** Returns the error that the API shows for a failed request to a Mautic. */
export function toAppError(error: unknown): unknown {
  if (!(error instanceof MauticError)) return error
  return new AppError('upstream', `mautic_${error.code}`, error.message, { cause: error })
}

/** Something answers, but not as a Mautic does. */
export function notMautic(detail: string): MauticError {
  return new MauticError('unexpected', { detail, hint: 'Check that url names a Mautic.' })
}

/** Catches a 404: Mautic has no such record. */
export function undefinedIfMissing(error: unknown): undefined {
  if (error instanceof MauticError && error.code === 'not_found') return undefined
  throw error
}
