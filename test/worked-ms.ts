/** Returns for how many milliseconds of processor time this thread worked. Other programs of the machine do not count. */
export async function workedMs(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage()
  await work()
  return workedSince(before)
}

/** The same for work that has begun: `before` is what `process.threadCpuUsage()` returned then. */
export function workedSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}

/** Returns how much processor time this thread worked, and the longest turn of its event loop. */
export async function turnsOf(
  work: () => Promise<unknown>,
): Promise<{ longestMs: number; allMs: number }> {
  const start = process.threadCpuUsage()
  let longestMs = 0
  let last = start
  const look = () => {
    longestMs = Math.max(longestMs, workedSince(last))
    last = process.threadCpuUsage()
    timer = setImmediate(look)
  }
  let timer = setImmediate(look)
  try {
    await work()
  } finally {
    clearImmediate(timer)
  }
  return { longestMs: Math.max(longestMs, workedSince(last)), allMs: workedSince(start) }
}
