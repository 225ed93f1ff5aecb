import type { Budget } from '../budget.ts'
import { entriesOf, isList, isMapping } from '../values/collections.ts'
import { exactNumberText } from '../values/conversions.ts'
import { type Collection, Markup, TwigObject, type Value } from '../values/value.ts'

/**
 * PHP's flags for `json_encode`.
 *
 * @see https://www.php.net/json.constants
 */
export const jsonFlags = {
  JSON_HEX_TAG: 1,
  JSON_HEX_AMP: 2,
  JSON_HEX_APOS: 4,
  JSON_HEX_QUOT: 8,
  JSON_FORCE_OBJECT: 16,
  JSON_NUMERIC_CHECK: 32,
  JSON_UNESCAPED_SLASHES: 64,
  JSON_PRETTY_PRINT: 128,
  JSON_UNESCAPED_UNICODE: 256,
  JSON_PARTIAL_OUTPUT_ON_ERROR: 512,
  JSON_PRESERVE_ZERO_FRACTION: 1024,
  JSON_UNESCAPED_LINE_TERMINATORS: 2048,
  JSON_THROW_ON_ERROR: 4_194_304,
} as const

/** Encodes a value as PHP's `json_encode` does. Returns undefined where PHP returns false. */
export function encodeJson(value: Value, flags: number, budget: Budget): string | undefined {
  return new Encoder(flags, budget).encode(value, 0)
}

const depthMax = 512
/** The memory that an escape such as `\u00e9` and the text before it take. */
const bytesPerEscape = 32

class Encoder {
  private readonly flags: number
  private readonly budget: Budget

  constructor(flags: number, budget: Budget) {
    this.flags = flags
    this.budget = budget
  }

  encode(value: Value, depth: number): string | undefined {
    if (depth > depthMax) return undefined
    if (value === null) return 'null'
    if (typeof value === 'boolean') return value ? 'true' : 'false'
    if (typeof value === 'number') return encodeNumber(value)
    if (typeof value === 'string') return this.text(value)
    if (value instanceof Markup) return this.text(value.text)
    if (isList(value) && !this.has('JSON_FORCE_OBJECT')) return this.list(value, depth)
    if (isList(value) || isMapping(value)) return this.mapping(value, depth)
    if (value instanceof TwigObject && value.kind.text !== undefined) {
      return this.text(value.kind.text(value.data))
    }
    return '{}'
  }

  private has(flag: keyof typeof jsonFlags): boolean {
    return (this.flags & jsonFlags[flag]) !== 0
  }

  private list(list: readonly Value[], depth: number): string | undefined {
    this.budget.allocateElements(list.length)
    const items = list.map((item) => this.encode(item, depth + 1))
    return this.enclose(['[', ']'], items, depth)
  }

  private mapping(mapping: Collection, depth: number): string | undefined {
    const colon = this.has('JSON_PRETTY_PRINT') ? ': ' : ':'
    const items: (string | undefined)[] = []
    for (const [key, item] of entriesOf(mapping)) {
      this.budget.allocateElements(1)
      const json = this.encode(item, depth + 1)
      items.push(json === undefined ? undefined : this.text(String(key)) + colon + json)
    }
    return this.enclose(['{', '}'], items, depth)
  }

  private enclose(
    [open, close]: [string, string],
    items: (string | undefined)[],
    depth: number,
  ): string | undefined {
    if (items.includes(undefined)) return undefined
    if (items.length === 0) return open + close
    if (!this.has('JSON_PRETTY_PRINT')) return this.charged(open + items.join(',') + close)
    const indent = '    '.repeat(depth + 1)
    this.budget.allocateText(items.length * indent.length)
    return this.charged(
      `${open}\n${indent}${items.join(`,\n${indent}`)}\n${'    '.repeat(depth)}${close}`,
    )
  }

  private charged(json: string): string {
    this.budget.allocateText(json.length)
    return json
  }

  private text(text: string): string {
    if (this.has('JSON_NUMERIC_CHECK') && text !== '' && Number.isFinite(Number(text))) {
      return encodeNumber(Number(text)) ?? 'null'
    }
    this.budget.allocateText(text.length * 2)
    this.budget.spendOnCharacters(text.length)
    let json = JSON.stringify(text.toWellFormed())
    if (!this.has('JSON_UNESCAPED_SLASHES')) json = json.replaceAll('/', '\\/')
    json = this.escapeForHtml(json)
    if (this.has('JSON_UNESCAPED_UNICODE')) return this.escape(json, /[\u2028\u2029]/g)
    return this.escape(json, /[\x7f-\uffff]/g)
  }

  private escape(json: string, unsafe: RegExp): string {
    return json.replace(unsafe, (unit) => {
      this.budget.spend(2)
      this.budget.allocate(bytesPerEscape)
      return unicodeEscape(unit)
    })
  }

  private escapeForHtml(json: string): string {
    let text = json
    if (this.has('JSON_HEX_TAG')) text = this.escape(text, /[<>]/g)
    if (this.has('JSON_HEX_AMP')) text = text.replaceAll('&', '\\u0026')
    if (this.has('JSON_HEX_APOS')) text = text.replaceAll("'", '\\u0027')
    // After a backslash that is not itself escaped.
    if (this.has('JSON_HEX_QUOT')) text = text.replace(/\\(["\\])/g, hexQuote)
    return text
  }
}

function hexQuote(all: string, character: string): string {
  return character === '"' ? '\\u0022' : all
}

function unicodeEscape(unit: string): string {
  const code = unit.charCodeAt(0)
  // PHP does not escape the delete character.
  if (code === 0x7f) return unit
  const hexadecimal = code.toString(16).padStart(4, '0')
  return `\\u${code < 0x80 ? hexadecimal.toUpperCase() : hexadecimal}`
}

function encodeNumber(value: number): string | undefined {
  if (!Number.isFinite(value)) return undefined
  return exactNumberText(value).replace('E', 'e')
}
