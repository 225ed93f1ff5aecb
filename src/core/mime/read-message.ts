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
  readonly search: () => Steps<FoundTokens>
  /** Whether a text part or the Subject holds a `{twigtemplate=…}` token; searched on first use. */
  readonly holdsTokens: boolean
  /** The templates that the tokens name, each once; a token may name none. */
  readonly templateIds: readonly number[]
  /** A hash of the received message. It identifies a message without a Message-ID. */
  readonly fingerprint: () => string
  /** A hash of the content; see `digestContent`. */
  readonly contentDigest: () => string
  /** The text parts of the received message, decoded; each character is a byte. Of long ones only the beginning. */
  readonly texts: () => readonly string[]
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
  const facts = {
    head: readHead(block.fields),
    fingerprint: () => hash(chunks),
    contentDigest: () => digestContent(received, block),
    texts: () => readTexts(received, block).map(({ text }) => text),
  }
  const isChanged = block.fields.some(({ name }) => ownHeaders.has(name))
  if (!isChanged) return describeMessage(received, { ...facts, block })
  return describeMessage(createByteChunks(withoutOurs(received, block)), facts)
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

interface MessageFacts
  extends Pick<RelayedMessage, 'head' | 'fingerprint' | 'contentDigest' | 'texts'> {
  block?: FieldBlock
  /** The tokens, where they were found before. */
  tokens?: FoundTokens
}

/** Makes a RelayedMessage, whose body is searched when its tokens are first asked for. */
export function describeMessage(bytes: ByteChunks, known: MessageFacts): RelayedMessage {
  const { head, fingerprint, contentDigest, texts, block } = known
  let { tokens } = known
  const search = function* () {
    tokens ??= yield* findTokens(bytes, block)
    return tokens
  }
  const chunks = bytes.pieces(0, bytes.sizeBytes)
  return {
    head,
    fingerprint,
    contentDigest,
    texts,
    chunks,
    sizeBytes: bytes.sizeBytes,
    search,
    get holdsTokens() {
      return hasTokens(runAtOnce(search()))
    },
    get templateIds() {
      return templateIdsOf(runAtOnce(search()))
    },
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
export function digestContent(bytes: ByteChunks, block: FieldBlock): string {
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
