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
