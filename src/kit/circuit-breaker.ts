import { type BackOff, backOffMs } from './back-off.ts'

export interface CircuitBreakerOptions {
  /** How long what fails is left alone. */
  pauses: BackOff
  /** The time of all pauses, in milliseconds. */
  now: () => number
  /** Returns a number from 0 to 1, exclusive. */
  random?: () => number
}

/** Something that fails. */
export interface Failing<Problem> {
  /** The last one. */
  problem: Problem
  /** How often it failed in a row, each time after a pause. */
  failures: number
  /** The end of its pause, which may be over: it has not passed since. */
  pausedUntil: number
}

/** Leaves what fails alone for a while, by its key: longer each time that it fails again, until it passes. */
export class CircuitBreaker<Key, Problem = unknown> {
  readonly #options: CircuitBreakerOptions
  readonly #failing = new Map<Key, Failing<Problem>>()

  constructor(options: CircuitBreakerOptions) {
    this.#options = options
  }

  /**
   * Notes a failure. Returns the new pause, in milliseconds; 0 where one goes on: what is in progress together fails together.
   *
   * @param adjust Changes the pause, such as to what the other side asks for.
   */
  fail(key: Key, problem: Problem, adjust = (pauseMs: number) => pauseMs): number {
    const { pauses, now, random = Math.random } = this.#options
    const at = now()
    const { failures = 0, pausedUntil = at } = this.#failing.get(key) ?? {}
    const isPaused = pausedUntil > at
    const pauseMs = Math.ceil(adjust(isPaused ? 0 : backOffMs(pauses, failures, random())))
    this.#failing.set(key, {
      problem,
      failures: isPaused ? failures : failures + 1,
      pausedUntil: Math.max(isPaused ? pausedUntil : at, at + pauseMs),
    })
    return isPaused ? 0 : pauseMs
  }

  /** Notes that something works. Returns whether it had failed before. */
  pass(key: Key): boolean {
    return this.#failing.delete(key)
  }

  /** Finds what has failed and has not passed since. */
  find(key: Key): Failing<Problem> | undefined {
    return this.#failing.get(key)
  }

  isPaused(key: Key): boolean {
    return this.pausedUntil(key) > this.#options.now()
  }

  /** The end of the last pause of what fails; 0 for what works. */
  pausedUntil(key: Key): number {
    return this.#failing.get(key)?.pausedUntil ?? 0
  }

  /** Forgets what has not failed for some time: it may have been deleted. */
  forgetOlder(ageMs: number): void {
    const before = this.#options.now() - ageMs
    for (const [key, { pausedUntil }] of this.#failing)
      if (pausedUntil < before) this.#failing.delete(key)
  }
}
