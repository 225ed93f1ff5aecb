/** A value that is there already, or a promise of it: what need not wait is not made to. */
export type Eventual<T> = T | Promise<T>

/** Goes on with an eventual value: at once where it is there. */
export function andThen<T, U>(value: Eventual<T>, next: (value: T) => Eventual<U>): Eventual<U> {
  return value instanceof Promise ? value.then(next) : next(value)
}
