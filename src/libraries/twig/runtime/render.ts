import type { Budget } from '../budget.ts'
import type { Place } from '../errors.ts'
import type { Pattern } from '../regex/pattern.ts'
import type { Value } from '../values/value.ts'
import type { Settings } from './settings.ts'

/** A compiled expression. */
export type Evaluate = (render: Render, frame: Frame) => Value

/** A compiled expression that returns undefined for a missing value instead of throwing. */
export type EvaluateMaybe = (render: Render, frame: Frame) => Value | undefined

/** A compiled statement. Its output is added to `render`. */
export type Execute = (render: Render, frame: Frame) => void

/** A compiled block and its template. */
export interface Block {
  readonly name: string
  readonly template: Template
  readonly execute: Execute
}

/** A compiled macro. */
export interface Macro {
  readonly name: string
  readonly parameters: readonly { readonly name: string; readonly fallback: Value }[]
  readonly execute: Execute
}

/** A `{% use %}` tag: the blocks of another template, with aliases. */
export interface Use {
  readonly templateName: string
  readonly place: Place
  readonly aliases: ReadonlyMap<string, string>
}

/** The tags, filters and functions that a template uses, with the first position of each. */
export type UsedNames = Readonly<Record<'tag' | 'filter' | 'function', Map<string, Place>>>

/** A compiled template. It has no state, so any number of renders can share it. */
export interface Template {
  readonly name: string | undefined
  /** The number of tokens in its source. */
  readonly tokenCount: number
  /** Its start, for errors without a better position. */
  readonly place: Place
  readonly body: Execute
  readonly parent: { readonly evaluate: Evaluate; readonly place: Place } | undefined
  readonly blocks: Map<string, Block>
  readonly macros: Map<string, Macro>
  readonly uses: readonly Use[]
  /** True when it contains only blocks, so that another template may `use` it. */
  readonly isTraitable: boolean
  readonly usedNames: UsedNames
}

/** Variables that no tag has set: the data of the render and the globals. */
export interface VariableSource {
  find(name: string): Value | undefined
  names(): Iterable<string>
}

/**
 * The variables at one place of a render. A block, an include or a `with` gets a frame on top of
 * its caller's frame: it sees the caller's variables, and its own assignments end with it.
 */
export class Frame {
  readonly template: Template
  /** The templates whose blocks override others here, most derived first. */
  readonly overrides: readonly Template[]
  /** The number of frames below. */
  readonly height: number
  private readonly parent: Frame | undefined
  private readonly source: VariableSource
  private variables: Map<string, Value> | undefined
  /** The number of variables that the frame started with. They come before the globals. */
  private readonly givenCount: number
  private imports: Map<string, Template> | undefined

  constructor(
    options: Pick<Frame, 'template' | 'overrides'> & {
      parent?: Frame
      source: VariableSource
      variables?: Map<string, Value> | undefined
    },
  ) {
    this.template = options.template
    this.overrides = options.overrides
    this.parent = options.parent
    this.height = options.parent === undefined ? 0 : options.parent.height + 1
    this.source = options.source
    this.variables = options.variables
    this.givenCount = options.variables?.size ?? 0
    this.imports = undefined
  }

  find(name: string): Value | undefined {
    let frame: Frame = this
    for (;;) {
      const value = frame.variables?.get(name)
      if (value !== undefined) return value
      if (frame.parent === undefined) return frame.source.find(name)
      frame = frame.parent
    }
  }

  /** Finds a variable in the frames below. */
  findBelow(name: string): Value | undefined {
    return this.parent === undefined ? this.source.find(name) : this.parent.find(name)
  }

  set(name: string, value: Value): void {
    this.variables ??= new Map()
    this.variables.set(name, value)
  }

  /** Finds a variable that was set in this frame. */
  findOwn(name: string): Value | undefined {
    return this.variables?.get(name)
  }

  /** Restores a value that `findOwn` returned. */
  restore(name: string, value: Value | undefined): void {
    if (value === undefined) this.variables?.delete(name)
    else this.set(name, value)
  }

  /** Keeps a template that `import` or `from` loaded in this block or macro. */
  setImport(key: string, template: Template): void {
    this.imports ??= new Map()
    this.imports.set(key, template)
  }

