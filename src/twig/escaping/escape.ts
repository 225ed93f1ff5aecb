import type { Budget } from '../budget.ts'
import { runtimeFault } from '../errors.ts'
import type { Render } from '../runtime/render.ts'
import type { Strategy } from '../syntax/statement.ts'
import { toText } from '../values/conversions.ts'
import { Markup, TwigObject, type Value } from '../values/value.ts'
import {
  escapeCss,
  escapeHtml,
  escapeHtmlAttr,
  escapeHtmlAttrRelaxed,
  escapeJs,
  escapeUrl,
} from './escapers.ts'

/** Escapes a text for one output context. */
export type Escaper = (text: string, budget: Budget) => string

const escapers: ReadonlyMap<string, Escaper> = new Map([
  ['html', escapeHtml],
  ['js', escapeJs],
  ['url', escapeUrl],
  ['css', escapeCss],
  ['html_attr', escapeHtmlAttr],
  ['html_attr_relaxed', escapeHtmlAttrRelaxed],
])

/** Finds a built-in escaping strategy by name. */
export function findEscaper(strategy: string): Escaper | undefined {
  return escapers.get(strategy)
}

/**
 * Returns a built-in or custom escaping strategy.
 *
 * @throws TwigError when there is no strategy of that name.
 */
export function getEscaper(strategy: string, render: Render): Escaper {
  const escaper = escapers.get(strategy) ?? render.settings.escapers.get(strategy)
  if (escaper !== undefined) return escaper
  const names = [...escapers.keys(), ...render.settings.escapers.keys()].join('", "')
  throw runtimeFault(`Invalid escaping strategy "${strategy}" (valid ones: "${names}").`)
}

/**
 * Escapes a value like automatic escaping: strings and printable objects. Markup is already safe,
 * and numbers and booleans need no escaping.
 */
export function escapeUnlessSafe(value: Value, escaper: Escaper, budget: Budget): Value {
  if (typeof value === 'string') return escaper(value, budget)
  if (value instanceof TwigObject) return escaper(toText(value), budget)
  return value
}

/** Escapes a value like the `escape` filter: as `escapeUnlessSafe`, but markup as well. */
export function escapeAlways(value: Value, escaper: Escaper, budget: Budget): Value {
  return escapeUnlessSafe(value instanceof Markup ? value.text : value, escaper, budget)
}

/**
 * Chooses the strategy for a template's name: `mail.html.twig` is HTML, `mail.txt.twig` is not
 * escaped.
 */
export function strategyByName(name: string | undefined): Strategy {
  if (name === undefined || name.endsWith('/')) return 'html'
  const bare = name.endsWith('.twig') ? name.slice(0, -5) : name
  const extension = /\.([^./]+)$/.exec(bare)?.[1]
  if (extension === 'js' || extension === 'json') return 'js'
  if (extension === 'css') return 'css'
  return extension === 'txt' ? false : 'html'
}
