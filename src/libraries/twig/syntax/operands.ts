import type { BoundArguments, Expression } from './expression.ts'

/** Returns the direct operands of an expression, in source order. */
export function operandsOf(expression: Expression): Expression[] {
  switch (expression.kind) {
    case 'collection':
      return expression.items.flatMap(({ key, value }) =>
        key === undefined ? [value] : [key, value],
      )
    case 'unary':
      return [expression.operand]
    case 'binary':
      return [expression.left, expression.right]
    case 'conditional':
      return [expression.test, expression.then, expression.otherwise]
    case 'attribute':
      return [expression.target, expression.attribute, ...expression.args.map(({ value }) => value)]
    case 'filter':
    case 'test':
      return [expression.target, ...argumentsOf(expression.args)]
    case 'function':
      return argumentsOf(expression.args)
    case 'arrow':
      return [expression.body]
    case 'macro':
      return expression.args.map(({ value }) => value)
    case 'block':
      return expression.template === undefined
        ? [expression.name]
        : [expression.name, expression.template]
    case 'assign':
    case 'destructure':
      return [expression.value]
    default:
      return []
  }
}

/** Returns the arguments of a call, in source order. */
export function argumentsOf(args: BoundArguments): Expression[] {
  return [...args.positional, ...args.rest.map(({ value }) => value), ...args.spread]
}

/**
 * Returns the variables that an expression names. Included templates and blocks may read others.
 */
export function namesRead(expression: Expression, names = new Set<string>()): Set<string> {
  if (expression.kind === 'name') names.add(expression.name)
  for (const operand of operandsOf(expression)) namesRead(operand, names)
  return names
}
