/** How tightly a binary operator binds, and which side of equals binds first. */
export interface BinaryPrecedence {
  readonly precedence: number
  readonly isRightAssociative?: boolean
}

const levels: [precedence: number, operators: string[]][] = [
  [10, ['or']],
  [12, ['xor']],
  [15, ['and']],
  [16, ['b-or']],
  [17, ['b-xor']],
  [18, ['b-and']],
  [20, ['==', '!=', '<=>', '<', '>', '>=', '<=', '===', '!==', 'not in', 'in']],
  [20, ['matches', 'starts with', 'ends with', 'has some', 'has every']],
  [25, ['..']],
  [30, ['+', '-']],
  [40, ['~']],
  [60, ['*', '/', '//', '%']],
  [100, ['is', 'is not']],
]

/** Twig 3's binary operators, weakest first. */
export const binaryOperators: ReadonlyMap<string, BinaryPrecedence> = new Map([
  ['?:', { precedence: 5, isRightAssociative: true }],
  ...levels.flatMap(([precedence, operators]) =>
    operators.map((operator): [string, BinaryPrecedence] => [operator, { precedence }]),
  ),
  ['**', { precedence: 200, isRightAssociative: true }],
  ['??', { precedence: 300, isRightAssociative: true }],
])

/** What follows a unary operator binds at least so tightly. */
export const unaryOperators: ReadonlyMap<string, number> = new Map([
  ['not', 50],
  ['-', 500],
  ['+', 500],
  ['...', 0],
])

/** A test's argument without brackets ends before any weaker operator. */
export const bareArgumentPrecedence = 100
