import { pause } from '../kit/pause.ts'
import {
  type HostVariables,
  type Loader,
  type RenderOptions,
  type Twig,
  TwigError,
} from '../twig/index.ts'
import { renderFailed } from './errors.ts'
import type { StoredTemplates, TemplateSet } from './template-sources.ts'

/** A render that somebody asks for. */
export interface RenderRequest {
  source: string
  /** What errors call it. */
  name: string | undefined
  context: HostVariables
  locale: string | undefined
  timezone: string | undefined
}

/** What came of it. */
export interface Rendering {
  output: string
  durationMs: number
}

/** Renders a template among the others. Throws an AppError (`invalid`) with line and column. */
export type RenderTemplate = (request: RenderRequest) => Promise<Rendering>

/** A template whose names only rendering knows is rendered anew with each that it asks for. */
const roundsMax = 100
/** Of all rounds together; between them, others have their turn. */
const timeMaxMs = 1_000
const namesInARound = 500

export function createRenderTemplate(twig: Twig, sources: StoredTemplates): RenderTemplate {
  return async (request) => {
    let spentMs = 0
    let names: { names: readonly string[] }[] = [...sources.referencesOf(request.source)]
    for (let round = 1; ; round++) {
      const set = await sources.loadNamed(names)
      const unknown = new Set<string>()
      const startedAt = performance.now()
      const outcome = render(twig, request, watchLoader(set, unknown))
      spentMs += performance.now() - startedAt
      if (unknown.size === 0 || round === roundsMax || spentMs > timeMaxMs) return settled(outcome)
      names = [...names, ...Array.from(unknown, (name) => ({ names: [name] }))]
      await pause()
    }
  }
}

/** A loader that notes the names that nobody has looked for yet. */
function watchLoader(set: TemplateSet, unknown: Set<string>): Loader {
  const { loader } = set
  return {
    get(name) {
      const text = loader.get(name)
      const isNew = text === undefined && set.problemOf(name) === undefined
      if (isNew && unknown.size < namesInARound) unknown.add(name)
      return text
    },
    keys: () => loader.keys?.() ?? [],
  }
}

function render(
  twig: Twig,
  { source, name, context, locale, timezone }: RenderRequest,
  loader: Loader,
): Rendering | TwigError {
  const options: RenderOptions & { name?: string } = {
    loader,
    ...(name === undefined ? {} : { name }),
    ...(locale === undefined ? {} : { locale }),
    ...(timezone === undefined ? {} : { timezone }),
  }
  const startedAt = performance.now()
  try {
    const output = twig.renderSource(source, context, options)
    return { output, durationMs: Math.round((performance.now() - startedAt) * 100) / 100 }
  } catch (error) {
    if (error instanceof TwigError) return error
    throw error
  }
}

function settled(outcome: Rendering | TwigError): Rendering {
  if (outcome instanceof TwigError) throw renderFailed(outcome)
  return outcome
}
