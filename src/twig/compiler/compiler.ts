import type { Block, Evaluate, Execute, Macro, Template } from '../runtime/render.ts'
import type { Expression } from '../syntax/expression.ts'
import type { Body, Compiler, Module, Strategy } from '../syntax/statement.ts'
import { compileSequence } from './body.ts'
import { compilePrint } from './escaping.ts'
import type { EvaluateMaybe, ExpressionCompiler } from './evaluators.ts'
import { compileExpression, compileLenient } from './expression.ts'

/** What the parts of one template are compiled into. */
export interface Parts {
  readonly blocks: Map<string, Block>
  readonly macros: Map<string, Macro>
  /** The template that will hold them; known when all of them are compiled. */
  readonly template: () => Template
  readonly compileModule: (module: Module, strategy: Strategy) => Template
}

/** Compiles what stands at one place of a template. */
export class ModuleCompiler implements Compiler, ExpressionCompiler {
  readonly strategy: Strategy
  readonly templateName: string | undefined
  private readonly parts: Parts
  /** The names set in each loop that is open here, the innermost last. */
  private readonly loops: readonly Set<string>[]
  /** What has been compiled since the count began, by number of expressions. */
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

  evaluator(expression: Expression): Evaluate {
    this.counter.cost++
    return compileExpression(this, expression)
  }

  lenientEvaluator(expression: Expression): EvaluateMaybe {
    this.counter.cost++
    return compileLenient(this, expression)
  }

  expression(expression: Expression): Evaluate {
    return this.evaluator(expression)
  }

  print(expression: Expression): Execute {
    return compilePrint(this, expression, this.strategy)
  }

  costOf<T>(compile: () => T): { compiled: T; cost: number } {
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

  noteAssignment(name: string): void {
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
