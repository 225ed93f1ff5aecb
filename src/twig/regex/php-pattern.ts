import { createRequire } from 'node:module'
import type { RE2JS as Re2 } from 're2js'
import { TwigError } from '../errors/twig-error.ts'
import { type PatternParts, splitPattern } from './delimited-pattern.ts'
import { translate } from './translate.ts'

/** A pattern that was compiled, and how much work it makes for each character. */
export interface Pattern {
  readonly size: number
  test(text: string): boolean
}

/** The library is loaded when the first template asks for it, not when the service starts. */
const load = createRequire(import.meta.url)

/**
 * A pattern as PHP writes it, with delimiters and modifiers (`/^a+$/i`), compiled to an automaton
 * that reads a text once from left to right: RE2 (https://github.com/google/re2/wiki/Syntax). What only
 * a backtracking engine can do (lookaround, backreferences) is not valid. Throws Twig's sentence.
 */
export function compilePattern(text: string): Pattern {
  const parts = splitPattern(text)
  if (typeof parts === 'string') throw invalid(text, parts)
  const { source, size } = translate(parts)
  if (size > largestPattern) throw invalid(text, 'it is too large')
  const { RE2JS } = load('re2js') as { RE2JS: typeof Re2 }
  try {
    const compiled = RE2JS.compile(source, flagsOf(parts, RE2JS))
    return { size, test: (subject) => compiled.test(subject) }
  } catch (error) {
    throw invalid(text, error instanceof Error ? error.message : 'it cannot be compiled')
  }
}

/** How many instructions a pattern may become once its repetitions are written out. */
const largestPattern = 5_000

function flagsOf({ modifiers }: PatternParts, flags: typeof Re2): number {
  let all = 0
  if (modifiers.includes('i')) all |= flags.CASE_INSENSITIVE
  if (modifiers.includes('m')) all |= flags.MULTILINE
  if (modifiers.includes('s')) all |= flags.DOTALL
  return all
}

function invalid(text: string, reason: string): TwigError {
  return new TwigError('runtime', `Regexp "${text}" passed to "matches" is not valid: ${reason}`)
}
