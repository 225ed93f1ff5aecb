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
import { runAtOnce, type Steps } from './steps.ts'
import { findTextParts } from './text-parts.ts'
import { decodeTransfer } from './transfer-encoding.ts'

/** A message in the relay, without the headers that are meant for Mailyard. */
export interface RelayedMessage {
  readonly head: MessageHead
  /** The message. Parts that did not change are the received buffers. */
  readonly chunks: readonly Uint8Array[]
  readonly sizeBytes: number
  /** Searches for tokens in steps. A large message is searched before anything asks for them. */
  search(): Steps<FoundTokens>
  /** Whether a text part or the Subject holds a `{twigtemplate=…}` token; searched on first use. */
  readonly holdsTokens: boolean
  /** The templates that the tokens name, each once; a token may name none. */
  readonly templateIds: readonly number[]
  /** A hash of the received message. It identifies a message without a Message-ID. */
  fingerprint(): string
  /** A hash of the content; see `digestContent`. */
  contentDigest(): string
  /** The text parts of the received message, decoded; each character is a byte. Of long ones only the beginning. */
  texts(): readonly string[]
}

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
  const received = createByteChunks(chunks)
  const block = readFields(received, { from: 0, to: received.sizeBytes })
  const head = readHead(block.fields)
  const original = new ReceivedMessage(received, chunks, block)
  const isChanged = block.fields.some(({ name }) => ownHeaders.has(name))
  return isChanged
    ? new ReadMessage(head, createByteChunks(withoutOurs(received, block)), original)
    : new ReadMessage(head, received, original, { block })
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
  return {
    head: {
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
    },
    chunks,
    sizeBytes: chunks.reduce((sum, { length }) => sum + length, 0),
    fingerprint: () => hash(chunks),
    contentDigest: () => '',
    texts: () => [],
    search: noTokens,
    holdsTokens: false,
    templateIds: [],
  }
}

// biome-ignore lint/correctness/useYield: there is nothing to search.
function* noTokens(): Steps<FoundTokens> {
  return { subjects: [], parts: [] }
}

function withoutOurs(received: ByteChunks, { end: headEnd, fields }: FieldBlock): Buffer[] {
  const otherFields = fields.filter(({ name }) => !ownHeaders.has(name))
  const head = received.slice(0, headEnd)
  const body = received.pieces(headEnd, received.sizeBytes)
  return [...otherFields.map(({ start, end }) => head.subarray(start, end)), ...body]
}

function hash(chunks: readonly Uint8Array[]): string {
  const sum = createHash('sha256')
  for (const chunk of chunks) sum.update(chunk)
  return sum.digest('base64url')
}

/** A message as it was received: what identifies it is read when it is asked for. */
class ReceivedMessage {
  readonly #bytes: ByteChunks
  readonly #chunks: readonly Uint8Array[]
  readonly #block: FieldBlock

  constructor(bytes: ByteChunks, chunks: readonly Uint8Array[], block: FieldBlock) {
    this.#bytes = bytes
    this.#chunks = chunks
    this.#block = block
  }

  fingerprint(): string {
    return hash(this.#chunks)
  }

  contentDigest(): string {
    return digestContent(this.#bytes, this.#block)
  }

  texts(): string[] {
    return readTexts(this.#bytes, this.#block).map(({ text }) => text)
  }
}

/** What is known of the content of a message: its head, or its tokens. */
interface KnownContent {
  block?: FieldBlock
  tokens?: FoundTokens
}

/** A message whose body is searched when its tokens are first asked for. */
export class ReadMessage implements RelayedMessage {
  readonly head: MessageHead
  readonly chunks: readonly Uint8Array[]
  readonly sizeBytes: number
  readonly #bytes: ByteChunks
  readonly #original: Pick<RelayedMessage, 'fingerprint' | 'contentDigest' | 'texts'>
  readonly #block: FieldBlock | undefined
  #tokens: FoundTokens | undefined

  constructor(
    head: MessageHead,
    bytes: ByteChunks,
    original: Pick<RelayedMessage, 'fingerprint' | 'contentDigest' | 'texts'>,
    { block, tokens }: KnownContent = {},
  ) {
    this.head = head
    this.chunks = bytes.pieces(0, bytes.sizeBytes)
    this.sizeBytes = bytes.sizeBytes
    this.#bytes = bytes
    this.#original = original
    this.#block = block
    this.#tokens = tokens
  }

  *search(): Steps<FoundTokens> {
    this.#tokens ??= yield* findTokens(this.#bytes, this.#block)
    return this.#tokens
  }

  get holdsTokens(): boolean {
    return hasTokens(this.#tokens ?? runAtOnce(this.search()))
  }

  get templateIds(): readonly number[] {
    return templateIdsOf(this.#tokens ?? runAtOnce(this.search()))
  }

  fingerprint(): string {
    return this.#original.fingerprint()
  }

  contentDigest(): string {
    return this.#original.contentDigest()
  }

  texts(): readonly string[] {
    return this.#original.texts()
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
