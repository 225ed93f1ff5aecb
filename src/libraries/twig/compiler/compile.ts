import type { Place } from '../errors.ts'
import { holdsOnlyBlocks, textStatement } from '../parser/statements.ts'
import type { Block, Evaluate, EvaluateMaybe, Execute, Macro, Template } from '../runtime/render.ts'
import type { Expression } from '../syntax/expression.ts'
import type { Body, Compiler, Module, Statement, Strategy } from '../syntax/statement.ts'
import { compilePrint } from './escaping.ts'
import { compileExpression, compileLenient } from './expression.ts'
import { constantValue } from './macros.ts'

/**
 * Compiles a template to closures over its syntax tree.
 *
 * @param strategy the escaping strategy outside of `autoescape` tags
 * @throws TwigError of kind `syntax` for the few errors that the parser cannot detect.
 */
export function compile(module: Module, strategy: Strategy): Template {
  const parts: Parts = { module, strategy, blocks: new Map(), cost: 0 }
  const compiler = new ModuleCompiler(parts, strategy, [])
  const macros = new Map<string, Macro>()
  for (const macro of module.macros) {
    macros.set(macro.name, {
      name: macro.name,
      parameters: macro.parameters.map(({ name, fallback }) => ({
        name,
        fallback: constantValue(fallback),
      })),
      execute: compiler.isolated().body(macro.body),
    })
  }
  const body = compileBody(compiler, module)
  const { parent } = module
  const blocks = new Map<string, Block>()
  const template: Template = {
    name: module.name,
    tokenCount: module.tokenCount,
    place: module.place,
    body,
    parent: parent && { evaluate: compiler.expression(parent), place: parent.place },
    blocks,
    macros,
    uses: module.uses,
    isTraitable: parent === undefined && macros.size === 0 && holdsOnlyBlocks(module.body),
    usedNames: module.usedNames,
  }
  for (const [name, execute] of parts.blocks) blocks.set(name, { name, template, execute })
  return template
}

/**
 * A child template prints only whitespace outside of its blocks. That output is discarded: the
 * parent is printed.
 */
function compileBody(compiler: ModuleCompiler, module: Module): Template['body'] {
  if (module.parent === undefined) return compiler.body(module.body)
  const before: Body = module.body.filter(({ role }) => role !== 'block' && role !== 'blank')
  for (const block of module.body) if (block.role === 'block') block.compile(compiler)
  const body = compiler.body(before)
  return (render, frame) => {
    const { out } = render
    body(render, frame)
    render.out = out
  }
}

/** What the places of one template have in common while it is compiled. */
interface Parts {
  readonly module: Module
  /** The escaping strategy outside of `autoescape` tags. */
  readonly strategy: Strategy
  readonly blocks: Map<string, Execute>
  /** The number of expressions compiled since the count started. */
  cost: number
}

/** Compiles the statements and expressions at one place of a template. */
class ModuleCompiler implements Compiler {
  readonly strategy: Strategy
  readonly #parts: Parts
  /** The names set in each enclosing loop, innermost last. */
  readonly #loops: readonly Set<string>[]

  constructor(parts: Parts, strategy: Strategy, loops: readonly Set<string>[]) {
    this.strategy = strategy
    this.#parts = parts
    this.#loops = loops
  }

  get templateName(): string | undefined {
    return this.#parts.module.name
  }

  expression(expression: Expression): Evaluate {
    this.#parts.cost++
    return compileExpression(this, expression)
  }

  lenientExpression(expression: Expression): EvaluateMaybe {
    this.#parts.cost++
    return compileLenient(this, expression)
  }

  print(expression: Expression): Execute {
    return compilePrint(this, expression, this.strategy)
  }

  measureCost<T>(compilePart: () => T): { compiled: T; cost: number } {
    const before = this.#parts.cost
    this.#parts.cost = 0
    const compiled = compilePart()
    const { cost } = this.#parts
    this.#parts.cost = before
    return { compiled, cost }
  }

  body(body: Body): Execute {
    return compileSequence(this, body)
  }

  escapingBy(strategy: Strategy): ModuleCompiler {
    return new ModuleCompiler(this.#parts, strategy, this.#loops)
  }

  isolated(): ModuleCompiler {
    return new ModuleCompiler(this.#parts, this.strategy, [])
  }

  loop(): { compiler: ModuleCompiler; assigned: ReadonlySet<string> } {
    const assigned = new Set<string>()
    const loops = [...this.#loops, assigned]
    return { compiler: new ModuleCompiler(this.#parts, this.strategy, loops), assigned }
  }

  recordAssignment(name: string): void {
    for (const assigned of this.#loops) assigned.add(name)
  }

  defineBlock(name: string, execute: Execute): void {
    this.#parts.blocks.set(name, execute)
  }

  module(module: Module): Template {
    return compile(module, this.#parts.strategy)
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
