/** A pattern without its delimiters. */
export interface PatternParts {
  readonly body: string
  readonly modifiers: string
}

const closing: Record<string, string> = { '(': ')', '[': ']', '{': '}', '<': '>' }
const knownModifiers = 'imsxuADUnSX\r\n '

/** Takes a pattern as PHP's `preg_match` takes it apart; a text is PHP's reason why it can't. */
export function splitPattern(text: string): PatternParts | string {
  const pattern = text.trimStart()
  const delimiter = pattern.charAt(0)
  if (delimiter === '') return 'Empty regular expression'
  if (/[a-zA-Z0-9\\\0]/.test(delimiter)) {
    return 'Delimiter must not be alphanumeric, backslash, or NUL'
  }
  const end = closing[delimiter] ?? delimiter
  const position = endOfBody(pattern, delimiter, end)
  if (position === -1) {
    const which = end === delimiter ? 'ending' : 'ending matching'
    return `No ${which} delimiter "${end}" found`
  }
  const modifiers = pattern.slice(position + 1)
  const unknown = [...modifiers].find((modifier) => !knownModifiers.includes(modifier))
  if (unknown !== undefined) return `Unknown modifier "${unknown}"`
  return { body: pattern.slice(1, position), modifiers }
}

/** Where the closing delimiter stands; paired ones may be nested. */
function endOfBody(pattern: string, open: string, close: string): number {
  let depth = 1
  for (let i = 1; i < pattern.length; i++) {
    const character = pattern.charAt(i)
    if (character === '\\') i++
    else if (character === close && --depth === 0) return i
    else if (character === open && open !== close) depth++
  }
  return -1
}
