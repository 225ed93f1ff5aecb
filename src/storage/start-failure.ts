import { AppError } from '../kit/app-error.ts'
import { databaseKind } from './databases.ts'
import { explainPostgresFailure } from './postgres/start-failure.ts'
import { explainSqliteFailure } from './sqlite/start-failure.ts'

const explainers = { sqlite: explainSqliteFailure, postgres: explainPostgresFailure }

/**
 * The error that a command or a start ends with where its database cannot be opened: an AppError (`upstream`) that names the
 * file or the host. Any other error comes back as it is.
 */
export function explainStartFailure(error: unknown, url: string): unknown {
  if (error instanceof AppError && error.kind !== 'upstream') return error
  const explain = explainers[databaseKind(url)]
  for (const cause of causesOf(error)) {
    const advice = explain(cause, url)
    if (advice === undefined) continue
    const message = `${advice.what} cannot be used: ${advice.problem}. ${advice.advice}`
    return new AppError('upstream', 'database_unavailable', message, { cause: error })
  }
  return error
}

function* causesOf(error: unknown): Generator<unknown> {
  for (let each = error; each instanceof Error; each = each.cause) yield each
}
