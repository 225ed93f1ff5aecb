import type { Loader, Twig } from '../../twig/index.ts'
import type { ContactData } from './contact-data.ts'
import { escapeHtml } from './escape-html.ts'
import { parseTokens, type Segment } from './tokens.ts'

/** Where a text goes: in HTML, what templates print is escaped for it. */
export type TextKind = 'html' | 'text'

/** What renders texts; templates for HTML escape, those for plain text do not. */
export interface Engines {
  html: Twig
  text: Twig
}

/** Everything that one rendering of a text depends on. */
export interface RenderContext {
  contact: ContactData
  /** What templates know besides `contact`. */
  variables: Readonly<Record<string, unknown>>
  loader: Loader
}

/** A text that was prepared once, and is rendered for each contact. Throws TwigError. */
export type TextRenderer = (context: RenderContext) => string

/** Prepares a text with tokens; `isTwig` for one that is a template itself. */
export function prepareText(
  source: string,
  options: { kind: TextKind; isTwig: boolean; engines: Engines },
): TextRenderer {
  const { kind, isTwig, engines } = options
  const segments = parseTokens(source)
  const engine = engines[kind]
  const valueOfToken = (segment: Exclude<Segment, string>, context: RenderContext) =>
    segment.kind === 'contact'
      ? contactValue(segment, context, { kind, engine: engines.text })
      : renderTemplate(segment.id, context, engine)
  if (isTwig) return prepareTwig(segments, engine, valueOfToken)
  return (context) =>
    segments
      .map((segment) => (typeof segment === 'string' ? segment : valueOfToken(segment, context)))
      .join('')
}

type ValueOf = (segment: Exclude<Segment, string>, context: RenderContext) => string

/**
 * Tokens become places that the template prints as they are; their values are put in afterwards. So no
 * value is ever part of a template's code.
 */
function prepareTwig(
  segments: readonly Segment[],
  engine: Twig,
  valueOfToken: ValueOf,
): TextRenderer {
  const tokens: Exclude<Segment, string>[] = []
  const mark = `t${Math.random().toString(36).slice(2)}`
  const code = segments
    .map((segment) =>
      typeof segment === 'string' ? segment : `\u{E000}${mark}.${tokens.push(segment) - 1}\u{E001}`,
    )
    .join('')
  const place = new RegExp(`\u{E000}${mark}\\.(\\d+)\u{E001}`, 'gu')
  return (context) => {
    const { contact, variables, loader } = context
    const output = engine.renderSource(code, { ...variables, contact }, { loader, name: 'email' })
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
  { contact }: RenderContext,
  { kind, engine }: { kind: TextKind; engine: Twig },
): string {
  const value = Object.hasOwn(contact, alias) ? contact[alias] : undefined
  const isText = typeof value === 'string' || typeof value === 'number'
  // The fallback is the author's, who may write HTML.
  if (!isText || value === '') return fallback
  if (modifier === undefined) return kind === 'html' ? escapeHtml(String(value)) : String(value)
  if (modifier === 'url') return urlencode(String(value))
  return engine.renderSource('{{ value|date(format) }}', { value, format: dateFormats[modifier] })
}

/** As PHP's function of this name, which Mautic uses. */
function urlencode(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1).replaceAll('*', '%2A')
}

/** What stands in the place of a template token; an unknown or unpublished id becomes nothing. Throws TwigError. */
export function renderTemplate(
  id: number | undefined,
  context: RenderContext,
  engine: Twig,
): string {
  const { contact, variables, loader } = context
  const source = id === undefined ? undefined : loader.get(`id:${id}`)
  if (source === undefined) return ''
  return engine.renderSource(source, { ...variables, contact }, { loader, name: `id:${id}` })
}
