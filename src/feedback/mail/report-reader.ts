import { Worker } from 'node:worker_threads'
import { Alarm } from '../../kit/timers.ts'
import type { WorkQueue } from '../../kit/work-queue.ts'
import { type ReportReading, reportBytesMax } from './read-report.ts'

/** A hostile message would keep the parser busy for many seconds. */
const readMs = 2_000
/** How long the thread may take to start, on a busy machine. */
const startMs = 20_000
const heapMegabytesMax = 128

const workerFile = new URL(
  import.meta.url.endsWith('.ts') ? './report-worker.ts' : './report-worker.js',
  import.meta.url,
)

/**
 * Reads reports in a worker thread, one at a time; the senders take turns. The thread starts with the first report, and is ended and
 * started again where a message takes too long.
 */
export class ReportReader {
  readonly #turns: Pick<WorkQueue, 'run'>
  #worker: Promise<Worker> | undefined

  /** @param turns Runs one job at a time. */
  constructor(turns: Pick<WorkQueue, 'run'>) {
    this.#turns = turns
  }

  /**
   * Reads the first `reportBytesMax` bytes of a message.
   *
   * @param owner Whose turn it is.
   * @throws AppError (`rate_limited`) if too many messages of this owner wait; Error where the thread does not start.
   */
  read(source: Uint8Array, owner: string): Promise<ReportReading> {
    const bytes = new Uint8Array(source.subarray(0, reportBytesMax))
    return this.#turns.run(owner, async () => {
      const worker = await this.#start()
      try {
        return await ask(worker, bytes)
      } catch (error) {
        await this.close()
        const problem = `The message cannot be read: ${(error as Error).message}.`
        return { events: [], problem }
      }
    })
  }

  /** Ends the thread. */
  async close(): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    await worker?.then((each) => each.terminate()).catch(() => undefined)
  }

  async #start(): Promise<Worker> {
    this.#worker ??= startWorker()
    try {
      return await this.#worker
    } catch (error) {
      this.#worker = undefined
      throw error
    }
  }
}

async function startWorker(): Promise<Worker> {
  const resourceLimits = { maxOldGenerationSizeMb: heapMegabytesMax }
  const worker = new Worker(workerFile, { execArgv: [], resourceLimits })
  worker.unref()
  // Without a listener, an error would end the process.
  worker.on('error', () => undefined)
  try {
    await answerOf(worker, startMs)
    return worker
  } catch (error) {
    await worker.terminate()
    throw error
  }
}

function ask(worker: Worker, bytes: Uint8Array<ArrayBuffer>): Promise<ReportReading> {
  worker.postMessage(bytes, [bytes.buffer])
  return answerOf(worker, readMs) as Promise<ReportReading>
}

/** Waits for the next message of a thread. */
function answerOf(worker: Worker, timeMs: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void) => {
      timer.cancel()
      worker.off('message', onMessage).off('error', onError).off('exit', onExit)
      finish()
    }
    const onMessage = (answer: unknown) => settle(() => resolve(answer))
    const onError = (error: Error) => settle(() => reject(error))
    const onExit = () => settle(() => reject(new Error('the parser ended early')))
    const onLate = () => settle(() => reject(new Error(`it takes longer than ${timeMs} ms`)))
    const timer = new Alarm(onLate).set(timeMs)
    worker.on('message', onMessage).on('error', onError).on('exit', onExit)
  })
}
