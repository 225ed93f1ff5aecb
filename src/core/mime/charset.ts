import { isAscii } from 'node:buffer'

/** Encodes and decodes the text of a part. */
export interface Charset {
  /** Whether a byte below 128 is always its ASCII character, so that tokens can be found in the bytes. */
  readonly isTransparent: boolean
  /** Undefined where the charset lacks a character. */
  encode(text: string): Buffer | undefined
  /** Undefined where the bytes are invalid. */
  decode(bytes: Uint8Array): string | undefined
}

/** Finds the charset of a label; US-ASCII where a part has none (RFC 2045, section 5.2). */
export function getCharset(label = 'us-ascii'): Charset {
  const name = label.trim().toLowerCase()
  if (name === 'us-ascii' || name === 'ascii' || name === '') return ascii
  const decoder = findDecoder(name)
  if (decoder === undefined) return { ...ascii, decode: () => undefined }
  if (decoder.encoding === 'utf-8') return utf8
  const decode = (bytes: Uint8Array) => tryDecode(decoder, bytes)
  const table = encodingTable(name, decoder)
  if (table === undefined) return { isTransparent: false, encode: () => undefined, decode }
  return { isTransparent: true, encode: (text) => encodeWith(table, text), decode }
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const western = new TextDecoder('windows-1252')

/** Decodes text that is declared as ASCII or not declared: as UTF-8 where valid, else as Windows-1252. */
export function decodeUndeclared(bytes: Uint8Array): string {
  return tryDecode(strictUtf8, bytes) ?? western.decode(bytes)
}

const ascii: Charset = {
  isTransparent: true,
  encode: (text) => {
    const bytes = Buffer.from(text)
    return isAscii(bytes) ? bytes : undefined
  },
  decode: decodeUndeclared,
}

const utf8: Charset = {
  isTransparent: true,
  encode: (text) => Buffer.from(text),
  decode: (bytes) => Buffer.from(bytes).toString(),
}

function findDecoder(label: string): TextDecoder | undefined {
  try {
    return new TextDecoder(label, { fatal: true, ignoreBOM: true })
  } catch {
    return undefined
  }
}

function tryDecode(decoder: TextDecoder, bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

const singleByte = /^(ibm866|iso-8859-.+|koi8-[ru]|macintosh|windows-.+|x-mac-cyrillic)$/

/** The byte of each character; undefined for charsets with more than one byte a character. */
function encodingTable(label: string, decoder: TextDecoder): Map<string, number> | undefined {
  if (!singleByte.test(decoder.encoding)) return undefined
  // TextDecoder takes ISO 8859-1 for Windows-1252, which has letters where ISO has control characters.
  const isIso = /^(cs)?(iso|latin|l\d)/.test(label)
  const table = new Map<string, number>()
  for (let byte = 0; byte < 256; byte++) {
    const character = tryDecode(decoder, Uint8Array.of(byte))
    const isControl = isIso && byte >= 0x80 && byte < 0xa0
    if (character !== undefined && !isControl) table.set(character, byte)
  }
  return table
}

function encodeWith(table: ReadonlyMap<string, number>, text: string): Buffer | undefined {
  const bytes = Buffer.allocUnsafe(text.length)
  for (let index = 0; index < text.length; index++) {
    const byte = table.get(text.charAt(index))
    if (byte === undefined) return undefined
    bytes[index] = byte
  }
  return bytes
}
