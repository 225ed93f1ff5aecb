import { Worker } from 'node:worker_threads'
import { decodeWords } from 'postal-mime'
import { AppError } from '../kit/app-error.ts'
import { largeBytes } from '../kit/pause.ts'
import { Alarm } from '../kit/timers.ts'
import { readHeaders } from '../mailer/index.ts'
import type { ReadRequest } from './message-worker.ts'
import type { InboxContent } from './schema.ts'

/** Headers after this many bytes are not shown in the list. */
const headBytesMax = 65_536
const valueLengthMax = 998

/** The headers of a message that the list shows. */
export interface SourceDescription {
  subject: string
  /** With its angle brackets. */
  messageId: string | null
}

/** Reads the headers for the list, in linear time. */
export function describeSource(source: Uint8Array): SourceDescription {
  const headers = readHeaders(source.subarray(0, headBytesMax))
  const find = (key: string) =>
    headers.find(({ name }) => name.toLowerCase() === key)?.value.slice(0, valueLengthMax)
  const messageId = find('message-id')
  return {
    subject: storable(decodeWords(find('subject') ?? '')),
    messageId: messageId === undefined ? null : storable(messageId),
  }
}

/** Replaces NUL and halves of surrogate pairs, which PostgreSQL does not store. */
export function storable(text: string): string {
  return text.replace(/[\0\r\n]+/g, ' ').toWellFormed()
}

/** Parses a message for display. For one that takes too long, the content is only a problem that says so. */
export async function readContent(source: Uint8Array): Promise<InboxContent> {
  try {
    return await readInWorker(source, 'content')
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { headers: [], html: null, text: null, attachments: [], problems: [error.message] }
  }
}

/**
 * Returns the HTML of a message with its own images in it; undefined where it has none. Throws an AppError (`invalid`) for a
 * message that cannot be parsed.
 */
export function readPage(source: Uint8Array): Promise<string | undefined> {
  return readInWorker(source, 'page')
}

/** A hostile message would keep the parser busy for many seconds. */
const timeoutMs = 2_000
/** How long the thread may take to start, on a busy machine. */
const startTimeoutMs = 20_000
const heapMegabytesMax = 192

const workerFile = new URL(
  import.meta.url.endsWith('.ts') ? './message-worker.ts' : './message-worker.js',
  import.meta.url,
)

/**
 * Parses a message in a worker thread, where its bytes are moved to. Throws an AppError (`invalid`) for a message that cannot be
 * parsed.
 */
function readInWorker<Part>(source: Uint8Array, part: ReadRequest['part']): Promise<Part> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(workerFile, {
      workerData: { source, part } satisfies ReadRequest,
      // A small one may be a part of a larger buffer.
      transferList: source.byteLength > largeBytes ? [source.buffer as ArrayBuffer] : [],
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: heapMegabytesMax },
    })
    const end = () => {
      timer.cancel()
      void worker.terminate()
    }
    const fail = (reason: string) => {
      end()
      const message = `The message could not be parsed: ${reason}. Read its source.`
      reject(new AppError('invalid', 'inbox_message_unreadable', message))
    }
    const failAfter = (ms: number) => new Alarm(() => fail(`it takes longer than ${ms} ms`)).set(ms)
    let timer = failAfter(startTimeoutMs)
    // The first message says that it starts to parse.
    worker.once('message', () => {
      timer.cancel()
      timer = failAfter(timeoutMs)
      worker.once('message', (part: Part) => {
        end()
        resolve(part)
      })
    })
    worker.once('error', (error) => fail(error.message))
    worker.once('exit', () => fail('the parser ended early'))
  })
}
