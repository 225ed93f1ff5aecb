/** Work that concurrent callers with the same key share. */
export class SingleFlight<Key, Result> {
  readonly #running = new Map<Key, Promise<Result>>()

  /** Starts the work. Where it is in progress for this key, it resolves with that one's result. */
  run(key: Key, work: () => Promise<Result>): Promise<Result> {
    const running = this.#running.get(key)
    if (running !== undefined) return running
    const started = work().finally(() => this.#running.delete(key))
    this.#running.set(key, started)
    return started
  }
}
