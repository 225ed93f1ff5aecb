import type { Clock } from '../clock.ts'
import type { Message } from '../message/message.ts'
import { authorDomain } from './author-domain.ts'
import { hashBody } from './canonicalize.ts'
import type { DkimKey, DkimKeys } from './dkim-keys.ts'
import { SignatureVerifier } from './existing-signature.ts'
import { afterLineEnd, endOfHeader, type HeaderLine, readHeaderLines } from './header-section.ts'
import { makePortable } from './make-portable.ts'
import { signHeader } from './sign-header.ts'

/** What is sent of a message. */
export interface OutgoingMessage {
  readonly message: Message
  /** Header lines that are sent before it, each with its CRLF. */
  readonly head: string
  /** Undefined unless it is signed. */
  readonly signed?: {
    readonly key: DkimKey
    /** The message without the signature, in the encoding that it had. */
    readonly original: OutgoingMessage
  }
}

/** How many messages are signed at a time: what else needs the threads of libuv must not wait for thousands. */
const signingMax = 4

/**
 * Signs messages with the keys of their authors' domains.
 * @see RFC 6376; RFC 8463
 */
export class DkimSigner {
  readonly #keys: DkimKeys
  readonly #clock: Clock
  readonly #verifier: SignatureVerifier
  #signing = 0
  readonly #waiting = new Set<() => void>()

  constructor(keys: DkimKeys, clock: Clock) {
    this.#keys = keys
    this.#clock = clock
    this.#verifier = new SignatureVerifier(clock, keys.resolver)
  }

  /**
   * Signs a message if the one domain of its From has a key, and no signature that is valid or cannot be verified now.
   * Every other message is returned as it is, as is one whose signing fails: a message without a signature may still
   * arrive.
   */
  async sign(outgoing: OutgoingMessage): Promise<OutgoingMessage> {
    const { message, head } = outgoing
    const raw = bufferOf(message.raw)
    const fields = readHeaderLines(head, raw)
    const domain = authorDomain(fields)
    const key = domain === undefined ? undefined : this.#keys.find(domain)
    if (key === undefined || key.domain !== domain) return outgoing
    try {
      return await this.#signWith(key, outgoing, { raw, fields })
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      this.#keys.onUnsigned?.({ domain, selector: key.selector, reason })
      return outgoing
    }
  }

  /**
   * Returns what a server accepts of a message: the original where only that is small enough, because 8-bit text that is
   * encoded for a signature may become three times as long.
   */
  fit(outgoing: OutgoingMessage, sizeBytesMax: number): OutgoingMessage {
    const sizeBytes = sizeOf(outgoing)
    if (outgoing.signed === undefined || sizeBytes <= sizeBytesMax) return outgoing
    const { key, original } = outgoing.signed
    const { domain, selector } = key
    const reason = `The signed message has ${sizeBytes} bytes, and the server accepts at most ${sizeBytesMax}.`
    if (sizeOf(original) <= sizeBytesMax) this.#keys.onUnsigned?.({ domain, selector, reason })
    return original
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
    received: { raw: Buffer; fields: readonly HeaderLine[] },
  ): Promise<OutgoingMessage> {
    const { message, head } = outgoing
    // As it came: encoding it again would break a valid signature.
    if (await this.#verifier.hasSignature(key.domain, received)) return outgoing
    const raw = makePortable(received.raw)
    const fields = raw === received.raw ? received.fields : readHeaderLines(head, raw)
    await this.#begin()
    try {
      const bodyHash = await hashBody(raw.subarray(afterLineEnd(raw, endOfHeader(raw))))
      const signedAt = new Date(this.#clock.now())
      const signature = await signHeader(fields, key, { bodyHash, signedAt })
      return {
        message: { envelope: message.envelope, raw },
        head: `${signature}\r\n${head}`,
        signed: { key, original: outgoing },
      }
    } finally {
      this.#end()
    }
  }
}

function sizeOf({ message, head }: OutgoingMessage): number {
  return Buffer.byteLength(head) + message.raw.length
}

function bufferOf(raw: Uint8Array): Buffer {
  return Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
}
