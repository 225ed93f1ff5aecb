import { isAscii } from 'node:buffer'
import type { Clock } from '../../../kit/clock.ts'
import { asciiDomain } from '../message/ascii-domain.ts'
import { readAddresses } from '../message/headers.ts'
import { isMailAddress, type Message } from '../message/message.ts'
import { hashBody, pieceBytes, piecesOf } from './canonicalize.ts'
import type { DkimKey, DkimKeys, UnsignedCause } from './dkim-keys.ts'
import {
  afterLineEnd,
  endOfHeader,
  type HeaderLine,
  readHeaderLines,
  unfoldedValue,
} from './header-section.ts'
import { signHeader } from './sign-header.ts'

/** What is sent of a message. */
export interface OutgoingMessage {
  readonly message: Message
  /** Header lines that are sent before it, each with its CRLF. */
  readonly head: string
  /** Undefined unless it is signed. */
  readonly signed?: {
    readonly key: DkimKey
    /** The message without the signature. */
    readonly original: OutgoingMessage
  }
}

/** What a server accepts. */
interface ServerLimits {
  readonly sizeBytesMax: number
  readonly has8BitMime: boolean
}

/** How many messages are signed at a time: what else needs the threads of libuv must not wait for thousands. */
const signingMax = 4
/** The longest line without its line end (RFC 5322, section 2.1.1). */
const lineLengthMax = 998
/** The longest From that is read: a parser of addresses needs seconds for a megabyte. */
const fromLengthMax = 4_096
const lineFeed = 0x0a
/** A CR or LF alone is sent as CRLF. */
const loneLineEnd = /\r(?!\n)|(?<!\r)\n/g

/**
 * Signs messages with the keys of their authors' domains.
 * @see RFC 6376; RFC 8463
 */
export class DkimSigner {
  readonly #keys: DkimKeys
  readonly #clock: Clock
  #signing = 0
  readonly #waiting = new Set<() => void>()

  constructor(keys: DkimKeys, clock: Clock) {
    this.#keys = keys
    this.#clock = clock
  }

  /**
   * Signs a message if the one domain of its From has a key for its submitter, and servers pass its lines on as they are. Every
   * other message is returned as it is, as is one whose signing fails: a message without a signature may still arrive.
   */
  sign(
    outgoing: OutgoingMessage,
    submitter: number | undefined,
  ): OutgoingMessage | Promise<OutgoingMessage> {
    return this.#keys.isEmpty === true ? outgoing : this.#sign(outgoing, submitter)
  }

