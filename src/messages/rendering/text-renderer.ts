import type { TemplateSources } from '../../templates/index.ts'
import type { Loader, Twig } from '../../twig/index.ts'
import type { ContactData } from './contact-data.ts'
import { type LinkValues, markTokens, printWithLinks } from './link-tokens.ts'
import { escapeHtml, type TextKind } from './text-kind.ts'
import { type CheckTime, createTimeLimit } from './time-limit.ts'
import { parseTokens, type Segment } from './tokens.ts'

/** The template engines: that for HTML escapes, that for plain text does not. */
export interface Engines {
  html: Twig
  text: Twig
}

/** Everything that one rendering of a text depends on. */
export interface RenderContext {
  contact: ContactData
  /** The variables of templates besides `contact`. */
  variables: Readonly<Record<string, unknown>>
  loader: Loader
  /** The values of tokens for links; undefined where there are none, so that the tokens stay. */
  links?: LinkValues | undefined
  /** Whether a template may read the variables for links. */
  readsLinks?: boolean
  /** An email may have many templates, and the engine limits each by itself. */
  checkTime: CheckTime
}

/** The values that a text is rendered with. */
export type RenderValues = Pick<RenderContext, 'contact' | 'variables'>

/** Renders a prepared text for a contact. Throws TwigError. */
export type TextRenderer = (context: RenderContext) => string

/** Prepares a text with tokens. With `isTwig`, the text is a template itself. */
export function prepareText(
  source: string,
  options: { kind: TextKind; isTwig: boolean; engines: Engines },
): TextRenderer {
  const { kind, isTwig, engines } = options
  const engine = engines[kind]
  const valueOfToken = (segment: Exclude<Segment, string>, context: RenderContext) => {
    if (segment.kind === 'link') return context.links?.token(segment.name, kind) ?? segment.source
    return segment.kind === 'contact'
      ? contactValue(segment, context, { kind, engine: engines.text })
      : renderTemplate(segment.id, context, { kind, engine })
  }
  if (isTwig) return prepareTwig(source, { kind, engine }, valueOfToken)
  const segments = parseTokens(source)
  return (context) =>
    segments
      .map((segment) => (typeof segment === 'string' ? segment : valueOfToken(segment, context)))
      .join('')
}

/** The engine of a text. */
interface TextEngine {
  kind: TextKind
  engine: Twig
}

type ValueOf = (segment: Exclude<Segment, string>, context: RenderContext) => string

/**
 * Replaces tokens by marks that the template prints unchanged, and the marks by values afterwards. So a
 * value is never part of a template's code.
 */
function prepareTwig(
  source: string,
  { kind, engine }: TextEngine,
  valueOfToken: ValueOf,
): TextRenderer {
  const segments = parseTokens(markTokens(source), { withLinks: false })
  const tokens: Exclude<Segment, string>[] = []
  const mark = `t${Math.random().toString(36).slice(2)}`
  const code = segments
    .map((segment) =>
      typeof segment === 'string' ? segment : `\u{E000}${mark}.${tokens.push(segment) - 1}\u{E001}`,
    )
    .join('')
  const place = new RegExp(`\u{E000}${mark}\\.(\\d+)\u{E001}`, 'gu')
  return (context) => {
    const output = printTemplate({ code, name: 'email' }, context, { kind, engine })
    if (tokens.length === 0) return output
    return output.replace(place, (_whole, index: string) => {
      const segment = tokens[Number(index)]
      return segment === undefined ? '' : valueOfToken(segment, context)
    })
  }
}

const dateFormats = { date: 'F j, Y', time: 'g:i a', datetime: 'F j, Y g:i a' }

function contactValue(
  { alias, fallback, modifier }: Extract<Segment, { kind: 'contact' }>,
  { contact, checkTime }: RenderContext,
  { kind, engine }: TextEngine,
): string {
  const value = Object.hasOwn(contact, alias) ? contact[alias] : undefined
  const isText = typeof value === 'string' || typeof value === 'number'
  // The author wrote the fallback, and may write HTML.
  if (!isText || value === '') return fallback
  if (modifier === undefined) return kind === 'html' ? escapeHtml(String(value)) : String(value)
  if (modifier === 'url') return urlencode(String(value))
  checkTime()
  return engine.renderSource('{{ value|date(format) }}', { value, format: dateFormats[modifier] })
}

/** PHP's `urlencode`, which Mautic uses. */
function urlencode(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1).replaceAll('*', '%2A')
}

/** Renders the template of a token; an unknown or unpublished id becomes nothing. Throws TwigError. */
export function renderTemplate(
  id: number | undefined,
  context: RenderContext,
  { kind, engine }: TextEngine,
): string {
  const name = `id:${id}`
  const code = id === undefined ? undefined : context.loader.get(name)
  return code === undefined ? '' : printTemplate({ code, name }, context, { kind, engine })
}

function printTemplate(
  { code, name }: { code: string; name: string },
  { contact, variables, loader, links, readsLinks, checkTime }: RenderContext,
  { kind, engine }: TextEngine,
): string {
  const ofLinks = readsLinks === true ? links?.variables(kind) : undefined
  const print = (data: ContactData) => {
    checkTime()
    return engine.renderSource(code, { ...ofLinks, ...variables, contact: data }, { loader, name })
  }
  return printWithLinks(print, contact, { links, kind })
}

/** Renders templates by id for one recipient; an unknown or unpublished one becomes nothing. Throws TwigError. */
export type TemplateRenderer = (id: number | undefined, kind: TextKind) => string

/** What rendering templates needs. */
interface TemplateOptions {
  engines: Engines
  sources: TemplateSources
  /** The Mautic whose message has the tokens; undefined for one of Mailyard itself. */
  mauticId: number | undefined
}

/** Reads the templates that tokens name, and those that they include. */
export async function prepareTemplates(
  ids: readonly number[],
  values: RenderValues,
  { engines, sources, mauticId }: TemplateOptions,
): Promise<TemplateRenderer> {
  const references = ids.map((id) => ({ names: [`id:${id}`] }))
  const { loader } = await sources.load(references, { mauticId })
  const context = { ...values, loader, checkTime: createTimeLimit() }
  return (id, kind) => renderTemplate(id, context, { kind, engine: engines[kind] })
}
