import { performance } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const lookMs = 1_000
/** The highest event loop utilization of an idle process. */
const idleShare = 0.1
/** What a process may have more than after its start, in bytes. */
const growthBytes = 64 * 1_048_576
/** The pause after a release. It doubles each time that a release finds most of the memory in use. */
const pauseMs = { min: 5_000, max: 300_000 }

/** Releases memory after the start, and when the process is idle and has 64 MB more than then. Never ends. */
export async function releaseMemoryWhenIdle(): Promise<never> {
  await untilIdle()
  releaseMemory()
  const startBytes = process.memoryUsage.rss()
  for (let pause = pauseMs.min; ; ) {
    await wait(pause)
    await untilIdle()
    const before = process.memoryUsage.rss()
    if (before < startBytes + growthBytes) {
      pause = pauseMs.min
      continue
    }
    releaseMemory()
    const released = before - process.memoryUsage.rss()
    pause = released < growthBytes / 2 ? Math.min(pause * 2, pauseMs.max) : pauseMs.min
  }
}

/**
 * Returns unused memory to the system, such as the sources of loaded modules. V8 keeps it otherwise, and an idle service
 * from source takes 135 MB instead of 117 (the goal is 120; see docs/performance.md). Only a 'last-resort' collection
 * also returns the pages that V8 keeps for reuse, often 200 MB. Blocks the event loop for about 0.1 s.
 */
function releaseMemory(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as NodeJS.GCFunction
  setFlagsFromString('--no-expose-gc')
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

async function untilIdle(): Promise<void> {
  for (;;) {
    const before = performance.eventLoopUtilization()
    await wait(lookMs)
    if (performance.eventLoopUtilization(before).utilization <= idleShare) return
  }
}

/** Waits without keeping the process running. */
function wait(ms: number): Promise<void> {
  return setTimeout(ms, undefined, { ref: false })
}
