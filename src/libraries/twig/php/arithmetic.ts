import { phpFault } from '../errors.ts'
import { isCollection } from '../values/collections.ts'
import { isInt, typeName } from '../values/conversions.ts'
import { Markup, type Value } from '../values/value.ts'
import { findLeadingNumber } from './numbers.ts'

/** The arithmetic operators. */
export type ArithmeticSign = '+' | '-' | '*' | '/' | '%' | '**'

/**
 * Calculates like PHP: strings with a leading number count as that number, null is 0, true is 1.
 *
 * @throws TwigError with PHP's message for other strings, collections and objects.
 */
export function arithmetic(sign: ArithmeticSign, left: Value, right: Value): number {
  return calculate(sign, operand(left, sign, left, right), operand(right, sign, left, right))
}

/** `//`: returns the quotient, rounded down. */
export function floorDivide(left: Value, right: Value): number {
  return Math.floor(arithmetic('/', left, right))
}

/** Unary minus. */
export function negate(value: Value): number {
  // 0 - x, because PHP's int has no negative zero.
  return 0 - operand(value, '*', value, -1)
}

/** Unary plus. */
export function positive(value: Value): number {
  return operand(value, '*', value, 1)
}

export type BitwiseSign = 'b-and' | 'b-or' | 'b-xor'

const bitwiseSigns = { 'b-and': '&', 'b-or': '|', 'b-xor': '^' }

/** The bitwise operators on PHP's 64-bit integers. */
export function bitwise(sign: BitwiseSign, left: Value, right: Value): number {
  if (typeof left === 'string' && typeof right === 'string') {
    throw phpFault(`Unsupported operand types: string ${bitwiseSigns[sign]} string`)
  }
  const a = wholeOperand(left, bitwiseSigns[sign], left, right)
  const b = wholeOperand(right, bitwiseSigns[sign], left, right)
  if (sign === 'b-and') return Number(BigInt.asIntN(64, a & b))
  if (sign === 'b-or') return Number(BigInt.asIntN(64, a | b))
  return Number(BigInt.asIntN(64, a ^ b))
}

function calculate(sign: ArithmeticSign, a: number, b: number): number {
  switch (sign) {
    case '+':
      return a + b
    case '-':
      return a - b
    case '*':
      // Adding 0 turns JavaScript's -0 into PHP's 0.
      return isInt(a) && isInt(b) ? a * b + 0 : a * b
    case '/':
      if (b === 0) throw phpFault('Division by zero')
      return a / b + 0
    case '%':
      return modulo(Math.trunc(a), Math.trunc(b))
    case '**':
      return a ** b
  }
}

function modulo(a: number, b: number): number {
  if (b === 0 || Number.isNaN(b)) throw phpFault('Modulo by zero')
  return (a % b) + 0
}

/** Converts an operand to a number. `left` and `right` are for the error message. */
function operand(value: Value, sign: string, left: Value, right: Value): number {
  if (typeof value === 'number') return value
  if (typeof value === 'boolean') return value ? 1 : 0
  if (value === null) return 0
  const text = value instanceof Markup ? value.text : value
  if (typeof text === 'string') {
    const number = findLeadingNumber(text)
    if (number !== undefined) return number
  }
  throw phpFault(`Unsupported operand types: ${operandName(left)} ${sign} ${operandName(right)}`)
}

function operandName(value: Value): string {
  return isCollection(value) ? 'array' : typeName(value)
}

function wholeOperand(value: Value, sign: string, left: Value, right: Value): bigint {
  const number = Math.trunc(operand(value, sign, left, right))
  return Number.isFinite(number) ? BigInt.asIntN(64, BigInt(number)) : 0n
}
