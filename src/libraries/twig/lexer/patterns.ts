/** The whitespace that `~` removes: on the same line only. */
const lineBlank = '[ \\t\\0\\x0B]*'

/** Matches `-%}`, `~%}` or `%}` with the whitespace that it removes after the tag. */
function closing(delimiter: string, options: { eatsNewline: boolean }): string {
  const newline = options.eatsNewline ? '\\n?' : ''
  return `(?:-${delimiter}\\s*${newline}|~${delimiter}${lineBlank}|${delimiter}${newline})`
}

/** The end of template text: an opening delimiter with its whitespace control. */
export const opening = /(\{\{|\{%|\{#)([-~])?/g

export const printEnd = new RegExp(`\\s*${closing('\\}\\}', { eatsNewline: false })}`, 'y')
export const blockEnd = new RegExp(`\\s*${closing('%\\}', { eatsNewline: true })}`, 'y')
export const commentEnd = new RegExp(closing('#\\}', { eatsNewline: true }), 'g')

/** After `{%`: the rest of `verbatim %}`. */
export const verbatimStart = new RegExp(
  `\\s*verbatim\\s*${closing('%\\}', { eatsNewline: false })}`,
  'y',
)
export const verbatimEnd = new RegExp(
  `\\{%([-~])?\\s*endverbatim\\s*${closing('%\\}', { eatsNewline: false })}`,
  'g',
)
/** After `{%`: the rest of `line 12 %}`, which sets the line number for errors. */
export const lineTag = /\s*line\s+([0-9]{1,9})\s*%\}/y

export const interpolationStart = /#\{\s*/y
export const interpolationEnd = /\s*\}/y

/** Removes whitespace before a delimiter, as its `-` or `~` requires. */
export function trimBefore(text: string, control: string | undefined): string {
  if (control === undefined) return text
  const blanks = control === '-' ? ' \t\n\r\0\x0B' : ' \t\0\x0B'
  let end = text.length
  // A regular expression would scan a run of whitespace once per character of the run.
  while (end > 0 && blanks.includes(text.charAt(end - 1))) end--
  return text.slice(0, end)
}

/** Every operator. Words in an operator may have any whitespace between them. */
const operators = `not ... - + ?: ?? ?. or xor and b-or b-xor b-and == != <=> < > >= <= in matches
  === !== .. ~ * / // % is ** = =>`
  .split(/\s+/)
  .concat('not in', 'starts with', 'ends with', 'has some', 'has every', 'is not')

const isWord = (text: string): boolean => /[a-z]$/.test(text)

function pattern(operator: string): string {
  const text = operator.replace(/[.*+?^$|()[\]{}\\/-]/g, '\\$&').replace(' ', '\\s+')
  // A word is an operator only before whitespace or an opening bracket: `in_stock` is a name.
  return isWord(operator) ? `${text}(?=[\\s()[{])` : text
}

const longestFirst = [...operators].sort((a, b) => b.length - a.length)

/** Matches the longest operator at a position. */
export const operatorPattern = new RegExp(longestFirst.map(pattern).join('|'), 'y')

/**
 * Returns true after a dot or a bar, with at most one space between: a word is a name there, not an
 * operator.
 */
export function isAfterAccess(code: string, position: number): boolean {
  const before = code[position - 1]
  if (before === '.' || before === '|') return position >= 2
  const twoBefore = code[position - 2]
  return before !== undefined && /\s/.test(before) && (twoBefore === '.' || twoBefore === '|')
}

const named: Record<string, string> = { f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }
const escaped = /\\(?:#\{|x[0-9a-fA-F]{1,2}|[0-7]{1,3}|[\s\S]|$)/g

/**
 * Decodes a string literal: `\n`, `\x41`, `\101` and so on. A backslash before any other character
 * is dropped. PHP reads the numbers as bytes, this function as code points.
 */
export function unescapeString(text: string): string {
  return text.includes('\\') ? text.replace(escaped, unescapeOne) : text
}

function unescapeOne(sequence: string): string {
  const rest = sequence.slice(1)
  if (rest === '') return '\\'
  if (/^x./.test(rest)) return String.fromCharCode(Number.parseInt(rest.slice(1), 16))
  if (/^[0-7]/.test(rest)) return String.fromCharCode(Number.parseInt(rest, 8) & 0xff)
  return named[rest] ?? rest
}
