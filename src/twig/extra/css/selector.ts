import type { Meter } from '../../values/meter.ts'
import type { HtmlElement } from '../html/parse-html.ts'

/** Whether an element is what one simple selector asks for. */
export type Condition = (element: HtmlElement, meter: Meter) => boolean

/** How the element of a compound stands to that of the one before it. */
export type Combinator = ' ' | '>' | '+' | '~'

/** What one element must be: `td.price:first-child`. */
export interface Compound {
  readonly conditions: readonly Condition[]
  /** What stands to its right; the last compound has none. */
  readonly combinator: Combinator | undefined
}

/** What ids weigh, then classes, attributes and pseudo-classes, then names (Selectors 4, section 17). */
export const weights = { id: 1_000_000, class: 1_000, name: 1 }

/** A part of a compound: its condition, what it weighs, and what its element can be found by. */
export interface SimpleSelector {
  readonly condition: Condition
  readonly weight: number
  readonly key?: string
}

/** `table .price > b`. */
export interface Selector {
  /** From right to left. */
  readonly compounds: readonly Compound[]
  /** The sum of the weights. */
  readonly specificity: number
  /** What its element has for certain, to be found by: `#id`, `.class`, `name` or `*`. */
  readonly key: string
}
