import type { Budget } from '../budget.ts'
import { requireArrow, requireCollection } from '../callables/definition.ts'
import { syntaxFault } from '../errors.ts'
import { range } from '../functions/values.ts'
import { arithmetic, bitwise, floorDivide, negate, positive } from '../php/arithmetic.ts'
import { compare, isIn, looselyEqual, strictlyEqual } from '../php/comparison.ts'
import { compilePattern, type Pattern } from '../regex/pattern.ts'
import type { Evaluate, Render } from '../runtime/render.ts'
import type {
  BinaryExpression,
  ConditionalExpression,
  UnaryExpression,
} from '../syntax/expression.ts'
import type { Compiler } from '../syntax/statement.ts'
import {
  CollectionBuilder,
  entriesOf,
  findByKey,
  isCollection,
  sizeOf,
} from '../values/collections.ts'
import { toBoolean, toText } from '../values/conversions.ts'
import type { Collection, Value } from '../values/value.ts'

/** Compiles `not a`, `-a` and `+a`. */
export function compileUnary(compiler: Compiler, expression: UnaryExpression): Evaluate {
  const { operator, place } = expression
  const operand = compiler.expression(expression.operand)
  if (operator === 'not') return (render, frame) => !toBoolean(operand(render, frame))
  if (operator === '...') throw syntaxFault('The spread operator "..." is not allowed here.', place)
  const operate = operator === '-' ? negate : positive
  return (render, frame) => {
    const value = operand(render, frame)
    render.at = place
    return operate(value)
  }
}

/** Compiles a binary operator such as `a + b`. */
export function compileBinary(compiler: Compiler, expression: BinaryExpression): Evaluate {
  const { operator, place } = expression
  if (operator === '??') return compileNullCoalesce(compiler, expression)
  if (operator === 'matches') return compileMatches(compiler, expression)
  const left = compiler.expression(expression.left)
  const right = compiler.expression(expression.right)
  const combine = logic.get(operator)
  if (combine !== undefined) return combine(left, right)
  const operate = operations.get(operator)
  if (operate === undefined) throw syntaxFault(`Unknown "${operator}" operator.`, place)
  return (render, frame) => {
    const a = left(render, frame)
    const b = right(render, frame)
    render.at = place
    return operate(a, b, render)
  }
}

/** Compiles `test ? then : otherwise`. */
export function compileConditional(
  compiler: Compiler,
  expression: ConditionalExpression,
): Evaluate {
  const test = compiler.expression(expression.test)
  const then = compiler.expression(expression.then)
  const otherwise = compiler.expression(expression.otherwise)
  return (render, frame) =>
    toBoolean(test(render, frame)) ? then(render, frame) : otherwise(render, frame)
}

/** Operators that may skip their right side. */
const logic: ReadonlyMap<string, (a: Evaluate, b: Evaluate) => Evaluate> = new Map([
  ['and', (a, b) => (render, frame) => toBoolean(a(render, frame)) && toBoolean(b(render, frame))],
  ['or', (a, b) => (render, frame) => toBoolean(a(render, frame)) || toBoolean(b(render, frame))],
  ['xor', (a, b) => (render, frame) => toBoolean(a(render, frame)) !== toBoolean(b(render, frame))],
  [
    '?:',
    (a, b) => (render, frame) => {
      const value = a(render, frame)
      return toBoolean(value) ? value : b(render, frame)
    },
  ],
])

function compileNullCoalesce(compiler: Compiler, { left, right }: BinaryExpression): Evaluate {
  const a = compiler.lenientExpression(left)
  const b = compiler.expression(right)
  // Missing values and nulls both fall through to the right side.
  return (render, frame) => a(render, frame) ?? b(render, frame)
}

/** The cost of compiling a pattern. */
const compileSteps = 500
const stepsPerInstruction = 20
/** One step pays for this many instructions of the pattern on this many characters. */
const instructionsPerStep = 16
const charactersPerStep = 16

/** Compiles `text matches pattern`. The parser has already compiled a constant pattern. */
function compileMatches(compiler: Compiler, expression: BinaryExpression): Evaluate {
  const { left, right, place, pattern: known } = expression
  const text = compiler.expression(left)
  const pattern = known === undefined ? compiler.expression(right) : undefined
  return (render, frame) => {
    const subject = text(render, frame)
    const computed = pattern?.(render, frame) ?? null
    render.at = place
    const compiled = known ?? findPattern(toText(computed), render)
    const characters = toText(subject)
    const width = 1 + compiled.size / instructionsPerStep
    render.budget.spend(1 + (characters.length / charactersPerStep) * width)
    return compiled.test(characters)
  }
}

