import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { MailyardProcess } from '../../../test/mailyard-process.ts'

/** The Node options of a service whose event loop is monitored. */
export const watchLoop = ['--import', join(import.meta.dirname, 'loop-monitor.ts')]

/** The longest time that the event loop was blocked since the last call, in milliseconds. */
export async function loopHeldMs(service: MailyardProcess): Promise<number> {
  const seen = service.output().length
  service.kill('SIGUSR2')
  for (;;) {
    await setTimeout(20)
    const held = /held ([\d.]+) ms/.exec(service.output().slice(seen))?.[1]
    if (held !== undefined) return Number(held)
  }
}
