import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { MailyardProcess } from '../../../test/mailyard-process.ts'

/** Options of Node for a service whose event loop is to be watched. */
export const watchLoop = ['--import', join(import.meta.dirname, 'loop-monitor.ts')]

/** For how long the event loop of a service was held at most, since this was asked last, in milliseconds. */
export async function loopHeldMs(service: MailyardProcess): Promise<number> {
  const seen = service.output().length
  service.kill('SIGUSR2')
  for (;;) {
    await setTimeout(20)
    const held = /held ([\d.]+) ms/.exec(service.output().slice(seen))?.[1]
    if (held !== undefined) return Number(held)
  }
}
