import { attributeOf } from '../html/parse-html.ts'
import { compareAttribute } from './compare-attribute.ts'
import { parsePseudoClass } from './pseudo-classes.ts'
import { findSign } from './scan.ts'
import {
  type Combinator,
  type Compound,
  type Condition,
  type Selector,
  type SimpleSelector,
  weights,
} from './selector.ts'

/** More compounds than any style sheet has. */
const compoundsMax = 20
const lengthMax = 1_000

const identifier = '(?:[-\\w\\x80-\\uffff]|\\\\[^\\n])+'
const simple = new RegExp(`([.#]?)(${identifier})|(\\*)|(\\[)|:(${identifier})(\\()?`, 'y')
const combinator = /\s*([>+~])\s*|\s+/y
const attribute = new RegExp(
  `^\\s*(${identifier})\\s*(?:([~|^$*]?=)\\s*(?:"((?:\\\\[\\s\\S]|[^"\\\\])*)"|'((?:\\\\[\\s\\S]|[^'\\\\])*)'|(${identifier}))\\s*(?:([iIsS])\\s*)?)?$`,
)
/**
 * One selector (Selectors 4) that says the same of a message at all times. Undefined for what cannot be
 * inlined: `:hover`, `::before`, and what is no selector.
 */
export function parseSelector(text: string, depth = 0): Selector | undefined {
  const source = text.trim()
  if (source.length > lengthMax) return undefined
  const compounds: Compound[] = []
  let specificity = 0
  let key = '*'
  for (let at = 0; at < source.length; ) {
    const compound = readCompound(source, at, depth)
    if (compound === undefined || compounds.length >= compoundsMax) return undefined
    combinator.lastIndex = compound.end
    const sign = combinator.exec(source)
    if (sign === null && compound.end < source.length) return undefined
    at = sign === null ? compound.end : combinator.lastIndex
    if (sign !== null && at === source.length) return undefined
    const next = sign === null ? undefined : ((sign[1] ?? ' ') as Combinator)
    compounds.unshift({ conditions: compound.conditions, combinator: next })
    specificity += compound.weight
    key = compound.key
  }
  return compounds.length === 0 ? undefined : { compounds, specificity, key }
}

function readCompound(source: string, start: number, depth: number) {
  const conditions: Condition[] = []
  let [at, weight, key] = [start, 0, '*']
  for (;;) {
    simple.lastIndex = at
    const match = simple.exec(source)
    if (match === null) break
    // A name stands before everything else.
    if (at > start && match[1] === '' && match[2] !== undefined) return undefined
    const isOpen = match[4] !== undefined || match[6] !== undefined
    const end = isOpen
      ? findSign(source, simple.lastIndex, match[4] === undefined ? ')' : ']')
      : simple.lastIndex
    const found = readSimple(match, source.slice(simple.lastIndex, end), depth)
    if (found === undefined || (isOpen && end >= source.length)) return undefined
    conditions.push(found.condition)
    weight += found.weight
    // An id is rarer than a class, and a class than a name.
    if (found.key !== undefined && rank(found.key) > rank(key)) key = found.key
    at = isOpen ? end + 1 : end
  }
  return at === start ? undefined : { conditions, weight, key, end: at }
}

const rank = (key: string): number => (key === '*' ? 0 : 1 + '.#'.indexOf(key.charAt(0)) + 1)

function readSimple(
  match: RegExpExecArray,
  inside: string,
  depth: number,
): SimpleSelector | undefined {
  const [, sign, name, star, bracket, pseudo, open] = match
  if (star !== undefined) return { condition: () => true, weight: 0 }
  if (bracket !== undefined) return readAttribute(inside)
  if (pseudo !== undefined) {
    const argument = open === undefined ? undefined : inside
    const parse = (text: string) => (depth > 3 ? undefined : parseSelector(text, depth + 1))
    return parsePseudoClass(unescapeName(pseudo).toLowerCase(), argument, parse)
  }
  const value = unescapeName(name ?? '')
  if (sign === '#') return idSelector(value)
  return sign === '.' ? classSelector(value) : nameSelector(value.toLowerCase())
}

function idSelector(id: string): SimpleSelector {
  const condition: Condition = (element) => attributeOf(element, 'id') === id
  return { condition, weight: weights.id, key: `#${id}` }
}

function classSelector(name: string): SimpleSelector {
  const condition: Condition = (element, meter) => {
    const classes = attributeOf(element, 'class')
    if (classes === undefined) return false
    meter.spendOnCharacters(classes.length)
    return classes === name || (classes.includes(name) && classes.split(/\s+/).includes(name))
  }
  return { condition, weight: weights.class, key: `.${name}` }
}

function nameSelector(name: string): SimpleSelector {
  return {
    condition: (element) => element.tagName.toLowerCase() === name,
    weight: weights.name,
    key: name,
  }
}

function readAttribute(inside: string): SimpleSelector | undefined {
  const match = attribute.exec(inside)
  if (match === null) return undefined
  const [, name = '', operator, double, single, bare, flag] = match
  const wanted = unescapeName(double ?? single ?? bare ?? '')
  const lower = unescapeName(name).toLowerCase()
  const isLoose = flag?.toLowerCase() === 'i'
  return {
    condition: (element, meter) => {
      const value = attributeOf(element, lower)
      if (value === undefined) return false
      meter.spendOnCharacters(value.length)
      if (operator === undefined) return true
      return isLoose
        ? compareAttribute(value.toLowerCase(), { operator, wanted: wanted.toLowerCase(), meter })
        : compareAttribute(value, { operator, wanted, meter })
    },
    weight: weights.class,
  }
}

function unescapeName(text: string): string {
  if (!text.includes('\\')) return text
  return text.replace(/\\(?:([0-9a-fA-F]{1,6})\s?|([\s\S]))/g, (_all, hex, sign) => {
    if (hex === undefined) return sign
    const point = Number.parseInt(hex, 16)
    return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : '\ufffd'
  })
}
