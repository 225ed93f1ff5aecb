import type { Place } from '../errors.ts'

/** A token of a template. */
export interface Token {
  readonly type: TokenType
  /** The text, name or operator; a string without its quotes. */
  readonly value: string
  readonly place: Place
}

export type TokenType = keyof typeof tokenTypeNames

const tokenTypeNames = {
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
  /** The lexer reported an error here. Only linting continues after one. */
  fault: 'fault',
}

/** Returns the name of a token type in Twig's messages. */
export function tokenTypeName(type: TokenType): string {
  return tokenTypeNames[type]
}

/** Returns the value of a `number` token. Underscores may group its digits. */
export function numberOf({ value }: Token): number {
  return Number(value.replaceAll('_', ''))
}
