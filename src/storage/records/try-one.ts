import { AppError } from '../../kit/app-error.ts'
import { done, failed, type Outcome } from '../../kit/outcome.ts'

/** Runs a rule; an AppError is its outcome, unless it is a fault of ours or of the database. */
export async function tryOne<Value>(work: () => Value | Promise<Value>): Promise<Outcome<Value>> {
  try {
    return done(await work())
  } catch (error) {
    if (error instanceof AppError && error.kind !== 'upstream' && error.kind !== 'internal') {
      return failed(error)
    }
    throw error
  }
}
