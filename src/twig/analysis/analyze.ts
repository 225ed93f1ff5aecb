import type { Expression } from '../syntax/expression.ts'
import type { Module } from '../syntax/statement.ts'
import { toText } from '../values/text.ts'
import type { Listener } from './expression-walk.ts'
import { createReads } from './reads.ts'
import type { Analysis, TemplateReference } from './report.ts'
import { walkModule } from './template-walk.ts'

/** What a template reads and refers to. */
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
  /** One of several that an expression chooses from. */
  readonly isChosen: boolean
}

/** The names that an expression for a template may give. */
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
