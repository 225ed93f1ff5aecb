import { extname } from 'node:path'
import { parentPort, type Transferable, Worker } from 'node:worker_threads'
import { Alarm } from './timers.ts'

/** A hostile text would keep a parser busy for many seconds. */
const readMs = 2_000
/** How long the thread may take to start, on a busy machine. */
const startMs = 20_000

export interface ReadingThreadOptions {
  /** The module of the thread, which calls `answerWith`: its name, and the `import.meta.url` of one in its folder. */
  name: string
  near: string
  heapMegabytesMax: number
}

/**
 * A worker thread that reads what may be hostile, one task at a time. It starts with the first task, and is ended where one takes
 * too long or fails; the next task starts another.
 */
export class ReadingThread<Task, Answer> {
  readonly #options: ReadingThreadOptions
  #worker: Promise<Worker> | undefined

  constructor(options: ReadingThreadOptions) {
    this.#options = options
  }

  /** Throws an Error that says why there is no answer, as a clause: `it takes longer than 2000 ms`. */
  async read(task: Task, transferred: readonly Transferable[] = []): Promise<Answer> {
    try {
      this.#worker ??= this.#start()
      const worker = await this.#worker
      worker.postMessage(task, transferred)
      return (await answerOf(worker, readMs)) as Answer
    } catch (error) {
      await this.close()
      throw error
    }
  }

  async close(): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    await worker?.then((each) => each.terminate()).catch(() => undefined)
  }

  async #start(): Promise<Worker> {
    const { name, near, heapMegabytesMax } = this.#options
    const resourceLimits = { maxOldGenerationSizeMb: heapMegabytesMax }
    const module = new URL(`./${name}${extname(near)}`, near)
    const worker = new Worker(module, { execArgv: [], resourceLimits })
    worker.unref()
    // Without a listener, an error would end the process.
    worker.on('error', () => undefined)
    await answerOf(worker, startMs).catch(async (error: unknown) => {
      await worker.terminate()
      throw error
    })
    return worker
  }
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

/** Makes this the module of a `ReadingThread`. The time to read counts without that to load the module. */
export function answerWith<Task, Answer>(read: (task: Task) => Promise<Answer>): void {
  parentPort?.on('message', (task: Task) => {
    void read(task).then((answer) => parentPort?.postMessage(answer))
  })
  parentPort?.postMessage('started')
}
