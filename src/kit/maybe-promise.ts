/** A value, or a promise of it when it has to be waited for. */
export type MaybePromise<T> = T | Promise<T>

/** Maps a value: synchronously, unless it is a promise. */
export function mapMaybe<T, U>(
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<U>,
): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value)
}
