import { Worker } from 'node:worker_threads'
import type { InboxContent } from './schema.ts'

/** A hostile message would keep the parser busy for many seconds. */
const timeoutMs = 2_000
const heapMegabytesMax = 192

const workerFile = new URL(
  import.meta.url.endsWith('.ts') ? './take-apart-worker.ts' : './take-apart-worker.js',
  import.meta.url,
)

/** Takes messages apart for display, one at a time, off the main thread. */
export interface ContentReader {
  /** What is in a message; of one that takes too long, a problem that says so, and nothing else. */
  read(source: Uint8Array): Promise<InboxContent>
}

export function createContentReader(): ContentReader {
  let last: Promise<unknown> = Promise.resolve()
  return {
    read(source) {
      const next = last.then(() => readInWorker(source))
      last = next
      return next
    },
  }
}

/** It does not reject: a message that cannot be read is a message all the same. */
function readInWorker(source: Uint8Array): Promise<InboxContent> {
  return new Promise((resolve) => {
    const worker = new Worker(workerFile, {
      workerData: source,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: heapMegabytesMax },
    })
    const settle = (content: InboxContent) => {
      clearTimeout(timer)
      resolve(content)
      void worker.terminate()
    }
    const timer = setTimeout(
      () => settle(unreadable(`it takes longer than ${timeoutMs} ms`)),
      timeoutMs,
    )
    worker.once('message', (content: InboxContent) => settle(content))
    worker.once('error', (error) => settle(unreadable(error.message)))
    worker.once('exit', () => settle(unreadable('the parser ended early')))
  })
}

function unreadable(reason: string): InboxContent {
  const problem = `The message was not taken apart: ${reason}. Read its source.`
  return { headers: [], html: null, text: null, attachments: [], problems: [problem] }
}
