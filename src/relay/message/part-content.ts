import type { ByteChunks } from './byte-chunks.ts'
import { type Charset, getCharset } from './charset.ts'
import { holdsQuotedToken } from './quoted-token.ts'
import type { TextPart } from './text-parts.ts'
import { decodeTransfer } from './transfer-encoding.ts'

/** What a text part says, as far as tokens can be found in it. */
export interface TextContent {
  /** The body as it stands in the message. */
  body: Buffer
  charset: Charset
  /** Of bytes, one a character, where the charset is transparent; else decoded. */
  text: string
}

const begin = Buffer.from('{twigtemplate=')

/** Reads a text part; undefined where it holds no token for certain, or cannot be decoded. */
export function readContent(bytes: ByteChunks, part: TextPart): TextContent | undefined {
  const { bodyStart, bodyEnd, encoding, contentType } = part
  const isEncoded = encoding === 'quoted-printable' || encoding === 'base64'
  if (!isEncoded && bytes.indexOf(begin, bodyStart, bodyEnd) === -1) return undefined
  const body = bytes.slice(bodyStart, bodyEnd)
  if (encoding === 'quoted-printable' && !holdsQuotedToken(body)) return undefined
  const content = decodeTransfer(body, encoding)
  if (content === undefined) return undefined
  const charset = getCharset(contentType.parameters.get('charset'))
  if (charset.isTransparent)
    return content.includes(begin) ? { body, charset, text: content.toString('latin1') } : undefined
  const text = charset.decode(content)
  return text === undefined ? undefined : { body, charset, text }
}
