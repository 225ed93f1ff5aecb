import type { SafeFor } from '../callables/definition.ts'
import type { Expression, FilterExpression } from '../syntax/expression.ts'

/** Safe for every strategy. */
const all: SafeFor = ['all']
const none: SafeFor = []

/** Whether what an expression gives needs no escaping by a strategy, whatever the data is. */
export function isSafeFor(expression: Expression, strategy: string): boolean {
  const safe = safeFor(expression)
  if (safe.includes('all') || safe.includes(strategy)) return true
  // What is safe in any attribute is safe in HTML too.
  if (strategy === 'html') return safe.includes('html_attr') || safe.includes('html_attr_relaxed')
  return strategy === 'html_attr_relaxed' && safe.includes('html_attr')
}

/** The strategies that an expression is safe for. What an author wrote as a constant is safe for all. */
function safeFor(expression: Expression): SafeFor {
  switch (expression.kind) {
    case 'literal':
    case 'block':
    case 'parent':
    case 'macro':
      return all
    case 'conditional':
      return intersect(safeFor(expression.then), safeFor(expression.otherwise))
    case 'binary':
      if (expression.operator !== '?:' && expression.operator !== '??') return none
      return intersect(safeFor(expression.left), safeFor(expression.right))
    case 'filter':
      return safetyOfFilter(expression)
    case 'function':
      return expression.definition.safeFor ?? none
    default:
      return none
  }
}

function safetyOfFilter(expression: FilterExpression): SafeFor {
  const { definition, args, target } = expression
  const known = args.positional.map((arg) => (arg.kind === 'literal' ? arg.value : undefined))
  const safe =
    typeof definition.safeFor === 'function' ? definition.safeFor(known) : definition.safeFor
  if (safe !== undefined && safe.length > 0) return safe
  return intersect(safeFor(target), definition.preservesSafety ?? none)
}

function intersect(a: SafeFor, b: SafeFor): SafeFor {
  if (a.includes('all')) return b
  if (b.includes('all')) return a
  return a.filter((strategy) => b.includes(strategy))
}
