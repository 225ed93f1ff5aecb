/** Waits for work; returns undefined if it takes longer. The work goes on. */
export function within<T>(timeMs: number, work: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(undefined), timeMs)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
