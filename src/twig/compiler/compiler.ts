import type { Place } from '../errors.ts'
import { textStatement } from '../parser/statements.ts'
import type { Block, Evaluate, EvaluateMaybe, Execute, Macro, Template } from '../runtime/render.ts'
import type { Expression } from '../syntax/expression.ts'
import type { Body, Compiler, Module, Statement, Strategy } from '../syntax/statement.ts'
import { compilePrint } from './escaping.ts'
import { compileExpression, compileLenient } from './expression.ts'

/** The collections that the parts of one template are compiled into. */
export interface Parts {
  readonly blocks: Map<string, Block>
  readonly macros: Map<string, Macro>
  /** Returns the template that holds the parts. It is known once all of them are compiled. */
  readonly template: () => Template
  readonly compileModule: (module: Module, strategy: Strategy) => Template
}

/** Compiles the statements and expressions at one place of a template. */
export class ModuleCompiler implements Compiler {
  readonly strategy: Strategy
  readonly templateName: string | undefined
  private readonly parts: Parts
  /** The names set in each enclosing loop, innermost last. */
  private readonly loops: readonly Set<string>[]
  /** The number of expressions compiled since the count started. */
  private readonly counter: { cost: number }
  private readonly defaultStrategy: Strategy

  constructor(options: {
    templateName: string | undefined
    parts: Parts
    strategy: Strategy
    defaultStrategy: Strategy
    loops?: readonly Set<string>[]
    counter?: { cost: number }
  }) {
    this.templateName = options.templateName
    this.parts = options.parts
    this.strategy = options.strategy
    this.defaultStrategy = options.defaultStrategy
    this.loops = options.loops ?? []
    this.counter = options.counter ?? { cost: 0 }
  }

  expression(expression: Expression): Evaluate {
    this.counter.cost++
    return compileExpression(this, expression)
  }

  lenientExpression(expression: Expression): EvaluateMaybe {
    this.counter.cost++
    return compileLenient(this, expression)
  }

  print(expression: Expression): Execute {
    return compilePrint(this, expression, this.strategy)
  }

  measureCost<T>(compile: () => T): { compiled: T; cost: number } {
    const before = this.counter.cost
    this.counter.cost = 0
    const compiled = compile()
    const cost = this.counter.cost
    this.counter.cost = before
    return { compiled, cost }
  }

  body(body: Body): Execute {
    return compileSequence(this, body)
  }

  escapingBy(strategy: Strategy): ModuleCompiler {
    return this.derive({ strategy })
  }

  isolated(): ModuleCompiler {
    return this.derive({ loops: [] })
  }

  loop(): { compiler: ModuleCompiler; assigned: ReadonlySet<string> } {
    const assigned = new Set<string>()
    return { compiler: this.derive({ loops: [...this.loops, assigned] }), assigned }
  }

  recordAssignment(name: string): void {
    for (const assigned of this.loops) assigned.add(name)
  }

  defineBlock(name: string, execute: Execute): void {
    const { parts } = this
    this.parts.blocks.set(name, {
      name,
      execute,
      get template() {
        return parts.template()
      },
    })
  }

  defineMacro(macro: Macro): void {
    this.parts.macros.set(macro.name, macro)
  }

  module(module: Module): Template {
    return this.parts.compileModule(module, this.defaultStrategy)
  }

  private derive(changes: { strategy?: Strategy; loops?: readonly Set<string>[] }): ModuleCompiler {
    return new ModuleCompiler({
      templateName: this.templateName,
      parts: this.parts,
      strategy: changes.strategy ?? this.strategy,
      defaultStrategy: this.defaultStrategy,
      loops: changes.loops ?? this.loops,
      counter: this.counter,
    })
  }
}

/** Compiles consecutive statements. Their whole cost is charged once, before the first of them. */
function compileSequence(compiler: Compiler, body: Body): Execute {
  const { compiled: parts, cost } = compiler.measureCost(() =>
    mergeTexts(body).map((statement) => statement.text ?? statement.compile(compiler)),
  )
  const place = body[0]?.place
  return place === undefined ? nothing : sequence(parts, parts.length + cost, place)
}

const nothing: Execute = (render) => render.budget.spend(1)

function sequence(parts: readonly (string | Execute)[], cost: number, place: Place): Execute {
  return (render, frame) => {
    render.budget.spend(cost, place)
    for (const part of parts) {
      if (typeof part === 'string') render.write(part)
      else part(render, frame)
    }
  }
}

/** Joins consecutive texts, which a comment may separate. */
function mergeTexts(body: Body): Statement[] {
  const merged: Statement[] = []
  let texts: string[] = []
  let first: Statement | undefined
  const flush = () => {
    if (first !== undefined) merged.push(textStatement(texts.join(''), first.place))
    texts = []
    first = undefined
  }
  for (const statement of body) {
    if (statement.text === undefined) {
      flush()
      merged.push(statement)
    } else {
      texts.push(statement.text)
      first ??= statement
    }
  }
  flush()
  return merged
}
