import { AppError } from '../kit/app-error.ts'

/** As many as 10,000 items of 40 fields have; each costs the parser far more than its length. */
const valuesMax = 400_000
/** Deeper than anything that the API takes. */
const depthMax = 100
const [quote, backslash, comma] = [0x22, 0x5c, 0x2c]
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Throws an AppError where a JSON text has more values (`too_large`), or is nested deeper (`invalid`), than the API
 * takes. It goes through the text once.
 */
export function checkJsonSize(json: Buffer): void {
  let values = 0
  let depth = 0
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]
    if (byte === quote) at = endOfString(json, at)
    else if (byte === comma) values += 1
    else if (byte === openList || byte === openObject) {
      values += 1
      depth += 1
    } else if (byte === closeList || byte === closeObject) depth -= 1
    if (depth > depthMax) throw tooDeep()
    if (values > valuesMax) throw tooManyValues()
  }
}

function endOfString(json: Buffer, start: number): number {
  for (let at = start + 1; at < json.length; at++) {
    if (json[at] === backslash) at += 1
    else if (json[at] === quote) return at
  }
  return json.length
}

function tooDeep(): AppError {
  const message = `The body is nested deeper than ${depthMax} levels, which is more than any field takes.`
  return new AppError('invalid', 'json_too_deep', message)
}

function tooManyValues(): AppError {
  const message = `The body has more than ${valuesMax} values. Send it in parts.`
  return new AppError('too_large', 'json_too_large', message)
}
