import type { CompiledQuery } from 'kysely'

/**
 * Work that is nothing but its queries: it yields one after the other, and gets the rows of each. So the same
 * work runs at once where a database answers at once, and step by step where it has to be waited for.
 */
export type Statements<Result> = Generator<CompiledQuery, Result, readonly unknown[]>

/** One query of such work, and its rows. */
export function* runQuery<Row>(query: CompiledQuery): Statements<readonly Row[]> {
  return (yield query) as readonly Row[]
}

/** Runs them where each query is answered at once. */
export function runAtOnce<Result>(
  statements: Statements<Result>,
  run: (query: CompiledQuery) => readonly unknown[],
): Result {
  let step = statements.next()
  while (step.done !== true) step = statements.next(run(step.value))
  return step.value
}

/** Runs them where each query is waited for. */
export async function runStepByStep<Result>(
  statements: Statements<Result>,
  run: (query: CompiledQuery) => Promise<readonly unknown[]>,
): Promise<Result> {
  let step = statements.next()
  while (step.done !== true) step = statements.next(await run(step.value))
  return step.value
}
