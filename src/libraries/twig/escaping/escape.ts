import type { Budget } from '../budget.ts'
import { runtimeFault } from '../errors.ts'
import type { Render } from '../runtime/render.ts'
import type { Strategy } from '../syntax/statement.ts'
import { toText } from '../values/conversions.ts'
import { Markup, TwigObject, type Value } from '../values/value.ts'

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

/** The memory that an entity and the text before it take. */
const bytesPerEntity = 64

const special = /["&'<>]/

/** Escapes for HTML text and quoted attributes, like PHP's `htmlspecialchars` with ENT_QUOTES. */
export function escapeHtml(text: string, budget: Budget): string {
  if (!special.test(text)) return text
  budget.allocateText(text.length)
  budget.spendOnCharacters(text.length)
  let escaped = ''
  let kept = 0
  for (let position = 0; position < text.length; position++) {
    const entity = entityOf(text.charCodeAt(position))
    if (entity === '') continue
    budget.spend(1)
    budget.allocate(bytesPerEntity)
    escaped += text.slice(kept, position) + entity
    kept = position + 1
  }
  return escaped + text.slice(kept)
}

/** A switch is three times as fast as a lookup table or a replacer function. */
function entityOf(unit: number): string {
  switch (unit) {
    case 34:
      return '&quot;'
    case 38:
      return '&amp;'
    case 39:
      return '&#039;'
    case 60:
      return '&lt;'
    case 62:
      return '&gt;'
    default:
      return ''
  }
}

const named: Record<string, string> = { '"': '&quot;', '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/**
 * Escapes for an HTML attribute, even without quotes.
 *
 * @see https://owasp.org (XSS prevention, rule 2)
 */
function escapeHtmlAttr(text: string, budget: Budget): string {
  return escapeAll(text, /[^a-zA-Z0-9,.\-_]/gu, budget)
}

/** Like `escapeHtmlAttr`, but keeps `:`, `@`, `[` and `]`, which attribute names may contain. */
export function escapeHtmlAttrRelaxed(text: string, budget: Budget): string {
  return escapeAll(text, /[^a-zA-Z0-9,.\-_:@[\]]/gu, budget)
}

function escapeAll(text: string, unsafe: RegExp, budget: Budget): string {
  budget.allocateText(text.length * 6)
  return text.replace(unsafe, (character) => {
    budget.spend(1)
    const point = character.codePointAt(0) ?? 0
    if (isUndefinedInHtml(point)) return '&#xFFFD;'
    const width = point < 0x80 ? 2 : 4
    return named[character] ?? `&#x${hexadecimal(character).padStart(width, '0')};`
  })
}

/** Returns true for control characters that are invalid in HTML. */
function isUndefinedInHtml(point: number): boolean {
  if (point <= 0x1f) return point !== 9 && point !== 10 && point !== 13
  return point === 0x7f
}

/**
 * Escapes for a JavaScript or JSON string in any HTML context. Everything except letters, digits,
 * `,`, `.` and `_` becomes `\uXXXX`.
 */
function escapeJs(text: string, budget: Budget): string {
  budget.allocateText(text.length * 6)
  return text.replace(/[^a-zA-Z0-9,._]/g, (unit) => {
    budget.spend(1)
    if ('\\\b\f\n\r\t'.includes(unit)) return JSON.stringify(unit).slice(1, -1)
    return unit === '/' ? '\\/' : `\\u${hexadecimal(unit).padStart(4, '0')}`
  })
}

function hexadecimal(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase()
}

/** Escapes for a CSS string or identifier. Everything except letters and digits becomes `\XX `. */
function escapeCss(text: string, budget: Budget): string {
  budget.allocateText(text.length * 5)
  return text.replace(/[^a-zA-Z0-9]/gu, (character) => {
    budget.spend(1)
    return `\\${hexadecimal(character)} `
  })
}

/**
 * Escapes a URL component like PHP's `rawurlencode` (RFC 3986). A lone surrogate becomes U+FFFD.
 */
export function escapeUrl(text: string, budget: Budget): string {
  budget.allocateText(text.length * 3)
  budget.spendOnCharacters(text.length * 3)
  return encodeURIComponent(text.toWellFormed()).replace(/[!'()*]/g, (character) => {
    budget.spend(1)
    return `%${hexadecimal(character)}`
  })
}
