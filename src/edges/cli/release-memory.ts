import { performance } from 'node:perf_hooks'
import { getHeapStatistics, type HeapInfo, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { sleep } from '../../kit/timers.ts'

const lookMs = 1_000
/** The highest event loop utilization of an idle process. */
const idleShare = 0.1
/** What a process may have more than after its start, in bytes. */
const growthBytes = 64 * 1_048_576
/** The pause after a release. It doubles each time that a release finds most of the memory in use. */
const pauseMs = { min: 5_000, max: 300_000 }
/** How much is allocated between two collections, in bytes. A larger heap takes longer to collect: then half of it. */
const garbageBytes = 64 * 1_048_576
const garbageShare = 0.5
/** A shorter interval finds large requests before they have allocated much more. */
const garbageLookMs = 50
/** No wait keeps the process running. */
const unattended = { isRef: false }

/**
 * Collects garbage before V8 would: its heap grows to several times what is in use while it is busy, and fifty batches at once
 * took 433 MB more than when idle. A collection blocks the event loop for about 45 ms. Never ends.
 */
export async function collectGarbageEarly(): Promise<never> {
  for (let previous = getHeapStatistics(); ; ) {
    await sleep(garbageLookMs, unattended)
    const now = getHeapStatistics()
    const allocated = bytesOf(now) - bytesOf(previous)
    if (allocated < 0) previous = now
    if (allocated < Math.max(garbageBytes, previous.used_heap_size * garbageShare)) continue
    collectGarbage('regular')
    previous = getHeapStatistics()
  }
}

/** Objects, and the buffers that they hold. */
function bytesOf({ used_heap_size, external_memory }: HeapInfo): number {
  return used_heap_size + external_memory
}

/** Releases memory after the start, and when the process is idle and has 64 MB more than then. Never ends. */
export async function releaseMemoryWhenIdle(): Promise<never> {
  await untilIdle()
  collectGarbage('last-resort')
  const startBytes = process.memoryUsage.rss()
  for (let pause = pauseMs.min; ; ) {
    await sleep(pause, unattended)
    await untilIdle()
    const before = process.memoryUsage.rss()
    if (before < startBytes + growthBytes) {
      pause = pauseMs.min
      continue
    }
    collectGarbage('last-resort')
    const released = before - process.memoryUsage.rss()
    pause = released < growthBytes / 2 ? Math.min(pause * 2, pauseMs.max) : pauseMs.min
  }
}

/**
 * Collects garbage. A 'last-resort' collection also returns unused memory to the system, such as the sources of loaded modules, and
 * the pages that V8 keeps for reuse, often 200 MB: an idle service from source takes 117 MB instead of 135 (the goal is 120; see
 * docs/performance.md). It blocks the event loop for about 0.1 s.
 */
function collectGarbage(flavor: 'regular' | 'last-resort'): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as NodeJS.GCFunction
  setFlagsFromString('--no-expose-gc')
  collect({ type: 'major', execution: 'sync', flavor })
}

async function untilIdle(): Promise<void> {
  for (;;) {
    const before = performance.eventLoopUtilization()
    await sleep(lookMs, unattended)
    if (performance.eventLoopUtilization(before).utilization <= idleShare) return
  }
}
