/** The kind of an error. Each protocol has its own answer for it: HTTP status, SMTP reply, exit code. */
export type ErrorKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'too_large'
  | 'rate_limited'
  | 'upstream'
  | 'internal'

/** Every fault of a request, by field: `{ name: ['is required'] }`. */
export type FaultDetails = Record<string, string[]>

/** Returns the details of the AppError that `work` throws; an empty object when it throws none. */
export async function faultsOf(work: () => unknown): Promise<FaultDetails> {
  try {
    await work()
    return {}
  } catch (error) {
    if (error instanceof AppError && error.details !== undefined) return error.details
    throw error
  }
}

export interface AppErrorOptions {
  /** The original error, for the log only. */
  cause?: unknown
  details?: FaultDetails
  /** When to try again, in seconds from now. */
  retryAfterSeconds?: number
  /** Further members of the response, such as line and column. */
  facts?: Readonly<Record<string, unknown>>
}

/**
 * An error that callers see. `message` says what is wrong and what to do, without secrets. `code` names the case for
 * programs and tests.
 */
export class AppError extends Error {
  override readonly name = 'AppError'
  readonly kind: ErrorKind
  readonly code: string
  readonly details: FaultDetails | undefined
  readonly retryAfterSeconds: number | undefined
  readonly facts: Readonly<Record<string, unknown>> | undefined

  constructor(kind: ErrorKind, code: string, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.kind = kind
    this.code = code
    this.details = options.details
    this.retryAfterSeconds = options.retryAfterSeconds
    this.facts = options.facts
  }
}
