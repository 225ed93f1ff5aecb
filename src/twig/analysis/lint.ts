import { compile } from '../compiler/compile.ts'
import { syntaxFault } from '../errors/faults.ts'
import { TwigError } from '../errors/twig-error.ts'
import type { Loader } from '../options.ts'
import { parse } from '../parser/parse.ts'
import type { Vocabulary } from '../parser/tag.ts'
import type { Limits } from '../runtime/limits.ts'
import { checkLength } from '../source-length.ts'
import type { Module } from '../syntax/statement.ts'
import { analyzeModule } from './analyze.ts'
import { findCircles } from './circles.ts'
import { faultOf, type LintReport, type TemplateReference } from './report.ts'

export interface LintOptions {
  readonly name: string | undefined
  readonly vocabulary: Vocabulary
  readonly limits: Limits
  /** Where the templates are that others refer to; without it no circle can be found. */
  readonly loader: Loader | undefined
}

/** Circles are looked for among templates of so many tokens, 60 ms; rendering ends any other. */
const followedTokens = 50_000
/** A text without tags takes as long as one token for so many characters. */
const charactersAToken = 100

/** After so many faults nobody reads on. */
const faultsTold = 200

/** Every fault that can be found in a template without rendering it, and what it refers to. */
export function lint(source: string, options: LintOptions): LintReport {
  const warnings: TwigError[] = []
  const { module, faults } = parseAll(source, options, warnings)
  const references = module === undefined ? [] : analyzeModule(module).references
  if (module !== undefined && faults.length === 0) faults.push(...compileFaults(module))
  faults.push(...circleFaults(references, options))
  return {
    faults: faults.sort(byPlace).map(faultOf),
    warnings: warnings.sort(byPlace).map(faultOf),
    references,
  }
}

function byPlace(a: TwigError, b: TwigError): number {
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0)
}

/** Parses with all faults gathered; there is no module where there were too many of them. */
function parseAll(
  source: string,
  { name, vocabulary, limits }: LintOptions,
  warnings: TwigError[],
): { module: Module | undefined; faults: TwigError[] } {
  const faults: TwigError[] = []
  const onWarning = (warning: TwigError): void => {
    if (warnings.length < faultsTold) warnings.push(warning)
  }
  const onFault = (fault: TwigError): void => {
    faults.push(fault)
    if (faults.length >= faultsTold) throw new TooManyFaults()
  }
  try {
    checkLength(source, { name, sourceLength: limits.sourceLength })
    const tokensMax = limits.sourceTokens
    return { module: parse(source, { name, vocabulary, tokensMax, onFault, onWarning }), faults }
  } catch (error) {
    if (error instanceof TwigError) return { module: undefined, faults: [...faults, error] }
    if (error instanceof TooManyFaults) return { module: undefined, faults }
    throw error
  }
}

class TooManyFaults extends Error {}

/** The few faults that only compiling finds. */
function compileFaults(module: Module): TwigError[] {
  try {
    compile(module, 'html')
    return []
  } catch (error) {
    if (error instanceof TwigError) return [error]
    throw error
  }
}

function circleFaults(references: readonly TemplateReference[], options: LintOptions): TwigError[] {
  const { name, limits } = options
  if (name === undefined) return []
  let tokensLeft = followedTokens
  const known = new Map<string, readonly TemplateReference[] | undefined>([[name, references]])
  function referencesOf(other: string): readonly TemplateReference[] | undefined {
    if (!known.has(other) && tokensLeft > 0) {
      const module = parseOther(other, options)
      const characters = options.loader?.get(other)?.length ?? 0
      tokensLeft -= (module?.tokenCount ?? limits.sourceTokens) + characters / charactersAToken
      known.set(other, module && analyzeModule(module).references)
    }
    return known.get(other)
  }
  const circles = findCircles(name, referencesOf).slice(0, faultsTold)
  return circles.map(({ reference: { line, column }, way }) => {
    const names = [name, ...way].map((step) => `"${step}"`).join(' → ')
    const place = { templateName: name, line, column }
    return syntaxFault(`The template includes itself: ${names}.`, place)
  })
}

/** Another template; nothing where it is missing or faulty, which is told elsewhere. */
function parseOther(name: string, { loader, ...options }: LintOptions): Module | undefined {
  const source = loader?.get(name)
  if (source === undefined) return undefined
  return parseAll(source, { ...options, loader, name }, []).module
}
