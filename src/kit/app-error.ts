/** What went wrong, in the one vocabulary that every door translates: HTTP status, SMTP reply, exit code. */
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

/** Every fault of a request, by field: `{ name: ['A name is required.'] }`. */
export type FaultDetails = Record<string, string[]>

/** The faults by field of the AppError that `work` throws; none where it throws none. */
export async function faultsOf(work: () => unknown): Promise<FaultDetails> {
  try {
    await work()
    return {}
  } catch (error) {
    if (error instanceof AppError && error.details !== undefined) return error.details
    throw error
  }
}

/** What an error may carry beside its sentence. */
export interface AppErrorOptions {
  /** The raw thing, for the log only. */
  cause?: unknown
  details?: FaultDetails
  /** When it is worth trying again, in seconds from now. */
  retryAfterSeconds?: number
  /** What programs may want to know besides, such as line and column; shown to the caller. */
  facts?: Readonly<Record<string, unknown>>
}

/**
 * An error that explains itself to the person who can mend it. `message` is one sentence fit to be
 * shown to the caller, without secrets; `code` names the case for programs and tests.
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
