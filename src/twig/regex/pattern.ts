import type { RE2JS as Re2 } from 're2js'
import { TwigError } from '../errors.ts'
import { require } from '../libraries.ts'
import { type PatternParts, splitPattern, translate } from './translate.ts'

/** A compiled pattern. `size` is its cost per character. */
export interface Pattern {
  readonly size: number
  test(text: string): boolean
}

/**
 * Compiles a PHP pattern with delimiters and modifiers (`/^a+$/i`) to an RE2 automaton, which runs
 * in linear time. Lookaround and backreferences need backtracking and are not supported.
 *
 * @throws TwigError with Twig's message for an invalid pattern.
 * @see https://github.com/google/re2/wiki/Syntax
 */
export function compilePattern(text: string): Pattern {
  if (text.length > patternLengthMax) throw invalid(`${text.slice(0, 50)}…`, 'it is too long')
  const parts = splitPattern(text)
  if (typeof parts === 'string') throw invalid(text, parts)
  const { source, size, depth } = translate(parts)
  if (size > patternSizeMax) throw invalid(text, 'it is too large')
  if (depth > patternDepthMax) throw invalid(text, 'it is nested too deeply')
  const { RE2JS } = require('re2js') as { RE2JS: typeof Re2 }
  try {
    const compiled = RE2JS.compile(source, flagsOf(parts, RE2JS))
    return { size, test: (subject) => compiled.test(subject) }
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'it cannot be compiled'
    throw invalid(text, reason.replace('error parsing regexp: ', ''))
  }
}

/**
 * The maximum length of a pattern, and the maximum number of instructions with repetitions
 * expanded.
 */
const patternLengthMax = 2_000
const patternSizeMax = 2_000
const patternDepthMax = 50

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