  findImport(key: string): Template | undefined {
    return this.imports?.get(key) ?? this.parent?.findImport(key)
  }

  /** Creates a frame on top of this one. */
  layer(options: {
    template?: Template
    overrides?: readonly Template[]
    variables?: Map<string, Value>
  }): Frame {
    return new Frame({
      template: options.template ?? this.template,
      overrides: options.overrides ?? this.overrides,
      parent: this,
      source: this.source,
      variables: options.variables,
    })
  }

  /** Returns all visible variables by name, in PHP's order. */
  allVariables(budget: Budget): Map<string, Value> {
    budget.allocateElements(this.variables?.size ?? 0)
    const all = this.parent?.allVariables(budget) ?? new Map<string, Value>()
    if (this.parent === undefined) {
      this.addOwn(all, this.givenCount)
      for (const name of this.source.names()) {
        const value = this.source.find(name)
        if (value !== undefined && !all.has(name)) all.set(name, value)
      }
    }
    this.addOwn(all, Number.POSITIVE_INFINITY)
    return all
  }

  private addOwn(all: Map<string, Value>, most: number): void {
    let left = most
    for (const [name, value] of this.variables ?? []) {
      if (left-- <= 0) return
      all.set(name, value)
    }
  }
}

/** Provides compiled templates. */
export interface TemplateStore {
  /** Returns the compiled template that `name` means in the template `from`, or undefined when the loader has none. */
  find(name: string, from: string | undefined): Template | undefined
  /** Returns the source of a template, or undefined. */
  findSource(name: string, from: string | undefined): string | undefined
  /** Compiles a source that is not in the loader. */
  compile(source: string, name: string | undefined): Template
  /** Lists the names of the loader, for suggestions. */
  names(): Iterable<string>
}

/** The state of one render. */
export class Render {
  readonly budget: Budget
  readonly settings: Settings
  readonly templates: TemplateStore
  /** The variables of templates without a context: only globals. */
  readonly globals: VariableSource
  /** The output so far, of the innermost capture. */
  out = ''
  /** The position of the current call, for errors without one. */
  at: Place
  isSandboxed = false
  /** The output of each `apply` body, for its filters. */
  readonly captures = new Map<symbol, Value>()
  /** Patterns that `matches` has compiled. */
  readonly patterns = new Map<string, Pattern>()
  private readonly outputLimit: number
  private readonly charged = new Set<Template>()
  private readonly importsOfTemplates = new Map<Template, Map<string, Template>>()
  private readonly blocksOfTemplates = new Map<Template, Map<string, Block>>()

  constructor(
    options: Pick<Render, 'budget' | 'settings' | 'templates' | 'globals' | 'at'> & {
      outputLimit: number
    },
  ) {
    this.budget = options.budget
    this.settings = options.settings
    this.templates = options.templates
    this.globals = options.globals
    this.outputLimit = options.outputLimit
    this.at = options.at
  }

  /** Charges the tokens of a template once per render, also when it was already compiled. */
  chargeTemplate(template: Template): void {
    if (this.charged.has(template)) return
    this.charged.add(template)
    this.budget.chargeTokens(template.tokenCount)
  }

  write(text: string): void {
    this.out += text
    if (this.out.length > this.outputLimit) throw this.budget.outputTooLong()
  }

  /** Executes a statement and returns its output instead of printing it. */
  capture(execute: Execute, frame: Frame): string {
    const before = this.out
    this.out = ''
    execute(this, frame)
    const captured = this.out
    this.out = before
    this.budget.allocateText(captured.length)
    return captured
  }

  /**
   * Returns the templates that the top-level imports of a template have loaded. Blocks and macros
   * share them.
   */
  importsOf(template: Template): Map<string, Template> {
    let imports = this.importsOfTemplates.get(template)
    if (imports === undefined) {
      imports = new Map()
      this.importsOfTemplates.set(template, imports)
    }
    return imports
  }

  /**
   * Returns the blocks of a template, including those that it uses. They are linked once per
   * render.
   */
  blocksOf(template: Template, link: () => Map<string, Block>): Map<string, Block> {
    if (template.uses.length === 0) return template.blocks
    let blocks = this.blocksOfTemplates.get(template)
    if (blocks === undefined) {
      blocks = link()
      this.blocksOfTemplates.set(template, blocks)
    }
    return blocks
  }
}
