import { randomInt } from 'node:crypto'
import { type HostVariables, type Loader, Markup, type Twig, TwigError } from '../../twig/index.ts'
import type { MessageLinks } from '../links/links.ts'
import { escapeHtml, type TextKind } from './text-kind.ts'
import { type LinkTokenName, linkTokenNames } from './tokens.ts'

/** As Mautic writes it; the words in brackets are the link. */
const unsubscribeText = ['Unsubscribe', ' to no longer receive emails from us.'] as const

/** The values of `{unsubscribe_url}`, `{unsubscribe_text}` and `{webview_url}` for one message. */
export interface LinkValues {
  /** The text that replaces a token; undefined where the caller gives the value, so that the token stays for it. */
  token(name: LinkTokenName, kind: TextKind): string | undefined
  /** The variables of the same names for templates. */
  variables(kind: TextKind): Readonly<Record<string, unknown>>
}

/**
 * Returns the values of tokens for links; undefined if there are none. Those in `given` (names with or without braces) are the
 * caller's own.
 */
export function linkValues(
  links: MessageLinks | undefined,
  given: Readonly<Record<string, string>> = {},
): LinkValues | undefined {
  const ownValues = new Map(
    Object.entries(given).map(([name, value]) => [
      name.replace(/^\{|\}$/g, '').toLowerCase(),
      value,
    ]),
  )
  if (links === undefined && !linkTokenNames.some((name) => ownValues.has(name))) return undefined
  const token = (name: LinkTokenName, kind: TextKind) =>
    links === undefined || ownValues.has(name) ? undefined : textOf(links, name, kind)
  return {
    token,
    variables: (kind) =>
      Object.fromEntries(
        linkTokenNames.map((name) => {
          if (name !== 'unsubscribe_text' || kind === 'text')
            return [name, ownValues.get(name) ?? token(name, 'text') ?? null]
          const html = token(name, kind)
          return [name, html === undefined ? (ownValues.get(name) ?? null) : new Markup(html)]
        }),
      ),
  }
}

function textOf(links: MessageLinks, name: LinkTokenName, kind: TextKind): string {
  const url = name === 'webview_url' ? links.webview() : links.unsubscribe()
  const shown = kind === 'html' ? escapeHtml(url) : url
  if (name !== 'unsubscribe_text') return shown
  const [word, rest] = unsubscribeText
  return kind === 'html' ? `<a href="${shown}">${word}</a>${rest}` : `${word}${rest} ${shown}`
}

const namePattern = linkTokenNames.join('|')
const mention = new RegExp(namePattern, 'i')

/** Whether a template may read a variable, or have a token, for a link. */
export function mentionsLink(source: string): boolean {
  return mention.test(source)
}

/** A token, but not Twig's `{{unsubscribe_url}}` and `"#{unsubscribe_url}"`. */
const tokenInTwig = new RegExp(`(?<![{#])(?:\\{|%7b)(${namePattern})(?:\\}|%7d)(?!\\})`, 'gi')
/** Code of Twig, up to the end of the source if it has no end. */
const code = /\{\{[\s\S]*?(?:\}\}|$)|\{%[\s\S]*?(?:%\}|$)|\{#[\s\S]*?(?:#\}|$)/g
/** Up to the end of the code if it has no end. */
const stringInCode = /"[^"\\]*(?:\\[\s\S][^"\\]*)*(?:"|$)|'[^'\\]*(?:\\[\s\S][^'\\]*)*(?:'|$)/g

/** It is different in every process, so that data cannot contain a mark. */
const secret = String(randomInt(1_000_000_000, 9_999_999_999))
const mark = new RegExp(`\\u{E000}${secret}(\\d)0*\\u{E001}`, 'gu')

/**
 * Replaces the tokens for links in a template's source by marks, which it prints unchanged. `replaceMarks` replaces these in its
 * output. So a token that a template prints from data, such as a field of the contact, is just text.
 */
export function markTokens(source: string): string {
  if (!mentionsLink(source)) return source
  const parts: string[] = []
  let from = 0
  for (const { index, 0: piece } of source.matchAll(code)) {
    parts.push(markAll(source.slice(from, index)), piece.replace(stringInCode, markAll))
    from = index + piece.length
  }
  return [...parts, markAll(source.slice(from))].join('')
}

/** Returns the names of the tokens for links in a template's source, also of those in strings of its code. */
export function linkTokensOf(source: string): LinkTokenName[] {
  return [...markTokens(source).matchAll(mark)].flatMap(
    ([, index]) => linkTokenNames[Number(index)] ?? [],
  )
}

/** A mark is as long as its token, so that the code after it keeps its column. */
function markAll(text: string): string {
  return text.replace(tokenInTwig, (token, name: string) => {
    const index = linkTokenNames.indexOf(name.toLowerCase() as LinkTokenName)
    const filling = '0'.repeat(Math.max(0, token.length - secret.length - 3))
    return `\u{E000}${secret}${index}${filling}\u{E001}`
  })
}

const changedToken =
  'A filter changes a token for a link, such as {unsubscribe_url}. Use the variable there: unsubscribe_url.'

/** Replaces the marks in what a template printed by the values of their tokens; without values, by the tokens. Throws TwigError. */
export function replaceMarks(
  output: string,
  links: LinkValues | undefined,
  kind: TextKind,
): string {
  if (!output.includes(secret)) return output
  const replaced = output.replace(mark, (_whole, index: string) => {
    const name = linkTokenNames[Number(index)]
    return name === undefined ? '' : (links?.token(name, kind) ?? `{${name}}`)
  })
  if (replaced.includes(secret)) throw new TwigError('runtime', changedToken)
  return replaced
}

/** Returns templates with marks for their tokens. Each is marked once. */
export function withMarks(loader: Loader): Loader {
  const marked = new Map<string, string>()
  return {
    ...loader,
    get(name) {
      const known = marked.get(name)
      if (known !== undefined) return known
      const source = loader.get(name)
      if (source === undefined || !mentionsLink(source)) return source
      const text = markTokens(source)
      marked.set(name, text)
      return text
    },
  }
}

/** Returns an engine for templates alone, whose links are those of previews; they change nothing. */
export function withSampleLinks(twig: Twig, previewLinks: MessageLinks | undefined): Twig {
  const links = linkValues(previewLinks)
  if (links === undefined) return twig
  const variables = links.variables('html')
  return {
    ...twig,
    renderSource(source, context = {}, options = {}) {
      const { loader } = options
      const marked = loader === undefined ? options : { ...options, loader: withMarks(loader) }
      const output = twig.renderSource(markTokens(source), joined(variables, context), marked)
      return replaceMarks(output, links, 'html')
    },
  }
}

function joined(variables: Readonly<Record<string, unknown>>, context: HostVariables) {
  if (context instanceof Map) return new Map([...Object.entries(variables), ...context])
  return { ...variables, ...context }
}
