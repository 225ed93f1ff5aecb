import type { Meter } from '../../values/meter.ts'
import { attributeOf, type HtmlElement, isElement } from '../html/parse-html.ts'
import { matchesSelector } from './match-selector.ts'
import { splitAt } from './scan.ts'
import { type Condition, type Selector, type SimpleSelector, weights } from './selector.ts'

/** Counted from one end, among all elements beside it or those of its name. */
interface Count {
  readonly isFromEnd: boolean
  readonly isOfType: boolean
}

const isFirst = (isFromEnd: boolean, isOfType: boolean): Condition =>
  nthCondition({ step: 0, offset: 1 }, { isFromEnd, isOfType })
const both =
  (a: Condition, b: Condition): Condition =>
  (element, meter) =>
    a(element, meter) && b(element, meter)

const plain: ReadonlyMap<string, Condition> = new Map<string, Condition>([
  ['first-child', isFirst(false, false)],
  ['last-child', isFirst(true, false)],
  ['only-child', both(isFirst(false, false), isFirst(true, false))],
  ['first-of-type', isFirst(false, true)],
  ['last-of-type', isFirst(true, true)],
  ['only-of-type', both(isFirst(false, true), isFirst(true, true))],
  ['empty', isEmpty],
  ['root', (element) => element.tagName === 'html'],
  ['link', isLink],
  ['any-link', isLink],
])

const counted: ReadonlyMap<string, Count> = new Map([
  ['nth-child', { isFromEnd: false, isOfType: false }],
  ['nth-last-child', { isFromEnd: true, isOfType: false }],
  ['nth-of-type', { isFromEnd: false, isOfType: true }],
  ['nth-last-of-type', { isFromEnd: true, isOfType: true }],
])

/** A pseudo-class that an element has or has not for good; undefined for any other. */
export function parsePseudoClass(
  name: string,
  argument: string | undefined,
  parse: (text: string) => Selector | undefined,
): SimpleSelector | undefined {
  const condition = argument === undefined ? plain.get(name) : undefined
  if (condition !== undefined) return { condition, weight: weights.class }
  if (argument === undefined) return undefined
  const count = counted.get(name)
  if (count !== undefined) {
    const nth = parseNth(argument)
    return nth && { condition: nthCondition(nth, count), weight: weights.class }
  }
  if (name !== 'not' && name !== 'is' && name !== 'where') return undefined
  const selectors = splitAt(argument, ',').map(parse)
  if (!selectors.every((selector) => selector !== undefined)) return undefined
  const isWanted = name !== 'not'
  return {
    condition: (element, meter) =>
      selectors.some((selector) => matchesSelector(element, selector, meter)) === isWanted,
    weight: name === 'where' ? 0 : Math.max(...selectors.map(({ specificity }) => specificity)),
  }
}

interface Nth {
  readonly step: number
  readonly offset: number
}

function parseNth(text: string): Nth | undefined {
  const plainText = text.trim().toLowerCase()
  if (plainText === 'odd') return { step: 2, offset: 1 }
  if (plainText === 'even') return { step: 2, offset: 0 }
  if (/^[+-]?\d{1,9}$/.test(plainText)) return { step: 0, offset: Number(plainText) }
  const match = /^([+-]?\d{0,9})n\s*(?:([+-])\s*(\d{1,9}))?$/.exec(plainText)
  if (match === null) return undefined
  const [, step = '', sign = '+', offset = '0'] = match
  return {
    step: /\d$/.test(step) ? Number(step) : Number(`${step}1`),
    offset: Number(sign + offset),
  }
}

function nthCondition({ step, offset }: Nth, count: Count): Condition {
  return (element, meter) => {
    const beyond = positionOf(element, count, meter) - offset
    if (step === 0) return beyond === 0
    return beyond % step === 0 && beyond / step >= 0
  }
}

/** Which it is beside the others, from 1. */
function positionOf(element: HtmlElement, { isFromEnd, isOfType }: Count, meter: Meter): number {
  const siblings = (element.parentNode?.childNodes ?? []).filter(isElement)
  meter.spend(siblings.length)
  const counting = isOfType
    ? siblings.filter(({ tagName }) => tagName === element.tagName)
    : siblings
  const index = counting.indexOf(element)
  return isFromEnd ? counting.length - index : index + 1
}

function isEmpty(element: HtmlElement, meter: Meter): boolean {
  meter.spend(element.childNodes.length / 8)
  return element.childNodes.every((node) => node.nodeName === '#comment')
}

function isLink(element: HtmlElement): boolean {
  return element.tagName === 'a' && attributeOf(element, 'href') !== undefined
}
