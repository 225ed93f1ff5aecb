import type { ImportedSymbol, ModuleBuilder } from './tag.ts'

/** Creates an empty module builder. */
export function createModuleBuilder(): ModuleBuilder {
  return {
    macros: [],
    uses: [],
    parent: undefined,
    blocks: new Map(),
    openBlocks: [],
    scopes: [new Map()],
    usedNames: { tags: new Map(), filters: new Map(), functions: new Map() },
  }
}

/** Returns true outside of blocks and macros. */
export function isMainScope(module: ModuleBuilder): boolean {
  return module.scopes.length === 1
}

/** Adds an imported name to the current block, macro or template. */
export function addSymbol(module: ModuleBuilder, name: string, symbol: ImportedSymbol): void {
  module.scopes.at(-1)?.set(`${symbol.type} ${name}`, symbol)
}

/** Finds an imported name in the current block or macro, then in the template. */
export function findSymbol<T extends ImportedSymbol['type']>(
  module: ModuleBuilder,
  type: T,
  name: string,
): Extract<ImportedSymbol, { type: T }> | undefined {
  const key = `${type} ${name}`
  const symbol = module.scopes.at(-1)?.get(key) ?? module.scopes[0]?.get(key)
  return symbol as Extract<ImportedSymbol, { type: T }> | undefined
}
