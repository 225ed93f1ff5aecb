import type { Render } from '../runtime/render.ts'
import type { Value } from '../values/value.ts'

/** What an operator does with the values of its two sides. */
export type Operation = (left: Value, right: Value, render: Render) => Value
