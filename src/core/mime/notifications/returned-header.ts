import { isAscii, isUtf8 } from 'node:buffer'
import { readHeaders } from '../../../libraries/mailer/index.ts'
import { encodeQuotedPrintable } from '../quoted-printable.ts'

/** More of a header is not read and not returned. */
const headerBytesMax = 65_536
/** RFC 5322, section 2.1.1 */
const lineBytesMax = 998

/** What a notification uses of the header of its message; undefined where missing or malformed. */
export interface ReturnedHeader {
  /** The header fields, without the empty line after them. */
  readonly bytes: Buffer
  /** With its angle brackets. */
  readonly messageId: string | undefined
  /** As it is written, with encoded words. */
  readonly subject: string | undefined
  /** Whether the message is a notification itself (RFC 6522). */
  readonly isReport: boolean
}

export function readReturnedHeader(raw: Uint8Array): ReturnedHeader {
  const bytes = headerOf(raw)
  const headers = readHeaders(bytes)
  const first = (key: string) => headers.find(({ name }) => name.toLowerCase() === key)?.value
  const messageId = /^<[!-;=?-~]{1,500}>$/.exec(first('message-id') ?? '')?.[0]
  const isReport = /^multipart\/report\b/i.test(first('content-type') ?? '')
  return { bytes, messageId, subject: first('subject'), isReport }
}

/** Returns the header, with the end of its last line. A header that is too long ends after its last line that fits. */
function headerOf(raw: Uint8Array): Buffer {
  const start = Buffer.from(raw.buffer, raw.byteOffset, Math.min(raw.byteLength, headerBytesMax))
  if (/^\r?\n/.test(start.toString('latin1', 0, 2))) return start.subarray(0, 0)
  const ends = ['\r\n\r\n', '\n\n'].flatMap((blank) => {
    const at = start.indexOf(blank)
    return at === -1 ? [] : [at + blank.length / 2]
  })
  if (ends.length > 0) return start.subarray(0, Math.min(...ends))
  return raw.byteLength <= headerBytesMax ? start : start.subarray(0, start.lastIndexOf('\n') + 1)
}

/**
 * Makes the part of a notification that returns the header of its message. One in UTF-8 makes it a `message/global-headers`
 * part, which is encoded so that each server can relay it.
 * @see RFC 6522, section 3; RFC 6533, section 6
 */
export function formatReturnedHeader({ bytes }: ReturnedHeader): Buffer {
  const isGlobal = !isAscii(bytes) && isUtf8(bytes)
  const isPlain = isAscii(bytes) && !hasOddLines(bytes)
  const lines = [
    `Content-Type: ${isGlobal ? 'message/global-headers' : 'text/rfc822-headers'}`,
    'Content-Description: Message header',
    `Content-Transfer-Encoding: ${isPlain ? '7bit' : 'quoted-printable'}`,
  ]
  const body = isPlain ? bytes : encodeQuotedPrintable(bytes)
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body])
}

/** Whether there is a NUL or a line above the limit, which only an encoding could carry. */
function hasOddLines(bytes: Buffer): boolean {
  const lines = bytes.toString('latin1').split('\n')
  return bytes.includes(0) || lines.some(({ length }) => length > lineBytesMax + 1)
}
