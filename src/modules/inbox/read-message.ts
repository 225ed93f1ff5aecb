import { decodeWords } from 'postal-mime'
import { AppError } from '../../kit/app-error.ts'
import { largeBytes } from '../../kit/pause.ts'
import { ReadingThread } from '../../kit/reading-thread.ts'
import { readHeaders } from '../../libraries/mailer/index.ts'
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

const heapMegabytesMax = 192

/**
 * Parses a message in a worker thread, where its bytes are moved to. Throws an AppError (`invalid`) for a message that cannot be
 * parsed.
 */
async function readInWorker<Part extends InboxContent | string | undefined>(
  source: Uint8Array,
  part: ReadRequest['part'],
): Promise<Part> {
  const thread = new ReadingThread<ReadRequest, Part>({
    name: 'message-worker',
    near: import.meta.url,
    heapMegabytesMax,
  })
  // A small one may be a part of a larger buffer.
  const transferred = source.byteLength > largeBytes ? [source.buffer as ArrayBuffer] : []
  try {
    return await thread.read({ source, part }, transferred)
  } catch (error) {
    const message = `The message could not be parsed: ${(error as Error).message}. Read its source.`
    throw new AppError('invalid', 'inbox_message_unreadable', message)
  } finally {
    await thread.close()
  }
}
