import type { Limits } from '../budget.ts'
import { compile } from '../compiler/compile.ts'
import { syntaxFault, TwigError } from '../errors.ts'
import type { Loader } from '../options.ts'
import { parse } from '../parser/parser.ts'
import type { Vocabulary } from '../parser/tag.ts'
import type { Module } from '../syntax/statement.ts'
import { analyzeModule } from './analyze.ts'
import { findIncludeCycles } from './include-cycles.ts'
import { faultOf, type LintReport, type TemplateReference } from './report.ts'

export interface LintSettings {
  readonly name: string | undefined
  readonly vocabulary: Vocabulary
  readonly limits: Limits
  /** Loads the templates that others refer to. Without it, include cycles are not searched. */
  readonly loader: Loader | undefined
  /** Linting stops after this many faults; there are as many warnings at most. */
  readonly faultsMax: number
}

/**
 * Include cycles are searched among templates of this many tokens in total (60 ms). The budget
 * stops longer ones during rendering.
 */
const cycleTokensMax = 50_000
/** Text without tags takes as much time as one token per this many characters. */
const charactersPerToken = 100

/** Finds every fault that can be found without rendering, and the references of the template. */
export function lint(source: string, options: LintSettings): LintReport {
  const warnings: TwigError[] = []
  const { module, faults } = parseAll(source, options, warnings)
  const { references, variables } =
    module === undefined ? { references: [], variables: [] } : analyzeModule(module)
  if (module !== undefined && faults.length === 0) faults.push(...compileFaults(module))
  faults.push(...cycleFaults(references, options))
  return {
    faults: faults.sort(byPlace).map(faultOf),
    warnings: warnings.sort(byPlace).map(faultOf),
    references,
    variables,
  }
}

function byPlace(a: TwigError, b: TwigError): number {
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0)
}

/** Parses a template and collects all faults. The module is undefined when there were too many. */
function parseAll(
  source: string,
  { name, vocabulary, limits, faultsMax }: LintSettings,
  warnings: TwigError[],
): { module: Module | undefined; faults: TwigError[] } {
  const faults: TwigError[] = []
  const onWarning = (warning: TwigError): void => {
    if (warnings.length < faultsMax) warnings.push(warning)
  }
  const onFault = (fault: TwigError): void => {
    faults.push(fault)
    if (faults.length >= faultsMax) throw new TooManyFaults()
  }
  try {
    return { module: parse(source, { name, vocabulary, limits, onFault, onWarning }), faults }
  } catch (error) {
    if (error instanceof TwigError) return { module: undefined, faults: [...faults, error] }
    if (error instanceof TooManyFaults) return { module: undefined, faults }
    throw error
  }
}

class TooManyFaults extends Error {}

/** Finds the few faults that only the compiler detects. */
function compileFaults(module: Module): TwigError[] {
  try {
    compile(module, 'html')
    return []
  } catch (error) {
    if (error instanceof TwigError) return [error]
    throw error
  }
}

function cycleFaults(references: readonly TemplateReference[], options: LintSettings): TwigError[] {
  const { name, limits, faultsMax } = options
  if (name === undefined) return []
  let tokensLeft = cycleTokensMax
  const known = new Map<string, readonly TemplateReference[] | undefined>([
    [name, fullReferences(references, name)],
  ])
  function fullReferences(all: readonly TemplateReference[], from: string) {
    const { loader } = options
    if (loader?.resolve === undefined) return all
    const fullName = (each: string) => loader.resolve?.(each, from) ?? each
    return all.map((reference) => ({ ...reference, names: reference.names.map(fullName) }))
  }
  function referencesOf(other: string): readonly TemplateReference[] | undefined {
    if (!known.has(other) && tokensLeft > 0) {
      const module = parseOther(other, options)
      const characters = options.loader?.get(other)?.length ?? 0
      tokensLeft -= (module?.tokenCount ?? limits.sourceTokens) + characters / charactersPerToken
      known.set(other, module && fullReferences(analyzeModule(module).references, other))
    }
    return known.get(other)
  }
  const cycles = findIncludeCycles(name, referencesOf).slice(0, faultsMax)
  return cycles.map(({ reference: { line, column }, path }) => {
    const names = [name, ...path].map((step) => `"${step}"`).join(' → ')
    const place = { templateName: name, line, column }
    return syntaxFault(`The template includes itself: ${names}.`, place)
  })
}

/**
 * Parses a referenced template. Returns undefined when it is missing or invalid: linting that
 * template reports its faults.
 */
function parseOther(name: string, { loader, ...options }: LintSettings): Module | undefined {
  const source = loader?.get(name)
  if (source === undefined) return undefined
  return parseAll(source, { ...options, loader, name }, []).module
}
