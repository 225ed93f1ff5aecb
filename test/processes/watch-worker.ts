import { existsSync, readFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

/**
 * Asks a Mailyard for `/healthz` every few milliseconds, on a thread of its own. A gap is what the main thread of that process
 * worked, in milliseconds of its processor, before it answered: other programs on the machine make no gap.
 */
const { port, pid } = workerData as { port: number; pid: number }
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
const statPath = `/proc/${pid}/task/${pid}/stat`
const hasStat = existsSync(statPath)
const tickMs = 10
const pollMs = 20

/** The processor time of the main thread so far; wall-clock time where the system does not report it. */
function workedMs(): number {
  if (!hasStat) return performance.now()
  const fields = readFileSync(statPath, 'latin1').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * tickMs
}

/** Resident memory, in MiB; 0 where the system does not report it. */
function residentMiB(): number {
  if (!hasStat) return 0
  const status = readFileSync(`/proc/${pid}/status`, 'latin1')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024
}

function askHealth(): Promise<void> {
  return new Promise((resolve, reject) => {
    get({ port, host: '127.0.0.1', path: '/healthz', agent }, (response) => {
      response.resume().once('end', resolve).once('error', reject)
    }).once('error', reject)
  })
}

let worst = { gapMs: 0, residentMiB: 0 }
parentPort?.on('message', () => {
  parentPort?.postMessage({
    ...worst,
    residentMiB: Math.max(worst.residentMiB, residentMiB()),
    nowMiB: residentMiB(),
  })
  worst = { gapMs: 0, residentMiB: 0 }
})
for (;;) {
  const before = workedMs()
  try {
    await askHealth()
    worst.gapMs = Math.max(worst.gapMs, workedMs() - before)
    worst.residentMiB = Math.max(worst.residentMiB, residentMiB())
  } catch {
    worst.gapMs = Number.POSITIVE_INFINITY
  }
  await setTimeout(pollMs)
}
