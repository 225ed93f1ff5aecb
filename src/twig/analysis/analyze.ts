import type { Place } from '../errors.ts'
import type { Expression } from '../syntax/expression.ts'
import type { Module } from '../syntax/statement.ts'
import { toText } from '../values/conversions.ts'
import type { Listener } from './expression-walk.ts'
import type { Analysis, TemplateReference, VariableRead } from './report.ts'
import { walkModule } from './template-walk.ts'

/** Finds the variables that a template reads and the templates that it refers to. */
export function analyzeModule(module: Module): Analysis {
  const reads = createReads()
  const references: TemplateReference[] = []
  const listener: Listener = {
    read: (path, read) => reads.add(path, read),
    refer(type, template, { place, ignoresMissing, isConditional }) {
      const { line, column } = place
      const at = { type, line, column, ignoresMissing }
      for (const { names, isChosen } of namesIn(template, module.name)) {
        references.push({ ...at, names, isConditional: isConditional || isChosen })
      }
    },
  }
  walkModule(module, listener)
  return { variables: reads.list(), references }
}

interface Names {
  readonly names: readonly string[]
  /** True when an expression chooses this name at run time. */
  readonly isChosen: boolean
}

/** Lists the names that a template reference can evaluate to. */
function namesIn(template: Expression, self: string | undefined): Names[] {
  switch (template.kind) {
    case 'literal':
      return [{ names: [toText(template.value)], isChosen: false }]
    case 'name':
      return template.name === '_self' && self !== undefined
        ? [{ names: [self], isChosen: false }]
        : [unknown]
    case 'conditional':
      return [template.then, template.otherwise].flatMap((side) =>
        namesIn(side, self).map(({ names }) => ({ names, isChosen: true })),
      )
    case 'collection':
      return [firstOf(template.items.map(({ value }) => value))]
    default:
      return [unknown]
  }
}

const unknown: Names = { names: [], isChosen: false }

function firstOf(candidates: readonly Expression[]): Names {
  const names = candidates.flatMap((candidate) =>
    candidate.kind === 'literal' ? [toText(candidate.value)] : [],
  )
  return names.length < candidates.length ? unknown : { names, isChosen: false }
}

/** Collects variable reads, one entry per path. */
interface Reads {
  add(path: string, read: { hasDefault: boolean; isInLoop: boolean; place: Place }): void
  /** Returns the reads, sorted by path. */
  list(): VariableRead[]
}

function createReads(): Reads {
  const reads = new Map<string, VariableRead>()
  return {
    add(path, { hasDefault, isInLoop, place }) {
      const before = reads.get(path)
      reads.set(path, {
        path,
        hasDefault: hasDefault && (before?.hasDefault ?? true),
        isInLoop: isInLoop || (before?.isInLoop ?? false),
        line: before?.line ?? place.line,
        column: before?.column ?? place.column,
      })
    },
    list: () => [...reads.values()].sort((a, b) => (a.path < b.path ? -1 : 1)),
  }
}
