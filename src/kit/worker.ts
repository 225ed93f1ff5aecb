/** What works in the background: a loop, a task at an interval, or several of them. */
export interface Worker {
  /** Resolves when nothing is due any more: whether something was. */
  idle(): Promise<boolean>
}

/** Lets each do what is due, one after the other; returns whether something was. */
export async function idleAll(workers: readonly Worker[]): Promise<boolean> {
  let hasWorked = false
  for (const each of workers) if (await each.idle()) hasWorked = true
  return hasWorked
}
