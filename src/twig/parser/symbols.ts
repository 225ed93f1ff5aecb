import type { ImportedSymbol, ModuleBuilder } from './tag.ts'

/** Whether the parser stands at the top of a template: in no block and no macro. */
export function isMainScope(module: ModuleBuilder): boolean {
  return module.scopes.length === 1
}

/** Makes an imported name known from here on in this block or macro, or everywhere at the top. */
export function addSymbol(module: ModuleBuilder, name: string, symbol: ImportedSymbol): void {
  module.scopes.at(-1)?.set(`${symbol.type} ${name}`, symbol)
}

/** An imported name as it is known here: from this very block or macro, else from the top. */
export function findSymbol<T extends ImportedSymbol['type']>(
  module: ModuleBuilder,
  type: T,
  name: string,
): Extract<ImportedSymbol, { type: T }> | undefined {
  const key = `${type} ${name}`
  const symbol = module.scopes.at(-1)?.get(key) ?? module.scopes[0]?.get(key)
  return symbol as Extract<ImportedSymbol, { type: T }> | undefined
}
