import type { WorkQueue } from '../kit/work-queue.ts'
import { type TemplateReference, type Twig, TwigError } from '../twig/index.ts'

/** Finds what templates refer to, and remembers it, so that recent templates are not parsed again. */
export interface ReferenceMemory {
  /** Empty where the template cannot be parsed. */
  referencesOf: (source: string) => readonly TemplateReference[]
  /** What many templates refer to. Each template that is parsed takes a turn. */
  referencesOfAll: (sources: readonly string[]) => Promise<TemplateReference[]>
}

/** When the remembered templates have more characters together, all are forgotten. */
const rememberedCharacters = 10_000_000

export function createReferenceMemory(twig: Twig, work: WorkQueue): ReferenceMemory {
  const remembered = new Map<string, readonly TemplateReference[]>()
  let characters = 0
  const referencesOf = (source: string) => {
    const known = remembered.get(source)
    if (known !== undefined) return known
    const references = readReferences(twig, source)
    characters += source.length
    if (characters > rememberedCharacters) {
      remembered.clear()
      characters = source.length
    }
    remembered.set(source, references)
    return references
  }
  return {
    referencesOf,
    async referencesOfAll(sources) {
      const found: (readonly TemplateReference[])[] = []
      for (const source of sources) {
        if (!remembered.has(source)) await work.turn()
        found.push(referencesOf(source))
      }
      return found.flat()
    },
  }
}

function readReferences(twig: Twig, source: string): readonly TemplateReference[] {
  try {
    return twig.analyze(source).references
  } catch (error) {
    if (error instanceof TwigError) return []
    throw error
  }
}
