import { Alarm } from './timers.ts'

/** Waits for work; returns undefined if it takes longer. The work goes on. */
export function within<T>(timeMs: number, work: Promise<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>()
  const alarm = new Alarm(() => late.resolve(undefined)).set(timeMs)
  return Promise.race([work, late.promise]).finally(() => alarm.cancel())
}
