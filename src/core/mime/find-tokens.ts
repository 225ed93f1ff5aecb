import type { ByteChunks } from './byte-chunks.ts'
import { type Charset, getCharset } from './charset.ts'
import { decodeValue, type FieldBlock, type HeaderField, readFields } from './message-head.ts'
import type { Steps } from './steps.ts'
import { findTextParts, type TextPart } from './text-parts.ts'
import { parseTemplateTokens } from './tokens.ts'
import { decodeTransfer } from './transfer-encoding.ts'

/** A message with more tokens takes minutes to render. */
const tokensMax = 10_000
/** A message has one Subject; after this many, the rest are ignored. */
const subjectsMax = 10

/** Thrown for a message with more to render than is allowed. */
export class TooLargeToRender extends Error {
  override readonly name = 'TooLargeToRender'
}

/** A text, split at its tokens. */
export type Segments = ReturnType<typeof parseTemplateTokens>

/** A Subject that holds a token. */
export interface FoundSubject {
  field: HeaderField
  segments: Segments
}

/** A text part that holds a token. */
export interface FoundPart {
  part: TextPart
  content: TextContent
  segments: Segments
}

/** The content of a text part, decoded as far as finding tokens needs. */
export interface TextContent {
  /** The body as it stands in the message. */
  body: Buffer
  charset: Charset
  /** Bytes, one a character, where the charset is transparent; else decoded text. */
  text: string
}

/** The places of a message that hold tokens. */
export interface FoundTokens {
  subjects: readonly FoundSubject[]
  parts: readonly FoundPart[]
}

/** Finds the tokens in the Subject and the text parts of a message; `block` is its head. Throws TooLargeToRender. */
export function* findTokens(
  bytes: ByteChunks,
  block: FieldBlock = readFields(bytes, { from: 0, to: bytes.sizeBytes }),
): Steps<FoundTokens> {
  const subjects = block.fields.filter(({ name }) => name === 'subject').slice(0, subjectsMax)
  const parts: FoundPart[] = []
  for (const part of yield* findTextParts(bytes, block)) {
    const tokenPart = yield* inPart(bytes, part)
    if (tokenPart !== undefined) parts.push(tokenPart)
  }
  const tokens = { subjects: subjects.flatMap(inSubject), parts }
  if (tokensOf(tokens).length <= tokensMax) return tokens
  throw new TooLargeToRender(`The message holds more than ${tokensMax} template tokens`)
}

/** Whether there is any token. */
export function hasTokens({ subjects, parts }: FoundTokens): boolean {
  return subjects.length > 0 || parts.length > 0
}

/** The ids that the tokens name, each once. */
export function templateIdsOf(tokens: FoundTokens): number[] {
  return [...new Set(tokensOf(tokens).flatMap(({ id }) => (id === undefined ? [] : [id])))]
}

function inSubject(field: HeaderField): FoundSubject[] {
  const mayHold = field.value.includes('{') || field.value.includes('=?')
  const segments = mayHold ? parseTemplateTokens(decodeValue(field.value)) : []
  return holdsToken(segments) ? [{ field, segments }] : []
}

function* inPart(bytes: ByteChunks, part: TextPart): Steps<FoundPart | undefined> {
  const content = yield* readContent(bytes, part)
  if (content === undefined) return undefined
  yield content.body.length
  const segments = parseTemplateTokens(content.text, tokensMax + 1)
  return holdsToken(segments) ? { part, content, segments } : undefined
}

function holdsToken(segments: Segments): boolean {
  return segments.some((segment) => typeof segment !== 'string')
}

function tokensOf({ subjects, parts }: FoundTokens) {
  return [...subjects, ...parts].flatMap(({ segments }) =>
    segments.filter((segment) => typeof segment !== 'string'),
  )
}

const tokenStart = Buffer.from('{twigtemplate=')

/** Reads a text part; undefined where it certainly holds no token, or cannot be decoded. */
function* readContent(bytes: ByteChunks, part: TextPart): Steps<TextContent | undefined> {
  const { bodyStart, bodyEnd, encoding, contentType } = part
  const isEncoded = encoding === 'quoted-printable' || encoding === 'base64'
  if (!isEncoded && bytes.indexOf(tokenStart, bodyStart, bodyEnd) === -1) return undefined
  const body = bytes.slice(bodyStart, bodyEnd)
  yield body.length
  if (encoding === 'quoted-printable' && !mayHoldQuotedToken(body)) return undefined
  const content = yield* decodeTransfer(body, encoding)
  if (content === undefined) return undefined
  yield content.length
  const charset = getCharset(contentType.params['charset'])
  if (charset.isTransparent) {
    const holdsStart = content.includes(tokenStart)
    return holdsStart ? { body, charset, text: content.toString('latin1') } : undefined
  }
  const text = charset.decode(content)
  return text === undefined ? undefined : { body, charset, text }
}

const braces = ['{', '=7B', '=7b'].map((brace) => Buffer.from(brace))
const keyword = Buffer.from('twigtemplate')
/** After this many braces the body is decoded as a whole. */
const bracesMax = 100_000
const equals = 0x3d

/**
 * Whether quoted-printable may hold the beginning of a token, which soft line breaks and escapes may
 * split anywhere. It looks closely at braces only, so a message without braces costs almost nothing.
 */
function mayHoldQuotedToken(body: Buffer): boolean {
  return braces.some((brace) => {
    let count = 0
    for (let at = body.indexOf(brace); at !== -1; at = body.indexOf(brace, at + brace.length)) {
      count += 1
      if (count > bracesMax || holdsKeyword(body, at + brace.length)) return true
    }
    return false
  })
}

function holdsKeyword(body: Buffer, start: number): boolean {
  let at = start
  for (const expected of keyword) {
    at = afterSoftBreaks(body, at)
    const isEscape = body[at] === equals
    const byte = isEscape ? escapedByte(body, at) : body[at]
    if (byte !== expected) return false
    at += isEscape ? 3 : 1
  }
  return true
}

/** White space may stand between the equals sign and the line end (RFC 2045, section 6.7). */
function afterSoftBreaks(body: Buffer, start: number): number {
  let at = start
  while (body[at] === equals) {
    let end = at + 1
    while (body[end] === 0x20 || body[end] === 0x09) end += 1
    if (body[end] === 0x0d && body[end + 1] === 0x0a) end += 1
    if (body[end] !== 0x0a) return at
    at = end + 1
  }
  return at
}

function escapedByte(body: Buffer, at: number): number | undefined {
  const digits = body.toString('latin1', at + 1, at + 3)
  return /^[0-9a-f]{2}$/i.test(digits) ? Number.parseInt(digits, 16) : undefined
}
