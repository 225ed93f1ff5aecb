import { AppError } from '../../kit/app-error.ts'
import { notUtf8 } from './bracketed.ts'

export const bodySizeBytesMax = 1024 * 1024

/** The size limit of the body of a log-in or a token request, in bytes. Unauthenticated clients may send one. */
export const publicBodySizeBytesMax = 64 * 1024

/** The size limit of request line and headers, in bytes. The query of a batch may have 10,000 ids. */
export const headSizeBytesMax = 256 * 1024

export const batchSizeBytesMax = 16 * 1024 * 1024

/** How many items one batch may have. */
export const batchItemsMax = 10_000

/** 10,000 items of 40 fields. Each value costs the parser far more than its length. */
const valuesMax = 400_000
/** More levels than any body of the API has. */
const depthMax = 100
const [quote, backslash, comma] = [0x22, 0x5c, 0x2c]
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Checks the size of a JSON text in one pass, before it is parsed. Throws an AppError for more items than a batch may have, for
 * too many values (both `too_large`), and for too many levels (`invalid`).
 *
 * @returns How many values it has.
 */
export function checkJsonSize(json: Buffer): number {
  let values = 0
  let items = 1
  let depth = 0
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]
    if (byte === quote) at = endOfString(json, at)
    else if (byte === comma) {
      values += 1
      if (depth === 1 && ++items > batchItemsMax) throw tooManyItems()
    } else if (byte === openList || byte === openObject) {
      values += 1
      depth += 1
    } else if (byte === closeList || byte === closeObject) depth -= 1
    if (depth > depthMax) throw tooDeep()
    if (values > valuesMax) throw tooManyValues()
  }
  return values
}

function endOfString(json: Buffer, start: number): number {
  for (let at = start + 1; at < json.length; at++) {
    if (json[at] === backslash) at += 1
    else if (json[at] === quote) return at
  }
  return json.length
}

function tooManyItems(): AppError {
  const message = `The body has more than ${batchItemsMax} items, the limit of a batch. Send it in parts.`
  return new AppError('too_large', 'batch_too_large', message)
}

function tooDeep(): AppError {
  const message = `The body has more than ${depthMax} levels of nesting. Send fewer.`
  return new AppError('invalid', 'json_too_deep', message)
}

function tooManyValues(): AppError {
  const message = `The body has more than ${valuesMax} values. Send it in parts.`
  return new AppError('too_large', 'json_too_large', message)
}

/** Throws an AppError (`invalid`) for text that not every database can store: NUL, lone surrogates, and what is not UTF-8. */
export function checkStorable(text: string): void {
  if (!text.includes('\0') && text.isWellFormed()) return
  const message = text.includes(notUtf8)
    ? 'The request is not UTF-8. Encode its texts as UTF-8: "ü" is %C3%BC, not %FC.'
    : 'The request contains NUL or a lone surrogate, which cannot be stored. Leave it out.'
  throw new AppError('invalid', 'text_not_storable', message)
}

/** Calls `checkStorable` for every text and property name in a JSON value. */
export function checkStorableWithin(value: unknown): void {
  const waiting = [value]
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (typeof next === 'string') checkStorable(next)
    else if (typeof next === 'object' && next !== null) {
      for (const [key, inner] of Object.entries(next)) {
        checkStorable(key)
        waiting.push(inner)
      }
    }
  }
}
