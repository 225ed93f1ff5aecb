import { runtimeFault } from '../errors/faults.ts'
import type { Render } from '../runtime/render.ts'
import { Markup } from '../values/markup.ts'
import type { Meter } from '../values/meter.ts'
import { toText } from '../values/text.ts'
import { TwigObject, type Value } from '../values/value.ts'
import { escapeCss } from './css.ts'
import { escapeHtml } from './html.ts'
import { escapeHtmlAttr, escapeHtmlAttrRelaxed } from './html-attr.ts'
import { escapeJs } from './js.ts'
import { escapeUrl } from './url.ts'

/** Makes a text safe for one context. */
export type Escaper = (text: string, meter: Meter) => string

const escapers: ReadonlyMap<string, Escaper> = new Map([
  ['html', escapeHtml],
  ['js', escapeJs],
  ['url', escapeUrl],
  ['css', escapeCss],
  ['html_attr', escapeHtmlAttr],
  ['html_attr_relaxed', escapeHtmlAttrRelaxed],
])

/** One of Twig's own strategies, by name. */
export function findEscaper(strategy: string): Escaper | undefined {
  return escapers.get(strategy)
}

/** One of Twig's own strategies or one of the engine's; throws where there is none of that name. */
export function getEscaper(strategy: string, render: Render): Escaper {
  const escaper = escapers.get(strategy) ?? render.settings.escapers.get(strategy)
  if (escaper !== undefined) return escaper
  const names = [...escapers.keys(), ...render.settings.escapers.keys()].join('", "')
  throw runtimeFault(`Invalid escaping strategy "${strategy}" (valid ones: "${names}").`)
}

/**
 * What automatic escaping makes of a value: markup is safe already, numbers and the like have nothing
 * to escape, texts and objects that have a text are escaped.
 */
export function escapeUnlessSafe(value: Value, escaper: Escaper, meter: Meter): Value {
  if (typeof value === 'string') return escaper(value, meter)
  if (value instanceof TwigObject) return escaper(toText(value), meter)
  return value
}

/** What the `escape` filter makes of a value: as `escapeUnlessSafe`, but markup is escaped too. */
export function escapeAlways(value: Value, escaper: Escaper, meter: Meter): Value {
  return escapeUnlessSafe(value instanceof Markup ? value.text : value, escaper, meter)
}
