const begin = Buffer.from('{')
const escapedBegins = [Buffer.from('=7B'), Buffer.from('=7b')]
const rest = Buffer.from('twigtemplate')
/** Of so many braces no more is looked at one by one: the body is then decoded as a whole. */
const bracesMax = 100_000
const equals = 0x3d

/**
 * Whether quoted-printable may hold the beginning of a token, which soft line breaks and escapes may take
 * apart anywhere. It looks closer at braces alone, so that a message without costs next to nothing.
 */
export function holdsQuotedToken(body: Buffer): boolean {
  if (holdsAfter(body, begin)) return true
  return escapedBegins.some((needle) => holdsAfter(body, needle))
}

function holdsAfter(body: Buffer, needle: Buffer): boolean {
  let found = body.indexOf(needle)
  let braces = 0
  while (found !== -1) {
    braces += 1
    if (braces > bracesMax || continues(body, found + needle.length)) return true
    found = body.indexOf(needle, found + needle.length)
  }
  return false
}

function continues(body: Buffer, start: number): boolean {
  let at = start
  for (const wanted of rest) {
    at = afterSoftBreaks(body, at)
    const isEscape = body[at] === equals
    const byte = isEscape ? escapedByte(body, at) : body[at]
    if (byte !== wanted) return false
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
