// Loaded into a process with `--import`: on SIGUSR2 it prints the longest time that the event loop was blocked
// since the last signal.
import { monitorEventLoopDelay } from 'node:perf_hooks'

const resolutionMs = 2
const delay = monitorEventLoopDelay({ resolution: resolutionMs })
delay.enable()
process.on('SIGUSR2', () => {
  const heldMs = Math.max(0, delay.max / 1e6 - resolutionMs)
  process.stderr.write(`held ${heldMs.toFixed(1)} ms\n`)
  delay.reset()
})
