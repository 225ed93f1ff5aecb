import { tokenize } from '../lexer/lexer.ts'
import type { Module } from '../syntax/statement.ts'
import type { ParseOptions } from './parse-options.ts'
import { Parser } from './parser.ts'
import { TokenStream } from './token-stream.ts'

/** Parses a template. Throws its first fault, unless `onFault` is given. */
export function parse(source: string, options: ParseOptions): Module {
  const tokens = tokenize(source, options)
  return new Parser(new TokenStream(tokens, options.name), options).parseTemplate()
}