/** Returns a pattern that is computed while rendering. Each is compiled once. */
function findPattern(text: string, render: Render): Pattern {
  let pattern = render.patterns.get(text)
  if (pattern === undefined) {
    render.budget.spend(compileSteps + text.length)
    pattern = compilePattern(text)
    render.budget.spend(pattern.size * stepsPerInstruction)
    render.patterns.set(text, pattern)
  }
  return pattern
}

/** Applies an operator to the values of its two sides. */
type Operation = (left: Value, right: Value, render: Render) => Value

/** The binary operators that evaluate both sides first, by name. */
const operations: ReadonlyMap<string, Operation> = new Map(
  Object.entries<Operation>({
    '+': (a, b, { budget }) =>
      isCollection(a) && isCollection(b) ? union([a, b], budget) : arithmetic('+', a, b),
    '-': (a, b) => arithmetic('-', a, b),
    '*': (a, b) => arithmetic('*', a, b),
    '/': (a, b) => arithmetic('/', a, b),
    '//': floorDivide,
    '%': (a, b) => arithmetic('%', a, b),
    '**': (a, b) => arithmetic('**', a, b),
    'b-and': (a, b) => bitwise('b-and', a, b),
    'b-or': (a, b) => bitwise('b-or', a, b),
    'b-xor': (a, b) => bitwise('b-xor', a, b),
    // PHP's comparisons. Values without an order are neither less, nor greater, nor equal.
    '==': (a, b, { budget }) => looselyEqual(a, b, budget),
    '!=': (a, b, { budget }) => !looselyEqual(a, b, budget),
    '===': (a, b, { budget }) => strictlyEqual(a, b, budget),
    '!==': (a, b, { budget }) => !strictlyEqual(a, b, budget),
    '<': (a, b, { budget }) => compare(a, b, budget) < 0,
    '>': (a, b, { budget }) => compare(b, a, budget) < 0,
    '<=': (a, b, { budget }) => compare(a, b, budget) <= 0,
    '>=': (a, b, { budget }) => compare(b, a, budget) <= 0,
    '<=>': (a, b, { budget }) => {
      const order = compare(a, b, budget)
      return Number.isNaN(order) ? 1 : Math.sign(order)
    },
    in: (a, b, { budget }) => isIn(a, b, budget),
    'not in': (a, b, { budget }) => !isIn(a, b, budget),
    '..': (a, b, render) => range([a, b, 1], render),
    'has some': (a, b, render) => holds('has some', [a, b], render),
    'has every': (a, b, render) => holds('has every', [a, b], render),
    '~': (a, b, { budget }) => {
      const left = toText(a)
      const right = toText(b)
      budget.allocateText(left.length + right.length)
      return left + right
    },
    'starts with': edge((text, part) => text.startsWith(part)),
    'ends with': edge((text, part) => text.endsWith(part)),
  }),
)

/** Adds two arrays like PHP: the first one, then the elements of the second whose keys are new. */
function union([a, b]: readonly [Collection, Collection], budget: Budget): Collection {
  budget.allocateElements(sizeOf(a) + sizeOf(b))
  const builder = new CollectionBuilder()
  for (const [key, value] of entriesOf(a)) builder.set(key, value)
  for (const [key, value] of entriesOf(b)) {
    if (findByKey(a, key) === undefined) builder.set(key, value)
  }
  return builder.build()
}

/** Checks whether an arrow function returns true for some or for every element. */
function holds(
  operator: 'has some' | 'has every',
  [left, right]: [Value, Value],
  render: Render,
): boolean {
  const collection = requireCollection(left, `"${operator}" test`)
  const arrow = requireArrow(right, `"${operator}" operator`)
  const wanted = operator === 'has some'
  for (const [key, value] of entriesOf(collection)) {
    render.budget.spend(1)
    if (toBoolean(arrow.call([value, key])) === wanted) return wanted
  }
  return !wanted
}

/** Only strings are compared here, as in Twig: markup never matches. */
function edge(isThere: (text: string, part: string) => boolean): Operation {
  return (a, b, { budget }) => {
    if (typeof a !== 'string' || typeof b !== 'string') return false
    budget.spendOnText(b.length)
    return isThere(a, b)
  }
}
