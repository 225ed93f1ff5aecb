import type { FunctionDefinition } from '../callables/definition.ts'
import { signature } from '../callables/signature.ts'
import { phpFault } from '../errors/faults.ts'
import { findNumberIn, toFloat } from '../php/casts.ts'
import { findNumber } from '../php/numeric-text.ts'
import type { Render } from '../runtime/render.ts'
import { toText } from '../values/text.ts'
import { typeName } from '../values/type-name.ts'
import type { List, Value } from '../values/value.ts'

/** `range(low, high, step)` and `low..high`: numbers, or letters, from one to the other. */
export const rangeFunction: FunctionDefinition = {
  name: 'range',
  signature: signature('low, high, step = 1'),
  call: (args, render) => range(args, render),
}

export function range(args: readonly Value[], render: Render): List {
  const [low = 0, high = 0, step = 1] = args
  const from = letter(low)
  const to = letter(high)
  if (from !== undefined && to !== undefined) {
    const codes = numbers([from.charCodeAt(0), to.charCodeAt(0), stepOf(step)], render)
    return codes.map((code) => String.fromCharCode(code))
  }
  return numbers([toFloat(low), toFloat(high), stepOf(step)], render)
}

function stepOf(value: Value): number {
  const step = findNumberIn(value)
  if (step !== undefined) return step
  throw phpFault(`range(): Argument #3 ($step) must be of type int|float, ${typeName(value)} given`)
}

/** The first character of a text that is no number. */
function letter(value: Value): string | undefined {
  const text = typeof value === 'number' ? '' : toText(value)
  return text === '' || findNumber(text) !== undefined ? undefined : text.charAt(0)
}

function numbers([low, high, step]: [number, number, number], render: Render): number[] {
  const stride = Math.abs(step) || 1
  const span = Math.abs(high - low)
  if (stride > span && span > 0) {
    throw phpFault('range(): Argument #3 ($step) must not exceed the specified range')
  }
  const count = Math.floor(span / stride + 1e-9) + 1
  render.budget.allocateElements(count)
  const sign = high < low ? -1 : 1
  return Array.from({ length: count }, (_, index) => low + sign * index * stride)
}
