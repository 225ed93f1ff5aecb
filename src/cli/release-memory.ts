import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Gives back to the system the memory that a start leaves behind: sources that were read, and room for
 * garbage that will not come again. Left alone, V8 keeps it, a quarter of what an idle process holds.
 * Holds up the program for a tenth of a second.
 */
function releaseMemory(flavor: 'last-resort' | 'regular'): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as NodeJS.GCFunction
  setFlagsFromString('--no-expose-gc')
  collect({ type: 'major', execution: 'sync', flavor })
}

const lookMs = 1_000
/** Growth that is worth a tenth of a second, in bytes. */
const growthBytes = 64 * 1_048_576
/** The share of the time that an idle process works. */
const idleShare = 0.1

/** Releases memory once after a start, and whenever it has grown by much and the process is idle. */
export function releaseMemoryWhenIdle(): void {
  let released = 0
  let before = performance.eventLoopUtilization()
  const look = () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    if (utilization > idleShare || process.memoryUsage.rss() < released + growthBytes) return
    // Later on, the last resort would also throw away what V8 has compiled of hot code.
    releaseMemory(released === 0 ? 'last-resort' : 'regular')
    released = process.memoryUsage.rss()
  }
  setInterval(look, lookMs).unref()
}
