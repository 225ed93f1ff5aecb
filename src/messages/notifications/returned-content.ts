import { isAscii, isUtf8 } from 'node:buffer'
import { readHeaders } from '../../mailer/index.ts'
import { encodeQuotedPrintable } from '../rendering/quoted-printable.ts'

/** More of a head is not read and not returned. */
const headBytesMax = 65_536
/** RFC 5322, section 2.1.1 */
const lineBytesMax = 998

/** What a notification uses of the head of its message; undefined where missing or malformed. */
export interface ReturnedHead {
  /** The header fields, without the empty line after them. */
  readonly bytes: Buffer
  /** With its angle brackets. */
  readonly messageId: string | undefined
  /** As it is written, with encoded words. */
  readonly subject: string | undefined
  /** Whether the message is a notification itself (RFC 6522). */
  readonly isReport: boolean
}

export function readReturnedHead(raw: Uint8Array): ReturnedHead {
  const bytes = headOf(raw)
  const headers = readHeaders(bytes)
  const first = (key: string) => headers.find(({ name }) => name.toLowerCase() === key)?.value
  const messageId = /^<[!-;=?-~]{1,500}>$/.exec(first('message-id') ?? '')?.[0]
  const isReport = /^multipart\/report\b/i.test(first('content-type') ?? '')
  return { bytes, messageId, subject: first('subject'), isReport }
}

/** Returns the head, with the end of its last line. A head that is too long ends after its last line that fits. */
function headOf(raw: Uint8Array): Buffer {
  const start = Buffer.from(raw.buffer, raw.byteOffset, Math.min(raw.byteLength, headBytesMax))
  if (/^\r?\n/.test(start.toString('latin1', 0, 2))) return start.subarray(0, 0)
  const ends = ['\r\n\r\n', '\n\n'].flatMap((blank) => {
    const at = start.indexOf(blank)
    return at === -1 ? [] : [at + blank.length / 2]
  })
  if (ends.length > 0) return start.subarray(0, Math.min(...ends))
  return raw.byteLength <= headBytesMax ? start : start.subarray(0, start.lastIndexOf('\n') + 1)
}

/**
 * Makes the part of a notification that returns the message: all of it, or its header fields if it is too large or has bytes
 * that no `message/rfc822` may have. Header fields in UTF-8 make it a `message/global` part, which is encoded so that each
 * server can relay it.
 * @see RFC 6522, section 3; RFC 6533, section 6
 */
export function formatReturnedContent(
  raw: Uint8Array,
  head: ReturnedHead,
  { isFull, sizeBytesMax }: { isFull: boolean; sizeBytesMax: number },
): Buffer {
  const all = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
  const isGlobal = !isAscii(head.bytes) && isUtf8(head.bytes)
  if (!isFull || all.length > sizeBytesMax || hasOddLines(all)) {
    const type = isGlobal ? 'message/global-headers' : 'text/rfc822-headers'
    const isPlain = isAscii(head.bytes) && !hasOddLines(head.bytes)
    return part(type, 'Message header', isPlain ? '7bit' : 'quoted-printable', head.bytes)
  }
  if (isGlobal) return part('message/global', 'Message', 'quoted-printable', all)
  return part('message/rfc822', 'Message', isAscii(all) ? '7bit' : '8bit', all)
}

function part(
  type: string,
  description: string,
  encoding: '7bit' | '8bit' | 'quoted-printable',
  content: Buffer,
): Buffer {
  const head = [
    `Content-Type: ${type}`,
    `Content-Description: ${description}`,
    `Content-Transfer-Encoding: ${encoding}`,
  ]
  const body = encoding === 'quoted-printable' ? encodeQuotedPrintable(content) : content
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body])
}

/** Whether there is a NUL or a line above the limit, which only an encoding could carry. */
function hasOddLines(bytes: Buffer): boolean {
  if (bytes.includes(0)) return true
  let start = 0
  while (bytes.length - start > lineBytesMax) {
    const end = bytes.indexOf('\n', start)
    if (end === -1 || end - start > lineBytesMax + 1) return true
    start = end + 1
  }
  return false
}
