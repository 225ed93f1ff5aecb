import { TwigError } from '../../twig/index.ts'

/** Processor time of all templates of one email to one recipient. Each template also has the limits of the engine. */
const timeMs = 500

/** Called before each template. Throws a TwigError when the time is used up. */
export type CheckTime = () => void

/** Limits the time of one email, from its first template on. Time spent waiting for the machine does not count. */
export function createTimeLimit(): CheckTime {
  let started: { atMs: number; usage: NodeJS.CpuUsage } | undefined
  return () => {
    const now = performance.now()
    started ??= { atMs: now, usage: process.threadCpuUsage() }
    if (now - started.atMs <= timeMs) return
    const { user, system } = process.threadCpuUsage(started.usage)
    if ((user + system) / 1_000 <= timeMs) return
    const message = `The templates of the email took longer than ${timeMs} ms. Use fewer or simpler ones.`
    throw new TwigError('limit', message)
  }
}
