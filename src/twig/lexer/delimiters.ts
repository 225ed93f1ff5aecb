/** Blanks that `~` takes away: those of one line. */
const lineBlank = '[ \\t\\0\\x0B]*'

/** `-%}`, `~%}`, `%}` and what each takes of the text behind it. */
function closing(delimiter: string, options: { eatsNewline: boolean }): string {
  const newline = options.eatsNewline ? '\\n?' : ''
  return `(?:-${delimiter}\\s*${newline}|~${delimiter}${lineBlank}|${delimiter}${newline})`
}

/** Where template text ends: an opening delimiter, with its whitespace control. */
export const opening = /(\{\{|\{%|\{#)([-~])?/g

export const printEnd = new RegExp(`\\s*${closing('\\}\\}', { eatsNewline: false })}`, 'y')
export const blockEnd = new RegExp(`\\s*${closing('%\\}', { eatsNewline: true })}`, 'y')
export const commentEnd = new RegExp(closing('#\\}', { eatsNewline: true }), 'g')

/** Behind `{%`: the rest of `verbatim %}`. */
export const verbatimStart = new RegExp(
  `\\s*verbatim\\s*${closing('%\\}', { eatsNewline: false })}`,
  'y',
)
export const verbatimEnd = new RegExp(
  `\\{%([-~])?\\s*endverbatim\\s*${closing('%\\}', { eatsNewline: false })}`,
  'g',
)
/** Behind `{%`: the rest of `line 12 %}`, which sets the line that errors count from. */
export const lineTag = /\s*line\s+([0-9]{1,9})\s*%\}/y

export const interpolationStart = /#\{\s*/y
export const interpolationEnd = /\s*\}/y

/** Takes blanks off the end of a text as `-` or `~` of the delimiter behind it asks. */
export function trimBefore(text: string, control: string | undefined): string {
  if (control === undefined) return text
  const blanks = control === '-' ? ' \t\n\r\0\x0B' : ' \t\0\x0B'
  let end = text.length
  // By hand: a regular expression would walk a run of blanks once for each of them.
  while (end > 0 && blanks.includes(text.charAt(end - 1))) end--
  return text.slice(0, end)
}
