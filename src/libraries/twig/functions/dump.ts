import { define, type FunctionDefinition } from '../callables/definition.ts'
import type { Render } from '../runtime/render.ts'
import { collectionFrom, entriesOf, isCollection, sizeOf } from '../values/collections.ts'
import { exactNumberText, isInt, typeName } from '../values/conversions.ts'
import { type Collection, Markup, type Value } from '../values/value.ts'

export const dumpFunctions = define<FunctionDefinition>({
  // Prints its arguments, or all variables, like PHP's `var_dump`. Returns null unless `debug` is on.
  'dump(...vars)': {
    description: 'The structure of values, for debugging.',
    call(args, render, frame) {
      if (!render.settings.debug) return null
      const values = args.length > 0 ? args : [collectionFrom(frame.allVariables(render.budget))]
      return values.map((value) => describe(value, 0, render)).join('')
    },
  },
})

function describe(value: Value, depth: number, render: Render): string {
  const indent = '  '.repeat(depth)
  const text = isCollection(value)
    ? describeCollection(value, depth, render)
    : `${indent}${describeScalar(value)}\n`
  render.budget.allocateText(text.length)
  return text
}

function describeScalar(value: Value): string {
  if (value === null) return 'NULL'
  if (typeof value === 'boolean') return `bool(${value})`
  if (typeof value === 'string') return `string(${Buffer.byteLength(value)}) "${value}"`
  if (typeof value === 'number') {
    return `${isInt(value) ? 'int' : 'float'}(${exactNumberText(value)})`
  }
  if (value instanceof Markup) return `object(Twig\\Markup) "${value.text}"`
  return `object(${typeName(value)})`
}

function describeCollection(value: Collection, depth: number, render: Render): string {
  const indent = '  '.repeat(depth)
  let text = `${indent}array(${sizeOf(value)}) {\n`
  for (const [key, item] of entriesOf(value)) {
    render.budget.allocateText(indent.length + String(key).length)
    text += `${indent}  [${typeof key === 'number' ? key : `"${key}"`}]=>\n`
    text += describe(item, depth + 1, render)
  }
  return `${text}${indent}}\n`
}
