/** Every operator made of signs or words; words may have any blanks between them. */
const operators = [
  ...['not', '...', '-', '+', '?:', '??', '?.', 'or', 'xor', 'and', 'b-or', 'b-xor', 'b-and'],
  ...[
    '==',
    '!=',
    '<=>',
    '<',
    '>',
    '>=',
    '<=',
    'not in',
    'in',
    'matches',
    'starts with',
    'ends with',
  ],
  ...['has some', 'has every', '===', '!==', '..', '~', '*', '/', '//', '%', 'is', 'is not', '**'],
  ...['=', '=>'],
]

const isWord = (text: string): boolean => /[a-z]$/.test(text)

function pattern(operator: string): string {
  const text = operator.replace(/[.*+?^$|()[\]{}\\/-]/g, '\\$&').replace(' ', '\\s+')
  // A word is an operator only before a blank or an opening bracket: `in_stock` is a name.
  return isWord(operator) ? `${text}(?=[\\s()[{])` : text
}

const longestFirst = [...operators].sort((a, b) => b.length - a.length)

/** Matches an operator at a position; the longest wins. */
export const operatorPattern = new RegExp(longestFirst.map(pattern).join('|'), 'y')

/** After a dot or a bar, with one blank at most between, a word is a name and no operator. */
export function isAfterAccess(code: string, position: number): boolean {
  const before = code[position - 1]
  if (before === '.' || before === '|') return position >= 2
  const twoBefore = code[position - 2]
  return before !== undefined && /\s/.test(before) && (twoBefore === '.' || twoBefore === '|')
}
