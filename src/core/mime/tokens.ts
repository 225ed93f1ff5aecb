import type { Twig, TwigFault } from '../../libraries/twig/index.ts'

/** The kind of a text: in HTML, templates escape what they print. */
export type TextKind = 'html' | 'text'

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#039;',
}

/** Escapes text for HTML as Twig's filter `escape` does, so that it ends no tag and no quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')
}

/** What stands in a text for a value. */
export type Token = ContactToken | TemplateToken | LinkToken

/** A part of a text: literal text, or a token. */
export type Segment = string | Token

/** `{contactfield=alias|fallback}` */
export interface ContactToken {
  kind: 'contact'
  alias: string
  /** The text for an empty field. */
  fallback: string
  /** The format of the value, given in the place of a fallback. */
  modifier: 'url' | 'date' | 'time' | 'datetime' | undefined
}

/** `{twigtemplate=<id>}` */
export interface TemplateToken {
  kind: 'template'
  id: number | undefined
}

/** `{unsubscribe_url}`, `{unsubscribe_text}` and `{webview_url}` */
export interface LinkToken {
  kind: 'link'
  name: LinkTokenName
  /** As it is written. */
  source: string
}
export const linkTokenNames = ['unsubscribe_url', 'unsubscribe_text', 'webview_url'] as const
export type LinkTokenName = (typeof linkTokenNames)[number]

/** Whether a token of this name, without braces, stands for a link to Mailyard. */
export function isLinkToken(name: string): boolean {
  return (linkTokenNames as readonly string[]).includes(name)
}

const modifiers: Record<string, ContactToken['modifier']> = {
  true: 'url',
  date: 'date',
  time: 'time',
  datetime: 'datetime',
}

const token =
  /\{contactfield=([^{}]*)\}|%7bcontactfield(?:=|%3d)((?:(?!%7b).)*?)%7d|\{(twigtemplate)=([^{}]*)\}|(?:\{|%7b)(unsubscribe_url|unsubscribe_text|webview_url)(?:\}|%7d)/gi

/**
 * Splits a text into literal text and Mautic's tokens. A text is split once, before values replace the
 * tokens, so a token in the data of a contact is just text. `withLinks: false`: tokens for links are literal text.
 */
export function parseTokens(text: string, { withLinks = true } = {}): Segment[] {
  return split<Token>(text, token, ([whole, field, encodedField, keyword, id, link]) => {
    if (link !== undefined) return withLinks ? readLinkToken(link, whole) : undefined
    if (keyword === undefined) return readContactToken(field ?? decode(encodedField ?? ''))
    // Mautic's plug-in knows only lower case.
    return keyword === 'twigtemplate' ? { kind: 'template', id: readId(id) } : undefined
  })
}

/** Splits a text at the matches of a pattern that are tokens; other matches are literal text. */
function split<Found>(
  text: string,
  pattern: RegExp,
  read: (match: readonly string[]) => Found | undefined,
): (string | Found)[] {
  const segments: (string | Found)[] = []
  let from = 0
  for (const match of text.matchAll(pattern)) {
    const found = read(match)
    if (found === undefined) continue
    if (match.index > from) segments.push(text.slice(from, match.index))
    from = match.index + match[0].length
    segments.push(found)
  }
  if (from < text.length) segments.push(text.slice(from))
  return segments
}

/** Replaces tokens by as many blanks, so that the rest keeps its line and column. */
export function blankTokens(text: string): string {
  return text.replace(token, (whole) => whole.replaceAll(/[^\n]/g, ' '))
}

const templateToken = /\{twigtemplate=([^{}]*)\}/g

/**
 * Splits a text into literal text and template tokens only: Mautic replaces the contact's fields itself
 * before it sends. After `countMax` tokens, the rest is literal.
 */
export function parseTemplateTokens(
  text: string,
  countMax = Number.POSITIVE_INFINITY,
): (string | TemplateToken)[] {
  let count = 0
  return split<TemplateToken>(text, templateToken, ([, id]) => {
    count += 1
    return count > countMax ? undefined : { kind: 'template', id: readId(id) }
  })
}

function readContactToken(text: string): ContactToken {
  const bar = text.indexOf('|')
  const alias = (bar === -1 ? text : text.slice(0, bar)).trim()
  const rest = bar === -1 ? '' : text.slice(bar + 1)
  const modifier = Object.hasOwn(modifiers, rest) ? modifiers[rest] : undefined
  return { kind: 'contact', alias, fallback: modifier === undefined ? rest : '', modifier }
}

function readLinkToken(name: string, source = ''): LinkToken {
  return { kind: 'link', name: name.toLowerCase() as LinkTokenName, source }
}

function readId(text = ''): number | undefined {
  return /^\s*\d{1,15}\s*$/.test(text) ? Number(text) : undefined
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Lints a text that is Twig itself, without its tokens, which are not code. */
export function createLintText(
  twig: Twig,
): (text: string, faultsMax: number) => readonly TwigFault[] {
  return (text, faultsMax) => twig.lint(blankTokens(text), 'email', { faultsMax }).faults
}
