import type { MaybePromise } from './maybe-promise.ts'

/**
 * Functions that other modules add to a moment of this one, called in the order in which they were added. The comment of a hook
 * says when it is called: one that gets a `tx` in the transaction of the change, others after its commit.
 */
export class Hook<Values extends readonly unknown[], Result = void> {
  readonly #functions: ((...values: Values) => MaybePromise<Result>)[] = []

  add(added: (...values: Values) => MaybePromise<Result>): void {
    this.#functions.push(added)
  }

  /** Calls one after the other, and returns what they return. What one throws ends it, and the transaction that it is called in. */
  async call(...values: Values): Promise<Result[]> {
    const results: Result[] = []
    for (const each of this.#functions) results.push(await each(...values))
    return results
  }

  /** Returns what the first one returns that knows an answer; undefined where none does. */
  async first(...values: Values): Promise<Result | undefined> {
    for (const each of this.#functions) {
      const result = await each(...values)
      if (result !== undefined) return result
    }
    return undefined
  }

  /** Calls all at the same time, and ignores what they throw. */
  async settle(...values: Values): Promise<void> {
    await Promise.allSettled(this.#functions.map(async (each) => each(...values)))
  }

  /** Calls all without waiting, for what only takes note and does not throw. */
  tell(...values: Values): void {
    for (const each of this.#functions) void each(...values)
  }
}
