import type { Meter } from '../../values/meter.ts'
import { type HtmlElement, isElement } from '../html/parse-html.ts'
import type { Selector } from './selector.ts'

/** A selector that is tried. */
interface Trial {
  readonly compounds: Selector['compounds']
  readonly meter: Meter
}

/** Whether a selector holds for an element. Each compound that is tried is a step. */
export function matchesSelector(
  element: HtmlElement,
  { compounds }: Selector,
  meter: Meter,
): boolean {
  return matchesFrom(element, 0, { compounds, meter })
}

function matchesFrom(element: HtmlElement, index: number, trial: Trial): boolean {
  const { compounds, meter } = trial
  meter.spend(1 + element.attrs.length / 8)
  for (const condition of compounds[index]?.conditions ?? []) {
    if (!condition(element, meter)) return false
  }
  const next = compounds[index + 1]
  if (next === undefined) return true
  const isNearest = next.combinator === '>' || next.combinator === '+'
  const step = next.combinator === ' ' || next.combinator === '>' ? parentOf : previousOf
  for (let other = step(element, meter); other !== undefined; other = step(other, meter)) {
    if (matchesFrom(other, index + 1, trial)) return true
    if (isNearest) return false
  }
  return false
}

function parentOf(element: HtmlElement): HtmlElement | undefined {
  const parent = element.parentNode
  return isElement(parent) ? parent : undefined
}

function previousOf(element: HtmlElement, meter: Meter): HtmlElement | undefined {
  const siblings = element.parentNode?.childNodes ?? []
  const index = siblings.indexOf(element)
  meter.spend(index / 8)
  return siblings.slice(0, index).findLast(isElement)
}
