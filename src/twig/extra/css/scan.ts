const closers: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }

/** Strings, and the `url()` that has none, whole; or a comment. */
const textOrComment =
  /("(?:\\[\s\S]|[^"\\\n])*"?|'(?:\\[\s\S]|[^'\\\n])*'?|url\([^"'()]*\))|\/\*[\s\S]*?(?:\*\/|$)/gi

/** CSS without its comments. */
export function withoutComments(css: string): string {
  return css.replace(textOrComment, (_whole, text: string | undefined) => text ?? '')
}

/**
 * Where the first of some signs stands that is in no string and in no bracket opened behind `from`; the
 * length of the text where there is none. The text has no comments.
 */
export function findSign(css: string, from: number, signs: string): number {
  const open: string[] = []
  for (let at = from; at < css.length; at++) {
    const sign = css.charAt(at)
    if (open.length === 0 && signs.includes(sign)) return at
    if (sign === '\\') at++
    else if (sign === '"' || sign === "'") at = endOfString(css, at)
    else if (closers[sign] !== undefined) open.push(closers[sign])
    else if (sign === open.at(-1)) open.pop()
  }
  return css.length
}

/** The pieces between the signs that `findSign` finds. */
export function splitAt(css: string, signs: string): string[] {
  const pieces: string[] = []
  for (let from = 0; from <= css.length; ) {
    const end = findSign(css, from, signs)
    pieces.push(css.slice(from, end))
    from = end + 1
  }
  return pieces
}

/** A string ends with its quote, or with the line. */
function endOfString(css: string, start: number): number {
  const quote = css.charAt(start)
  for (let at = start + 1; at < css.length; at++) {
    const sign = css.charAt(at)
    if (sign === '\\') at++
    else if (sign === quote || sign === '\n') return at
  }
  return css.length
}
