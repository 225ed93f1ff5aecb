import type { RenderedEmail } from '../../emails/index.ts'
import { escapeHtml } from '../../mime/index.ts'

/** Additional tokens of one send, as in Mautic, by name without braces inside; braces around it are optional. */
export type ExtraTokens = Readonly<Record<string, string>>

/**
 * Replaces the additional tokens in a rendered email; their names are case-insensitive. Values are text, as in
 * Mautic: in HTML they are escaped.
 */
export function replaceExtraTokens(email: RenderedEmail, tokens: ExtraTokens): RenderedEmail {
  const names = Object.keys(tokens)
  if (names.length === 0) return email
  const values = new Map(names.map((name) => [bare(name).toLowerCase(), tokens[name] ?? '']))
  const replace = (text: string, write = (value: string) => value) =>
    replaceNames(text, values, write)
  return {
    ...email,
    subject: replace(email.subject),
    html: email.html === null ? null : replace(email.html, escapeHtml),
    text: email.text === null ? null : replace(email.text),
  }
}

/**
 * Replaces names in braces. Each closing brace has one candidate, from the last opening brace: the work does not grow with the
 * number and the lengths of the names.
 *
 * @param values By name in lower case, without braces.
 */
function replaceNames(
  text: string,
  values: ReadonlyMap<string, string>,
  write: (value: string) => string,
): string {
  let replaced = ''
  let from = 0
  let opening: RegExpExecArray | undefined
  // Editors encode braces in links.
  for (const brace of text.matchAll(/(\{|%7b)|\}|%7d/gi)) {
    if (brace[1] !== undefined) {
      opening = brace
      continue
    }
    if (opening === undefined) continue
    const name = text.slice(opening.index + opening[0].length, brace.index).toLowerCase()
    const value = values.get(name)
    if (value !== undefined) {
      replaced += text.slice(from, opening.index) + write(value)
      from = brace.index + brace[0].length
    }
    opening = undefined
  }
  return replaced + text.slice(from)
}

function bare(name: string): string {
  return name.replace(/^\{/, '').replace(/\}$/, '')
}
