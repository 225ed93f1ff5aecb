import type { AttributeExpression, Expression, FilterExpression } from '../syntax/expression.ts'
import { attributePath, type Origin, type Scope } from './scope.ts'

/** Filters that give the same collection, in part or in another order. */
const sameCollection = new Set(['default', 'filter', 'reverse', 'shuffle', 'slice', 'sort', 'raw'])
/** Filters that give one element. */
const oneElement = new Set(['find', 'first', 'last'])

/** The path of the data that an expression leads to, where it is nothing but a way there. */
export function originOf(expression: Expression, scope: Scope): Origin {
  switch (expression.kind) {
    case 'name':
      return scope.has(expression.name) ? scope.originOf(expression.name) : expression.name
    case 'attribute':
      return attributePath(originOf(expression.target, scope), attributeName(expression))
    case 'filter':
      return filteredOrigin(expression, scope)
    case 'binary':
      return expression.operator === '??' || expression.operator === '?:'
        ? originOf(expression.left, scope)
        : undefined
    default:
      return undefined
  }
}

function filteredOrigin({ definition, target }: FilterExpression, scope: Scope): Origin {
  if (sameCollection.has(definition.name)) return originOf(target, scope)
  if (!oneElement.has(definition.name)) return undefined
  return attributePath(originOf(target, scope), undefined)
}

/** The name of an attribute, undefined for a number or what only rendering can tell. */
function attributeName({ attribute }: AttributeExpression): string | undefined {
  return attribute.kind === 'literal' && typeof attribute.value === 'string'
    ? attribute.value
    : undefined
}
