import type { AttributeExpression, Expression, FilterExpression } from '../syntax/expression.ts'

/** The data path that a value comes from, or undefined when the template computes the value. */
export type Origin = string | undefined

/** The variables that a template has set at one point, and the origin of each. */
export class Scope {
  readonly #names = new Map<string, Origin>()
  readonly #below: Scope | undefined

  constructor(below?: Scope) {
    this.#below = below
  }

  /** Returns true when the template itself has set the variable. */
  has(name: string): boolean {
    return this.#names.has(name) || (this.#below?.has(name) ?? false)
  }

  originOf(name: string): Origin {
    return this.#names.has(name) ? this.#names.get(name) : this.#below?.originOf(name)
  }

  set(name: string, origin: Origin): void {
    this.#names.set(name, origin)
  }
}

/** Longer paths are dropped: a loop of `set` tags could grow them without limit. */
const pathLengthMax = 500

/** Appends an attribute to a path. A numeric or computed attribute becomes `[]`. */
export function attributePath(origin: Origin, name: string | undefined): Origin {
  if (origin === undefined || origin.length > pathLengthMax) return undefined
  return name === undefined ? `${origin}[]` : `${origin}.${name}`
}

/** Filters that return the same collection, filtered or reordered. */
const sameCollection = new Set(['default', 'filter', 'reverse', 'shuffle', 'slice', 'sort', 'raw'])
/** Filters that return one element. */
const oneElement = new Set(['find', 'first', 'last'])

/** Returns the data path of an expression, or undefined when the expression computes a value. */
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

/** Returns the name of an attribute, or undefined for a numeric or computed one. */
function attributeName({ attribute }: AttributeExpression): string | undefined {
  return attribute.kind === 'literal' && typeof attribute.value === 'string'
    ? attribute.value
    : undefined
}
