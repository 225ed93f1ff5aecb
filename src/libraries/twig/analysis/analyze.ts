import type { Expression } from '../syntax/expression.ts'
import type { Module } from '../syntax/statement.ts'
import { toText } from '../values/conversions.ts'
import type { Analysis, TemplateReference, VariableRead } from './report.ts'
import { type Listener, walkModule } from './walker.ts'

/** Finds the variables that a template reads and the templates that it refers to. */
export function analyzeModule(module: Module): Analysis {
  const reads = new Map<string, VariableRead>()
  const references: TemplateReference[] = []
  const listener: Listener = {
    read(path, { hasDefault, isInLoop, place }) {
      const before = reads.get(path)
      reads.set(path, {
        path,
        hasDefault: hasDefault && (before?.hasDefault ?? true),
        isInLoop: isInLoop || (before?.isInLoop ?? false),
        line: before?.line ?? place.line,
        column: before?.column ?? place.column,
      })
    },
    refer(type, template, { place, ignoresMissing, isConditional }) {
      const { line, column } = place
      const at = { type, line, column, ignoresMissing }
      for (const { names, isChosen } of namesIn(template, module.name)) {
        references.push({ ...at, names, isConditional: isConditional || isChosen })
      }
    },
  }
  walkModule(module, listener)
  const variables = [...reads.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
  return { variables, references }
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
