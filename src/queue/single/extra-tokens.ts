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
  const alternatives = names.map((name) => bare(name).replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  // Editors encode braces in links.
  const pattern = new RegExp(`(?:\\{|%7b)(${alternatives.join('|')})(?:\\}|%7d)`, 'gi')
  const replaceWith = (write: (value: string) => string) => (text: string) =>
    text.replace(pattern, (whole, name: string) => {
      const value = values.get(name.toLowerCase())
      return value === undefined ? whole : write(value)
    })
  const replace = replaceWith((value) => value)
  const replaceInHtml = replaceWith(escapeHtml)
  return {
    ...email,
    subject: replace(email.subject),
    html: email.html === null ? null : replaceInHtml(email.html),
    text: email.text === null ? null : replace(email.text),
  }
}

function bare(name: string): string {
  return name.replace(/^\{/, '').replace(/\}$/, '')
}
