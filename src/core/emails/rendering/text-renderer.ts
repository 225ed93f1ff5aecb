import { randomInt } from 'node:crypto'
import { startStopwatch } from '../../../kit/clock.ts'
import { type Loader, type Twig, TwigError } from '../../../libraries/twig/index.ts'
import {
  type ContactToken,
  escapeHtml,
  parseTokens,
  type TextKind,
  type Token,
} from '../../mime/index.ts'
import type { TemplateSources } from '../../templates/index.ts'
import type { ContactData } from './contact-data.ts'
import { type LinkValues, markTokens, printWithLinks } from './link-tokens.ts'

/** The template engines: that for HTML escapes, that for plain text does not. */
export type Engines = Readonly<Record<TextKind, Twig>>

/** Everything that one rendering of a text depends on. */
export interface RenderContext {
  engines: Engines
  contact: ContactData
  /** The variables of templates besides `contact`. */
  variables: Readonly<Record<string, unknown>>
  loader: Loader
  /** The values of tokens for links; undefined where there are none, so that the tokens stay. */
  links?: LinkValues | undefined
  /** An email may have many templates, and the engine limits each by itself. */
  checkTime: CheckTime
}

/** It is different in every process, so that data cannot contain a mark. */
const secret = String(randomInt(1_000_000_000, 9_999_999_999))
const mark = new RegExp(`\u{E000}t${secret}\\.(\\d+)\u{E001}`, 'gu')

/** Renders a text with tokens. With `isTwig`, the text is a template itself. Throws TwigError. */
export function renderText(
  source: string,
  context: RenderContext,
  { kind, isTwig }: { kind: TextKind; isTwig: boolean },
): string {
  const render = (token: Token) => valueOfToken(token, context, kind)
  if (!isTwig)
    return parseTokens(source)
      .map((segment) => (typeof segment === 'string' ? segment : render(segment)))
      .join('')
  // The template prints a mark for each token, so that no value is a part of its code.
  const tokens: Token[] = []
  const code = parseTokens(markTokens(source), { withLinks: false })
    .map((segment) =>
      typeof segment === 'string'
        ? segment
        : `\u{E000}t${secret}.${tokens.push(segment) - 1}\u{E001}`,
    )
    .join('')
  return printTemplate({ code, name: 'email' }, context, kind).replace(mark, (_whole, index) => {
    const segment = tokens[Number(index)]
    return segment === undefined ? '' : render(segment)
  })
}

function valueOfToken(token: Token, context: RenderContext, kind: TextKind): string {
  if (token.kind === 'link') return context.links?.token(token.name, kind) ?? token.source
  if (token.kind === 'template') return renderTemplate(token.id, context, kind)
  return contactValue(token, context, kind)
}

const dateFormats = { date: 'F j, Y', time: 'g:i a', datetime: 'F j, Y g:i a' }

function contactValue(
  { alias, fallback, modifier }: ContactToken,
  { contact, checkTime, engines }: RenderContext,
  kind: TextKind,
): string {
  const value = Object.hasOwn(contact, alias) ? contact[alias] : undefined
  const isText = typeof value === 'string' || typeof value === 'number'
  // The author wrote the fallback, and may write HTML.
  if (!isText || value === '') return fallback
  if (modifier === undefined) return kind === 'html' ? escapeHtml(String(value)) : String(value)
  if (modifier === 'url') return urlencode(String(value))
  checkTime()
  const format = dateFormats[modifier]
  return engines.text.renderSource('{{ value|date(format) }}', { value, format })
}

/** PHP's `urlencode`, which Mautic uses. */
function urlencode(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1).replaceAll('*', '%2A')
}

/** Renders the template of a token; an unknown or unpublished id becomes nothing. Throws TwigError. */
function renderTemplate(id: number | undefined, context: RenderContext, kind: TextKind): string {
  const name = `id:${id}`
  const code = id === undefined ? undefined : context.loader.get(name)
  return code === undefined ? '' : printTemplate({ code, name }, context, kind)
}

function printTemplate(
  { code, name }: { code: string; name: string },
  { engines, contact, variables, loader, links, checkTime }: RenderContext,
  kind: TextKind,
): string {
  const print = (data: ContactData) => {
    checkTime()
    const context = { ...links?.variables(kind), ...variables, contact: data }
    return engines[kind].renderSource(code, context, { loader, name })
  }
  return printWithLinks(print, contact, { links, kind })
}

/** Renders templates by id for one recipient; an unknown or unpublished one becomes nothing. Throws TwigError. */
export type TemplateRenderer = (id: number | undefined, kind: TextKind) => string

interface TemplateOptions {
  engines: Engines
  sources: TemplateSources
  /** The brand of the message that has the tokens. */
  brand: number
}

/** Reads the templates that the tokens of a message name, and those that they include. */
export async function prepareTemplates(
  ids: readonly number[],
  contact: ContactData,
  { engines, sources, brand }: TemplateOptions,
): Promise<TemplateRenderer> {
  const references = ids.map((id) => ({ names: [`id:${id}`] }))
  const { loader } = await sources.load(references, { brand })
  const context = { engines, contact, variables: {}, loader, checkTime: createTimeLimit() }
  return (id, kind) => renderTemplate(id, context, kind)
}

/** Processor time of all templates of one email to one recipient. Each template also has the limits of the engine. */
const timeMs = 500

/** Called before each template. Throws a TwigError when the time is used up. */
type CheckTime = () => void

/** Limits the time of one email, from its first template on. Time spent waiting for the machine does not count. */
export function createTimeLimit(): CheckTime {
  let started: { elapsedMs: () => number; usage: NodeJS.CpuUsage } | undefined
  return () => {
    started ??= { elapsedMs: startStopwatch(), usage: process.threadCpuUsage() }
    if (started.elapsedMs() <= timeMs) return
    const { user, system } = process.threadCpuUsage(started.usage)
    if ((user + system) / 1_000 <= timeMs) return
    const message = `The templates of the email took longer than ${timeMs} ms. Use fewer or simpler ones.`
    throw new TwigError('limit', message)
  }
}
