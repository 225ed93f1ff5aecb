import { type Place, syntaxFault } from '../errors.ts'
import type {
  CollectionExpression,
  CollectionItem,
  DestructureExpression,
  Expression,
  NameExpression,
} from '../syntax/expression.ts'
import type { Value } from '../values/value.ts'
import type { TagParser } from './tag.ts'

const constants = new Set(['true', 'false', 'none', 'null'])

/** Throws when a name is a constant and cannot be a variable. */
export function checkAssignable(name: string, place: Place): void {
  if (constants.has(name.toLowerCase())) {
    throw syntaxFault(`You cannot assign a value to "${name}".`, place)
  }
}

/** Creates `a = value`, `[a, b] = value` or `{a, key: b} = value`. */
export function createAssignment(
  parser: TagParser,
  left: NameExpression | CollectionExpression,
  value: Expression,
): Expression {
  const place = left.place
  if (left.kind === 'name') {
    checkAssignable(left.name, left.place)
    return parser.checkDepth({ kind: 'assign', name: left.name, value, place })
  }
  const targets = left.items.map((item, index) => destructureTarget(left, item, index))
  return parser.checkDepth({
    kind: 'destructure',
    isMapping: left.isMapping,
    targets,
    value,
    place,
  })
}

function destructureTarget(
  left: CollectionExpression,
  item: CollectionItem,
  index: number,
): DestructureExpression['targets'][number] {
  const { value, key } = item
  if (value.kind === 'empty' && !left.isMapping) return { key: index, name: undefined }
  if (value.kind !== 'name' || item.isSpread) {
    const what = left.isMapping ? 'object/mapping' : 'sequence'
    throw syntaxFault(`Only variables can be assigned to in ${what} destructuring.`, value.place)
  }
  checkAssignable(value.name, value.place)
  return { key: left.isMapping ? constantKey(key, value.place) : index, name: value.name }
}

function constantKey(key: Expression | undefined, place: Place): Value {
  if (key?.kind === 'literal') return key.value
  throw syntaxFault('Only constant keys can be read in object/mapping destructuring.', place)
}
