import { createHash } from 'node:crypto'
import { type ByteChunks, createByteChunks } from './byte-chunks.ts'
import { type FoundTokens, findTokens, hasTokens, templateIdsOf } from './find-tokens.ts'
import {
  decodeValue,
  type FieldBlock,
  type MessageHead,
  ownHeaders,
  readFields,
  readHead,
  valuesOf,
} from './message-head.ts'
import { readSenders, type Senders } from './senders.ts'
import { runAtOnce, type Steps } from './steps.ts'
import { findTextParts } from './text-parts.ts'
import { decodeTransfer } from './transfer-encoding.ts'

/**
 * Renders the template of a `{twigtemplate=<id>}` token, as HTML or as plain text. `id` is undefined
 * where the token has no number.
 */
export type RenderTemplate = (
  id: number | undefined,
  kind: 'html' | 'text',
) => string | Promise<string>

/**
 * Reads the head of a message and removes the headers that are meant for Mailyard; every other byte stays.
 * The body is not copied, and not read before tokens are asked for.
 */
export function readMessage(chunks: readonly Uint8Array[]): RelayedMessage {
  const bytes = createByteChunks(chunks)
  const block = readFields(bytes, { from: 0, to: bytes.sizeBytes })
  const isChanged = block.fields.some(({ name }) => ownHeaders.has(name))
  const content = isChanged ? createByteChunks(withoutOurs(bytes, block)) : bytes
  return new RelayedMessage(readHead(block.fields), content, { bytes, block })
}

/** What is known of a message that Mailyard has rendered. */
export type RenderedHead = Pick<
  MessageHead,
  'messageId' | 'from' | 'emailId' | 'contactId' | 'transport'
>

/** Describes a message that Mailyard has rendered: it is not read, only the given facts count, and its tokens stay as they are. */
export function readRendered(
  chunks: readonly Uint8Array[],
  { messageId, from, emailId, contactId, transport }: RenderedHead,
): RelayedMessage {
  const head = {
    messageId,
    from,
    emailId,
    contactId,
    transport,
    ownerId: undefined,
    to: undefined,
    subject: undefined,
    listUnsubscribe: undefined,
    isBulk: false,
    isList: false,
  }
  const bytes = createByteChunks(chunks)
  return new RelayedMessage(head, bytes, { bytes }, noTokens)
}

function withoutOurs(received: ByteChunks, { end: headEnd, fields }: FieldBlock): Buffer[] {
  const otherFields = fields.filter(({ name }) => !ownHeaders.has(name))
  const head = received.slice(0, headEnd)
  const body = received.pieces(headEnd, received.sizeBytes)
  return [...otherFields.map(({ start, end }) => head.subarray(start, end)), ...body]
}

/** The bytes of a message as they were received, and their head; undefined for a message that Mailyard has rendered. */
interface ReceivedBytes {
  bytes: ByteChunks
  block?: FieldBlock
}

const noTokens: FoundTokens = { subjects: [], parts: [] }

/** A message in the relay, without the headers that are meant for Mailyard. */
export class RelayedMessage {
  readonly head: MessageHead
  /** The message. Parts that did not change are the received buffers. */
  readonly chunks: readonly Uint8Array[]
  readonly sizeBytes: number
  readonly #bytes: ByteChunks
  readonly #received: ReceivedBytes
  #tokens: FoundTokens | undefined

  /** `tokens`: undefined if they are searched when they are first asked for. */
  constructor(head: MessageHead, bytes: ByteChunks, received: ReceivedBytes, tokens?: FoundTokens) {
    this.head = head
    this.chunks = bytes.pieces(0, bytes.sizeBytes)
    this.sizeBytes = bytes.sizeBytes
    this.#bytes = bytes
    this.#received = received
    this.#tokens = tokens
  }

  /** Searches for tokens in steps. A large message is searched before anything asks for them. */
  *search(): Steps<FoundTokens> {
    const { bytes, block } = this.#received
    this.#tokens ??= yield* findTokens(this.#bytes, bytes === this.#bytes ? block : undefined)
    return this.#tokens
  }

  /** Whether a text part or the Subject holds a `{twigtemplate=…}` token; searched on first use. */
  get holdsTokens(): boolean {
    return hasTokens(this.#tokens ?? runAtOnce(this.search()))
  }

  /** The templates that the tokens name, each once; a token may name none. */
  get templateIds(): readonly number[] {
    return templateIdsOf(this.#tokens ?? runAtOnce(this.search()))
  }

  /** Whom the message says that it is from, as received or rendered; read on each use. See `readSenders`. */
  get senders(): Senders {
    const { bytes, block } = this.#received
    return readSenders((block ?? readFields(bytes, { from: 0, to: bytes.sizeBytes })).fields)
  }

  /** A hash of the received message. It identifies a message without a Message-ID. */
  fingerprint(): string {
    const { bytes } = this.#received
    const sum = createHash('sha256')
    for (const piece of bytes.pieces(0, bytes.sizeBytes)) sum.update(piece)
    return sum.digest('base64url')
  }

  /** A hash of the content; see `digestContent`. */
  contentDigest(): string {
    const { bytes, block } = this.#received
    return block === undefined ? '' : digestContent(bytes, block)
  }

  /** The text parts of the received message, decoded; each character is a byte. Of long ones only the beginning. */
  texts(): readonly string[] {
    const { bytes, block } = this.#received
    return block === undefined ? [] : readTexts(bytes, block).map(({ text }) => text)
  }

  /** The same message after its tokens were rendered. */
  withRendered(head: MessageHead, bytes: ByteChunks): RelayedMessage {
    return new RelayedMessage(head, bytes, this.#received, noTokens)
  }
}

/** Emails that are the same up to these limits have the same digest. */
const partBytesMax = 262_144
const partsMax = 10
/** Mautic's tracking differs from one attempt to the next, and it is in links: of clicks, of the pixel, to unsubscribe. */
const link = /https?:\/\/[^\s"'<>\])]*/gi

/**
 * Hashes the Subject, the From and the text parts without their links. When Mautic sends the same email
 * to the same contact again, the digest is the same: Message-ID, Date, boundaries and tracked links differ.
 */
function digestContent(bytes: ByteChunks, block: FieldBlock): string {
  const sum = createHash('sha256')
  const { fields } = block
  for (const name of ['subject', 'from'])
    sum.update(`${name} ${decodeValue(valuesOf(fields, name)[0] ?? '')}\n`)
  for (const { kind, text } of readTexts(bytes, block)) {
    // Lines may be folded in another way.
    const content = text.replaceAll(link, 'link').replaceAll(/\s+/g, ' ')
    sum.update(`${kind}\n`).update(content, 'latin1')
  }
  return sum.digest('base64url')
}

function readTexts(bytes: ByteChunks, block: FieldBlock) {
  return runAtOnce(findTextParts(bytes, block))
    .slice(0, partsMax)
    .map(({ kind, bodyStart, bodyEnd, encoding }) => {
      const body = bytes.slice(bodyStart, Math.min(bodyEnd, bodyStart + partBytesMax))
      const content = runAtOnce(decodeTransfer(body, encoding)) ?? body
      return { kind, text: Buffer.from(content).toString('latin1') }
    })
}
