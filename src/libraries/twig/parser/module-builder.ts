import type { Place } from '../errors.ts'
import type { Use, UsedNames } from '../runtime/render.ts'
import type { Expression, MacroSource } from '../syntax/expression.ts'
import type { MacroStatement } from '../syntax/statement.ts'

/** What an imported name refers to. */
type ImportedSymbol =
  | { readonly type: 'template'; readonly source: MacroSource }
  | { readonly type: 'function'; readonly source: MacroSource; readonly macro: string }

/** The parts of one template while it is parsed. */
export class ModuleBuilder {
  readonly macros: MacroStatement[] = []
  readonly uses: Use[] = []
  parent: Expression | undefined
  /** The position of each block. */
  readonly blocks = new Map<string, Place>()
  /** The enclosing blocks, innermost last. */
  readonly openBlocks: string[] = []
  readonly usedNames: UsedNames = { tag: new Map(), filter: new Map(), function: new Map() }
  /** Imported names: those of the template first, then those of each enclosing block or macro. */
  readonly #scopes = [new Map<string, ImportedSymbol>()]

  constructor(parent?: Expression) {
    this.parent = parent
  }

  /** Records the first position where a tag, filter or function is used. */
  recordUse(kind: keyof UsedNames, name: string, place: Place): void {
    if (!this.usedNames[kind].has(name)) this.usedNames[kind].set(name, place)
  }

  /** Returns true outside of blocks and macros. */
  isMainScope(): boolean {
    return this.#scopes.length === 1
  }

  /** Parses a block or macro, whose imports end with it. */
  inScope<T>(parse: () => T): T {
    this.#scopes.push(new Map())
    try {
      return parse()
    } finally {
      this.#scopes.pop()
    }
  }

  /** Adds an imported name to the current block, macro or template. */
  addSymbol(name: string, symbol: ImportedSymbol): void {
    this.#scopes.at(-1)?.set(`${symbol.type} ${name}`, symbol)
  }

  /** Finds an imported name in the current block or macro, then in the template. */
  findSymbol<T extends ImportedSymbol['type']>(
    type: T,
    name: string,
  ): Extract<ImportedSymbol, { type: T }> | undefined {
    const key = `${type} ${name}`
    const symbol = this.#scopes.at(-1)?.get(key) ?? this.#scopes[0]?.get(key)
    return symbol as Extract<ImportedSymbol, { type: T }> | undefined
  }
}
