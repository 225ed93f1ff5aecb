import { readFileSync } from 'node:fs'
import { enableCompileCache } from 'node:module'

// Mailyard with shorter intervals: what a killed process has left is found in seconds. A test may set its clock.

enableCompileCache()
followClockFile(process.env['TEST_CLOCK_FILE'])
const { run } = await import('../src/edges/cli/run.ts')
const { defaultIntervals } = await import('../src/core/delivery/intervals.ts')
const intervals = { ...defaultIntervals, heartbeatMs: 500, expireAfterMs: 5_000 }
process.exitCode = await run(process.argv.slice(2), Object.assign(process, { intervals }))

/** Sets the clock of this process ahead by the milliseconds in a file, which is read again at each SIGUSR2. */
function followClockFile(path: string | undefined): void {
  if (path === undefined) return
  const now = Date.now
  let aheadMs = 0
  const read = () => {
    aheadMs = Number(readFileSync(path, 'utf8'))
  }
  read()
  process.on('SIGUSR2', read)
  Date.now = () => now() + aheadMs
}
