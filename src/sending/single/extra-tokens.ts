import type { RenderedEmail } from '../rendering/compose-email.ts'

/** Mautic's own tokens of one send, by name; braces may be left out. */
export type ExtraTokens = Readonly<Record<string, string>>

/** Puts the values of a send's own tokens into the rendered email, whatever the case of their names. */
export function replaceExtraTokens(email: RenderedEmail, tokens: ExtraTokens): RenderedEmail {
  const names = Object.keys(tokens)
  if (names.length === 0) return email
  const values = new Map(names.map((name) => [bare(name).toLowerCase(), tokens[name] ?? '']))
  const alternatives = names.map((name) => bare(name).replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const pattern = new RegExp(`\\{(${alternatives.join('|')})\\}`, 'gi')
  const replace = (text: string) =>
    text.replace(pattern, (whole, name: string) => values.get(name.toLowerCase()) ?? whole)
  return {
    ...email,
    subject: replace(email.subject),
    html: email.html === null ? null : replace(email.html),
    text: email.text === null ? null : replace(email.text),
  }
}

function bare(name: string): string {
  return name.replace(/^\{/, '').replace(/\}$/, '')
}
