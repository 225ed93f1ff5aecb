/** What the lexer makes of a template. */
export interface Token {
  readonly type: TokenType
  /** The text, the name, the operator; a string without its quotes. */
  readonly value: string
  readonly line: number
  readonly column: number
  /** The number of a `number` token. */
  readonly number?: number
}

export type TokenType = keyof typeof englishNames

const englishNames = {
  end: 'end of template',
  text: 'text',
  'block start': 'begin of statement block',
  'print start': 'begin of print statement',
  'block end': 'end of statement block',
  'print end': 'end of print statement',
  name: 'name',
  number: 'number',
  string: 'string',
  operator: 'operator',
  punctuation: 'punctuation',
  'interpolation start': 'begin of string interpolation',
  'interpolation end': 'end of string interpolation',
  /** Stands where the lexer met a fault that it has reported; only linting goes on after one. */
  fault: 'fault',
}

/** A token type as Twig's messages name it. */
export function inEnglish(type: TokenType): string {
  return englishNames[type]
}