  async #sign(outgoing: OutgoingMessage, submitter: number | undefined): Promise<OutgoingMessage> {
    const { message, head } = outgoing
    const raw = bufferOf(message.raw)
    const fields = readHeaderLines(head, raw)
    const domain = authorDomain(fields)
    const key = domain === undefined ? undefined : this.#keys.find(domain, submitter)
    if (key === undefined || key.domain !== domain) return outgoing
    const sent = await asSent(raw)
    if (hasLongLine(sent) || sent.includes(0)) {
      const reason = `The message has a line of more than ${lineLengthMax} octets or a NUL, which servers change.`
      return this.#leave(outgoing, key, { cause: 'long_line', reason })
    }
    try {
      return await this.#signWith(key, outgoing, { sent, fields })
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      return this.#leave(outgoing, key, { cause: 'failed', reason })
    }
  }

  /** Returns what is sent to a server: the original where it would refuse the signed message, or change its 8-bit text. */
  fit(outgoing: OutgoingMessage, { sizeBytesMax, has8BitMime }: ServerLimits): OutgoingMessage {
    if (outgoing.signed === undefined) return outgoing
    const { key, original } = outgoing.signed
    if (!has8BitMime && !isAscii(outgoing.message.raw)) {
      const reason = 'The message has 8-bit text, and the server lacks 8BITMIME.'
      return this.#leave(original, key, { cause: 'eight_bit', reason })
    }
    const sizeBytes = sizeOf(outgoing)
    if (sizeBytes <= sizeBytesMax) return outgoing
    const reason = `The signed message has ${sizeBytes} bytes, and the server accepts at most ${sizeBytesMax}.`
    const isAccepted = sizeOf(original) <= sizeBytesMax
    return isAccepted ? this.#leave(original, key, { cause: 'too_large', reason }) : original
  }

  /** Returns a message that is sent unsigned, and reports it. */
  #leave(
    outgoing: OutgoingMessage,
    { domain, selector }: DkimKey,
    why: { cause: UnsignedCause; reason: string },
  ): OutgoingMessage {
    this.#keys.onUnsigned?.({ domain, selector, ...why })
    return outgoing
  }

  /** Waits until fewer messages are being signed. */
  async #begin(): Promise<void> {
    if (this.#signing < signingMax) this.#signing += 1
    else await new Promise<void>((resolve) => this.#waiting.add(resolve))
  }

  /** Lets the message that waited longest go on. */
  #end(): void {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#signing -= 1
      return
    }
    this.#waiting.delete(next)
    next()
  }

  async #signWith(
    key: DkimKey,
    outgoing: OutgoingMessage,
    { sent, fields }: { sent: Buffer; fields: readonly HeaderLine[] },
  ): Promise<OutgoingMessage> {
    await this.#begin()
    try {
      const bodyHash = await hashBody(sent.subarray(afterLineEnd(sent, endOfHeader(sent))))
      const signedAt = new Date(this.#clock.now())
      const signature = await signHeader(fields, key, { bodyHash, signedAt })
      const head = `${signature}\r\n${outgoing.head}`
      return { message: outgoing.message, head, signed: { key, original: outgoing } }
    } finally {
      this.#end()
    }
  }
}

/** Returns a message with the line ends that it is sent with. */
async function asSent(raw: Buffer): Promise<Buffer> {
  if (raw.length <= pieceBytes) return withLineEnds(raw)
  const pieces: Buffer[] = []
  for await (const piece of piecesOf(raw)) pieces.push(withLineEnds(piece))
  return pieces.some((piece) => piece.buffer !== raw.buffer) ? Buffer.concat(pieces) : raw
}

function withLineEnds(piece: Buffer): Buffer {
  const text = piece.toString('latin1')
  loneLineEnd.lastIndex = 0
  return loneLineEnd.test(text) ? Buffer.from(text.replace(loneLineEnd, '\r\n'), 'latin1') : piece
}

function hasLongLine(sent: Buffer): boolean {
  // The last line end that a line may have: with its CR, a line has one byte more.
  for (let start = 0; sent.length - start > lineLengthMax; ) {
    const lineEnd = sent.lastIndexOf(lineFeed, start + lineLengthMax + 1)
    if (lineEnd < start) return true
    start = lineEnd + 1
  }
  return false
}

function sizeOf({ message, head }: OutgoingMessage): number {
  return Buffer.byteLength(head) + message.raw.length
}

function bufferOf(raw: Uint8Array): Buffer {
  return Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
}

/**
 * Returns the domain of a message's authors, in ASCII and in lower case; undefined unless there is exactly one From, all
 * of its addresses can be read, and they have the same domain.
 * @see RFC 9989, section 4.2 (the Author Domain)
 */
function authorDomain(fields: readonly HeaderLine[]): string | undefined {
  const [from, ...others] = fields.filter(({ name }) => name === 'from')
  if (from === undefined || others.length > 0 || from.line.length > fromLengthMax) return undefined
  const value = Buffer.from(unfoldedValue(from), 'latin1').toString('utf8')
  const domains = new Set(readAddresses(value).map(domainOf))
  const [domain] = domains
  return domains.size === 1 ? domain : undefined
}

function domainOf(address: string): string | undefined {
  return isMailAddress(address)
    ? asciiDomain(address.slice(address.lastIndexOf('@') + 1))
    : undefined
}
