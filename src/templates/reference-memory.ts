import { BoundedMemory } from '../kit/bounded-memory.ts'
import type { WorkQueue } from '../kit/work-queue.ts'
import { type TemplateReference, type Twig, TwigError } from '../twig/index.ts'

/** Finds what templates refer to and read, and remembers it, so that recent templates are not parsed again. */
export interface ReferenceMemory {
  /** Empty where the template cannot be parsed. */
  referencesOf: (source: string) => readonly TemplateReference[]
  /** The variables that it reads without a default; empty where the template cannot be parsed. */
  variablesOf: (source: string) => readonly string[]
  /** What many templates refer to. Each template that is parsed takes a turn. */
  referencesOfAll: (sources: readonly string[]) => Promise<TemplateReference[]>
}

/** The most characters of all remembered templates together. */
const rememberedCharacters = 10_000_000

export function createReferenceMemory(twig: Twig, work: WorkQueue): ReferenceMemory {
  const remembered = new BoundedMemory<string, Reads>({
    sizeMax: rememberedCharacters,
    sizeOf: (source) => source.length,
  })
  const readsOf = (source: string) => {
    const known = remembered.get(source)
    if (known !== undefined) return known
    const reads = readTemplate(twig, source)
    remembered.set(source, reads)
    return reads
  }
  return {
    referencesOf: (source) => readsOf(source).references,
    variablesOf: (source) => readsOf(source).variables,
    async referencesOfAll(sources) {
      const references: (readonly TemplateReference[])[] = []
      for (const source of sources) {
        if (remembered.get(source) === undefined) await work.turn()
        references.push(readsOf(source).references)
      }
      return references.flat()
    },
  }
}

/** What a template reads. */
interface Reads {
  references: readonly TemplateReference[]
  variables: readonly string[]
}

function readTemplate(twig: Twig, source: string): Reads {
  try {
    const { references, variables } = twig.analyze(source)
    const required = variables.filter(({ path, hasDefault }) => !hasDefault && !path.includes('.'))
    return { references, variables: required.map(({ path }) => path) }
  } catch (error) {
    if (error instanceof TwigError) return { references: [], variables: [] }
    throw error
  }
}
