import { arithmetic, bitwise, floorDivide } from '../php/arithmetic.ts'
import type { Operation } from './operation.ts'

export const arithmeticOperators: readonly [operator: string, operation: Operation][] = [
  ['+', (a, b) => arithmetic('+', a, b)],
  ['-', (a, b) => arithmetic('-', a, b)],
  ['*', (a, b) => arithmetic('*', a, b)],
  ['/', (a, b) => arithmetic('/', a, b)],
  ['//', floorDivide],
  ['%', (a, b) => arithmetic('%', a, b)],
  ['**', (a, b) => arithmetic('**', a, b)],
  ['b-and', (a, b) => bitwise('b-and', a, b)],
  ['b-or', (a, b) => bitwise('b-or', a, b)],
  ['b-xor', (a, b) => bitwise('b-xor', a, b)],
]
