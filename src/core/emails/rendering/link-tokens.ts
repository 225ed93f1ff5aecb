import { randomInt } from 'node:crypto'
import {
  type HostVariables,
  type Loader,
  Markup,
  type Twig,
  TwigError,
} from '../../../libraries/twig/index.ts'
import { escapeHtml, type LinkTokenName, linkTokenNames, type TextKind } from '../../mime/index.ts'
import type { MessageLinks } from './links.ts'

/** As Mautic writes it; the words in brackets are the link. */
const unsubscribeText = ['Unsubscribe', ' to no longer receive emails from us.'] as const

/** The values of `{unsubscribe_url}`, `{unsubscribe_text}` and `{webview_url}` for one message. */
export interface LinkValues {
  /** Whether the caller gives the value of a token, so that the token stays for it. */
  isGiven(name: LinkTokenName): boolean
  /** The text that replaces a token; undefined where the caller gives the value, and where there is none. */
  token(name: LinkTokenName, kind: TextKind): string | undefined
  /** The variables of the same names for templates. */
  variables(kind: TextKind): Readonly<Record<string, unknown>>
}

/**
 * Returns the values of tokens for links; undefined if there are none. Those in `values` (names with or without braces) are the
 * caller's own.
 */
export function linkValues(
  links: MessageLinks | undefined,
  values: Readonly<Record<string, string>> = {},
): LinkValues | undefined {
  const ownValues = new Map(
    Object.entries(values).map(([name, value]) => [
      name.replace(/^\{|\}$/g, '').toLowerCase(),
      value,
    ]),
  )
  if (links === undefined && !linkTokenNames.some((name) => ownValues.has(name))) return undefined
  const token = (name: LinkTokenName, kind: TextKind) =>
    links === undefined || ownValues.has(name) ? undefined : textOf(links, name, kind)
  return {
    isGiven: (name) => ownValues.has(name),
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
  const url = name === 'webview_url' ? links.webview : links.unsubscribe
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
 * Replaces the tokens for links in a template's source by marks, which it prints unchanged. `printWithLinks` replaces these in its
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

/** What tokens stand for in what a template prints. */
interface LinkContext {
  /** Undefined where there are none: marks become their tokens again. */
  links: LinkValues | undefined
  kind: TextKind
}

/**
 * Prints a template with the data of a contact, and replaces the marks in it by the values of their tokens. Other tokens for
 * links stand for nothing: one that comes from the data is text, one that the template puts together is a fault.
 * @throws TwigError
 */
export function printWithLinks<T>(
  print: (data: T) => string,
  data: T,
  { links, kind }: LinkContext,
): string {
  const output = print(data)
  if (findToken(output, links) !== undefined) {
    // Without tokens in the data, only those of the template are left.
    const token = findToken(print(withoutTokens(data)), links)
    if (token !== undefined) throw new TwigError('runtime', standsForNothing(token))
  }
  return replaceMarks(output, links, kind)
}

function standsForNothing(token: string): string {
  return `The template prints ${token}, which stands for nothing. In an email of Mailyard, write the token in one piece. In a message over SMTP there are no links: remove it.`
}

const writtenToken = new RegExp(`(?:\\{|%7b)(${namePattern})(?:\\}|%7d)`, 'gi')

/** Finds a token for a link that no value of the caller replaces. */
function findToken(text: string, links: LinkValues | undefined): string | undefined {
  for (const [token, name = ''] of text.matchAll(writtenToken))
    if (links?.isGiven(name.toLowerCase() as LinkTokenName) !== true) return token
  return undefined
}

/** The brace of a token, or of the beginning of one at the end of a text. Those of JSON are followed by other characters. */
const brace = /(?:\{|%7b)(?=[a-z_]+(?:\}|%7d)|[a-z_]*$)/gi

/** Returns data whose texts begin no token. */
function withoutTokens<T>(data: T): T
function withoutTokens(data: unknown): unknown {
  if (typeof data === 'string') return data.replace(brace, '(')
  if (typeof data !== 'object' || data === null) return data
  if (Array.isArray(data)) return data.map(withoutTokens)
  const entries = data instanceof Map ? [...data] : Object.entries(data)
  const changed = entries.map(([key, value]) => [key, withoutTokens(value)] as const)
  return data instanceof Map ? new Map(changed) : Object.fromEntries(changed)
}

/** Replaces the marks in what a template printed by the values of their tokens; without values, by the tokens. */
function replaceMarks(output: string, links: LinkValues | undefined, kind: TextKind): string {
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
  const marked = new Map<string, string | undefined>()
  return {
    ...loader,
    get(name) {
      if (!marked.has(name)) {
        const source = loader.get(name)
        marked.set(name, source && markTokens(source))
      }
      return marked.get(name)
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
      const code = markTokens(source)
      const print = (data: HostVariables) =>
        twig.renderSource(code, joined(variables, data), marked)
      return printWithLinks(print, context, { links, kind: 'html' })
    },
  }
}

function joined(variables: Readonly<Record<string, unknown>>, context: HostVariables) {
  if (context instanceof Map) return new Map([...Object.entries(variables), ...context])
  return { ...variables, ...context }
}
