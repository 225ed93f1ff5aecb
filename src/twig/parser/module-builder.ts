import type { ModuleBuilder } from './tag.ts'

/** The parts of a template that nothing has been parsed of. */
export function createModuleBuilder(): ModuleBuilder {
  return {
    macros: [],
    uses: [],
    parent: undefined,
    blocks: new Map(),
    openBlocks: [],
    scopes: [new Map()],
    vocabulary: { tags: new Map(), filters: new Map(), functions: new Map() },
  }
}
