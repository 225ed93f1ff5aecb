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
  if (text.length > longestPattern) throw invalid(`${text.slice(0, 50)}…`, 'it is too long')
  const parts = splitPattern(text)
  if (typeof parts === 'string') throw invalid(text, parts)
  const { source, size, depth } = translate(parts)
  if (size > largestPattern) throw invalid(text, 'it is too large')
  if (depth > deepestPattern) throw invalid(text, 'it is nested too deeply')
  const { RE2JS } = load('re2js') as { RE2JS: typeof Re2 }
  try {
    const compiled = RE2JS.compile(source, flagsOf(parts, RE2JS))
    return { size, test: (subject) => compiled.test(subject) }
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'it cannot be compiled'
    throw invalid(text, reason.replace('error parsing regexp: ', ''))
  }
}

/** How long a pattern may be, and how many instructions it may become with its repetitions written out. */
const longestPattern = 2_000
const largestPattern = 2_000
const deepestPattern = 50

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
