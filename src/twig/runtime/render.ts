import type { Pattern } from '../regex/php-pattern.ts'
import type { Place } from '../syntax/place.ts'
import type { Meter } from '../values/meter.ts'
import type { Value } from '../values/value.ts'
import type { Budget } from './budget.ts'
import type { Settings } from './settings.ts'

/** A compiled expression. */
export type Evaluate = (render: Render, frame: Frame) => Value

/** A compiled statement; what it prints goes to `render`. */
export type Execute = (render: Render, frame: Frame) => void

/** A compiled block, and the template it stands in. */
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

/** A `{% use %}`: the blocks of another template, some under other names. */
interface Use {
  readonly templateName: string
  readonly place: Place
  readonly aliases: ReadonlyMap<string, string>
}

/** The tags, filters and functions that a template names, each with the first place of it. */
interface Vocabulary {
  readonly tags: Map<string, Place>
  readonly filters: Map<string, Place>
  readonly functions: Map<string, Place>
}

/** A compiled template. It holds nothing of a render, so one serves any number of them. */
export interface Template {
  readonly name: string | undefined
  /** How many tokens it was compiled of. */
  readonly tokenCount: number
  /** Its beginning, for errors that have no better place. */
  readonly place: Place
  readonly body: Execute
  readonly parent: { readonly evaluate: Evaluate; readonly place: Place } | undefined
  readonly blocks: Map<string, Block>
  readonly macros: Map<string, Macro>
  readonly uses: readonly Use[]
  /** Holds only blocks, so that another may `use` it. */
  readonly isTraitable: boolean
  readonly vocabulary: Vocabulary
}

/** Where variables come from that no tag has set: the data of the render, and the globals. */
export interface VariableSource {
  find(name: string): Value | undefined
  names(): Iterable<string>
}

/**
 * The variables at one place of a render. A block, an include or a `with` gets a frame of its own on
 * top of its caller's: it sees what the caller sees, and what it sets ends with it.
 */
export class Frame {
  readonly template: Template
  /** The templates whose blocks count here, the most derived first. */
  readonly overrides: readonly Template[]
  /** How many frames lie below it. */
  readonly height: number
  private readonly parent: Frame | undefined
  private readonly source: VariableSource
  private variables: Map<string, Value> | undefined
  /** How many variables it was given; they come before the globals. */
  private readonly givenCount: number
  private imports: Map<string, Template> | undefined

  constructor(options: {
    template: Template
    overrides: readonly Template[]
    parent?: Frame | undefined
    source: VariableSource
    variables?: Map<string, Value> | undefined
  }) {
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

  /** What stands under a name below this frame. */
  findBelow(name: string): Value | undefined {
    return this.parent === undefined ? this.source.find(name) : this.parent.find(name)
  }

  set(name: string, value: Value): void {
    this.variables ??= new Map()
    this.variables.set(name, value)
  }

  /** The value set in this very frame, not below it. */
  findOwn(name: string): Value | undefined {
    return this.variables?.get(name)
  }

  /** Brings back what `findOwn` gave before. */
  restore(name: string, value: Value | undefined): void {
    if (value === undefined) this.variables?.delete(name)
    else this.set(name, value)
  }

  /** Keeps a template that `import` or `from` has loaded for this block or macro. */
  setImport(key: string, template: Template): void {
    this.imports ??= new Map()
    this.imports.set(key, template)
  }

  findImport(key: string): Template | undefined {
    return this.imports?.get(key) ?? this.parent?.findImport(key)
  }

  /** What a frame with other variables at this place shares with it. */
  identity(): { template: Template; overrides: readonly Template[] } {
    return { template: this.template, overrides: this.overrides }
  }

  /** A frame on top of this one. */
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

  /** Every variable that can be seen here, by name, in PHP's order. */
  everything(meter: Meter): Map<string, Value> {
    meter.allocateElements(this.variables?.size ?? 0)
    const all = this.parent?.everything(meter) ?? new Map<string, Value>()
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

/** Where templates come from. */
export interface TemplateStore {
  /** The template of that name, compiled, or undefined where the loader has none. */
  find(name: string): Template | undefined
  /** The text of that name, or undefined. */
  findSource(name: string): string | undefined
  /** A template of a text that is not in the loader. */
  compile(source: string, name: string | undefined): Template
  /** The names that the loader can list, for suggestions. */
  names(): Iterable<string>
}

/** What one render carries from node to node. */
export class Render {
  readonly budget: Budget
  readonly settings: Settings
  readonly templates: TemplateStore
  /** Variables of templates that get no context: globals alone. */
  readonly globals: VariableSource
  /** Output so far, of the innermost capture. */
  out = ''
  /** The call under way: the place of an error that has none. */
  at: Place
  isSandboxed = false
  /** What the body of an `apply` printed, for its filters. */
  readonly captures = new Map<symbol, Value>()
  /** Patterns that `matches` has compiled. */
  readonly patterns = new Map<string, Pattern>()
  private readonly outputLimit: number
  private readonly met = new Set<Template>()
  private readonly importsOfTemplates = new Map<Template, Map<string, Template>>()
  private readonly blocksOfTemplates = new Map<Template, Map<string, Block>>()

  constructor(options: {
    budget: Budget
    settings: Settings
    templates: TemplateStore
    globals: VariableSource
    outputLimit: number
    at: Place
  }) {
    this.budget = options.budget
    this.settings = options.settings
    this.templates = options.templates
    this.globals = options.globals
    this.outputLimit = options.outputLimit
    this.at = options.at
  }

  /** Asks for a template that the render comes to: once, and also where another render had it compiled. */
  meet(template: Template): void {
    if (this.met.has(template)) return
    this.met.add(template)
    this.budget.takeTokens(template.tokenCount)
  }

  write(text: string): void {
    this.out += text
    if (this.out.length > this.outputLimit) throw this.budget.outputTooLong()
  }

  /** What a piece prints, without printing it. */
  capture(execute: Execute, frame: Frame): string {
    const before = this.out
    this.out = ''
    execute(this, frame)
    const captured = this.out
    this.out = before
    this.budget.allocateText(captured.length)
    return captured
  }

  /** The templates that the imports at the top of a template have loaded; blocks and macros see them. */
  importsOf(template: Template): Map<string, Template> {
    let imports = this.importsOfTemplates.get(template)
    if (imports === undefined) {
      imports = new Map()
      this.importsOfTemplates.set(template, imports)
    }
    return imports
  }

  /** Computes once in this render what blocks a template has, those that it uses included. */
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
