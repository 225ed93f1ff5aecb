import type { RenderedEmail } from '../../messages/index.ts'
import { escapeHtml } from '../../messages/index.ts'

/** Additional tokens of one send, as in Mautic, by name; braces are optional. */
export type ExtraTokens = Readonly<Record<string, string>>

/**
 * Replaces the additional tokens in a rendered email; their names are case-insensitive. Values are text, as in
 * Mautic: in HTML they are escaped.
 */
export function replaceExtraTokens(email: RenderedEmail, tokens: ExtraTokens): RenderedEmail {
  const names = Object.keys(tokens)
  if (names.length === 0) return email
  const values = new Map(names.map((name) => [bare(name).toLowerCase(), tokens[name] ?? '']))
  const lengths = [...new Set(names.map((name) => bare(name).length))]
  const replace = (text: string, write = (value: string) => value) =>
    replaceNames(text, { values, lengths, write })
  const replaceInHtml = (html: string) => replace(html, escapeHtml)
  return {
    ...email,
    subject: replace(email.subject),
    html: email.html === null ? null : replaceInHtml(email.html),
    text: email.text === null ? null : replace(email.text),
  }
}

interface Replacing {
  /** By name in lower case, without braces. */
  values: ReadonlyMap<string, string>
  /** The lengths that names have. */
  lengths: readonly number[]
  write: (value: string) => string
}

/** Replaces names in braces. Names may be of any length and number, so they are in no regular expression. */
function replaceNames(text: string, { values, lengths, write }: Replacing): string {
  // Editors encode braces in links.
  const opening = /\{|%7b/gi
  const closing = /\}|%7d/iy
  let replaced = ''
  let from = 0
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    const start = opening.lastIndex
    for (const length of lengths) {
      closing.lastIndex = start + length
      if (!closing.test(text)) continue
      const value = values.get(text.slice(start, start + length).toLowerCase())
      if (value === undefined) continue
      replaced += text.slice(from, match.index) + write(value)
      from = closing.lastIndex
      opening.lastIndex = from
      break
    }
  }
  return replaced + text.slice(from)
}

function bare(name: string): string {
  return name.replace(/^\{/, '').replace(/\}$/, '')
}
