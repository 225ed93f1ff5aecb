/** A part of a text: as it is, or a token that stands for something of the contact. */
export type Segment = string | ContactToken | TemplateToken

/** `{contactfield=alias|fallback}` */
export interface ContactToken {
  kind: 'contact'
  alias: string
  /** What stands there for a field that is empty. */
  fallback: string
  /** In the place of a fallback: how the value is written. */
  modifier: 'url' | 'date' | 'time' | 'datetime' | undefined
}

/** `{twigtemplate=<id>}` */
export interface TemplateToken {
  kind: 'template'
  id: number | undefined
}

const modifiers: Record<string, ContactToken['modifier']> = {
  true: 'url',
  date: 'date',
  time: 'time',
  datetime: 'datetime',
}

const token =
  /\{contactfield=([^{}]*)\}|%7bcontactfield(?:=|%3d)((?:(?!%7b).)*?)%7d|\{(twigtemplate)=([^{}]*)\}/gi

/**
 * Takes a text apart into what stays and Mautic's tokens. Done once for a text; values are then put in
 * without looking at them, so a token within a contact's own data is just text.
 */
export function parseTokens(text: string): Segment[] {
  const segments: Segment[] = []
  let from = 0
  for (const match of text.matchAll(token)) {
    const [whole, field, encodedField, keyword, id] = match
    // Mautic's plug-in knows only the small letters.
    if (keyword !== undefined && keyword !== 'twigtemplate') continue
    if (match.index > from) segments.push(text.slice(from, match.index))
    from = match.index + whole.length
    if (keyword === undefined) segments.push(readContactToken(field ?? decode(encodedField ?? '')))
    else segments.push({ kind: 'template', id: readId(id ?? '') })
  }
  if (from < text.length) segments.push(text.slice(from))
  return segments
}

/** The text with its tokens blanked, each in its length, so that everything keeps its line and column. */
export function blankTokens(text: string): string {
  return text.replace(token, (whole) => whole.replaceAll(/[^\n]/g, ' '))
}

const templateToken = /\{twigtemplate=([^{}]*)\}/g

/**
 * Takes a text apart into what stays and template tokens alone: what a Mautic leaves in the messages that
 * it sends, since it has put in the contact's fields itself. After `countMax` tokens, the rest stays.
 */
export function parseTemplateTokens(
  text: string,
  countMax = Number.POSITIVE_INFINITY,
): (string | TemplateToken)[] {
  const segments: (string | TemplateToken)[] = []
  let from = 0
  let count = 0
  for (const match of text.matchAll(templateToken)) {
    count += 1
    if (count > countMax) break
    if (match.index > from) segments.push(text.slice(from, match.index))
    from = match.index + match[0].length
    segments.push({ kind: 'template', id: readId(match[1] ?? '') })
  }
  if (from < text.length) segments.push(text.slice(from))
  return segments
}

/** Whether a text has a token that a template is rendered for. */
export function hasTemplateToken(segments: readonly Segment[]): boolean {
  return segments.some((segment) => typeof segment !== 'string' && segment.kind === 'template')
}

function readContactToken(text: string): ContactToken {
  const bar = text.indexOf('|')
  const alias = (bar === -1 ? text : text.slice(0, bar)).trim()
  const rest = bar === -1 ? '' : text.slice(bar + 1)
  const modifier = Object.hasOwn(modifiers, rest) ? modifiers[rest] : undefined
  return { kind: 'contact', alias, fallback: modifier === undefined ? rest : '', modifier }
}

function readId(text: string): number | undefined {
  return /^\s*\d{1,15}\s*$/.test(text) ? Number(text) : undefined
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
