import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { MailyardProcess } from '../mailyard-process.ts'

/** What a Mailyard was like since the last look. */
export interface Watched {
  /** How long it worked at most without answering others, in milliseconds of its processor; infinite where it ended. */
  gapMs: number
  /** The most resident memory, and that of now. */
  residentMiB: number
  nowMiB: number
}

/** Polls `/healthz` of a Mailyard until it is stopped. */
export function watchService({ port, pid }: MailyardProcess) {
  const worker = new Worker(new URL('./watch-worker.ts', import.meta.url), {
    workerData: { port, pid },
  })
  return {
    async look(): Promise<Watched> {
      worker.postMessage('look')
      const [watched] = await once(worker, 'message')
      return watched as Watched
    },
    stop: () => worker.terminate(),
  }
}
