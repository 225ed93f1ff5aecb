import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { ServiceProcess } from '../../../test/reliability/service-process.ts'

/** Options of Node for a service whose event loop is to be watched. */
export const watchLoop = ['--import', join(import.meta.dirname, 'loop-monitor.ts')]

/** For how long the event loop of a service was held at most, since this was asked last, in milliseconds. */
export async function loopHeldMs(service: ServiceProcess): Promise<number> {
  const seen = service.logged.length
  service.kill('SIGUSR2')
  for (;;) {
    await setTimeout(20)
    for (const line of service.logged.slice(seen)) {
      const held = /held ([\d.]+) ms/.exec(line)?.[1]
      if (held !== undefined) return Number(held)
    }
  }
}
