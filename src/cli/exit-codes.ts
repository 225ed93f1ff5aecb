import { AppError, type ErrorKind } from '../kit/app-error.ts'

/** What a command leaves behind in `$?`. */
export const exitCodes = { ok: 0, failed: 1, usage: 2 } as const

const byKind: Record<ErrorKind, number> = {
  invalid: exitCodes.usage,
  not_found: 3,
  conflict: 4,
  upstream: 5,
  unauthenticated: exitCodes.failed,
  forbidden: exitCodes.failed,
  too_large: exitCodes.usage,
  rate_limited: exitCodes.failed,
  internal: exitCodes.failed,
}

/** The exit code for what a command threw. */
export function exitCodeOf(error: unknown): number {
  return error instanceof AppError ? byKind[error.kind] : exitCodes.failed
}
