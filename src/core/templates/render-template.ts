import { startStopwatch } from '../../kit/clock.ts'
import type { WorkQueue } from '../../kit/work-queue.ts'
import {
  type HostVariables,
  type Loader,
  type RenderOptions,
  type Twig,
  TwigError,
} from '../../libraries/twig/index.ts'
import { renderFailed } from './errors.ts'
import type { StoredTemplates, TemplateSet } from './template-sources.ts'

/** A template to render. */
export interface RenderRequest {
  source: string
  /** Its name in errors. */
  name: string | undefined
  context: HostVariables
  locale: string | undefined
  timezone: string | undefined
  /** The brand whose templates it may use, besides those of all. */
  brand: number
}

/** The result of a render. */
export interface Rendering {
  output: string
  durationMs: number
}

/** Renders a template, which may use the stored ones. Throws an AppError (`invalid`) with line and column. */
export type RenderTemplate = (request: RenderRequest) => Promise<Rendering>

/** A template that computes names is rendered again with the templates that it asked for. */
const roundsMax = 100
/** Names asked for in all rounds; a database takes no more in one query. */
const namesMax = 2_000
/** No template has a longer name. */
const nameLengthMax = 255
/** Rendering time of all rounds. A single render is limited by the engine. */
const totalMsMax = 400

export function createRenderTemplate(
  twig: Twig,
  sources: StoredTemplates,
  work: WorkQueue,
): RenderTemplate {
  return async (request) => {
    let names: { names: readonly string[] }[] = [...sources.referencesOf(request.source)]
    const { brand } = request
    let totalMs = 0
    for (let round = 1; ; round++) {
      const set = await sources.loadNamed(names, { brand })
      const unknown = new Set<string>()
      await work.turn()
      const loader = watchLoader(set, { unknown, namesLeft: namesMax - names.length })
      const { outcome, durationMs } = render(twig, request, loader)
      totalMs += durationMs
      const isLast = round === roundsMax || totalMs > totalMsMax
      if (unknown.size === 0 || isLast) return settled(outcome)
      names = [...names, ...Array.from(unknown, (name) => ({ names: [name] }))]
    }
  }
}

/** Creates a loader that notes the names that have not been looked up yet. */
function watchLoader(
  set: TemplateSet,
  { unknown, namesLeft }: { unknown: Set<string>; namesLeft: number },
): Loader {
  const { loader } = set
  return {
    ...loader,
    get(name) {
      const text = loader.get(name)
      const isNew = text === undefined && set.problemOf(name) === undefined
      const isName = name.length <= nameLengthMax
      if (isNew && isName && unknown.size < namesLeft) unknown.add(name)
      return text
    },
  }
}

function render(
  twig: Twig,
  { source, name, context, locale, timezone }: RenderRequest,
  loader: Loader,
): { outcome: Rendering | TwigError; durationMs: number } {
  const options: RenderOptions & { name?: string } = {
    loader,
    ...(name === undefined ? {} : { name }),
    ...(locale === undefined ? {} : { locale }),
    ...(timezone === undefined ? {} : { timezone }),
  }
  const elapsedMs = startStopwatch()
  const duration = () => Math.round(elapsedMs() * 100) / 100
  try {
    const output = twig.renderSource(source, context, options)
    const durationMs = duration()
    return { outcome: { output, durationMs }, durationMs }
  } catch (error) {
    if (error instanceof TwigError) return { outcome: error, durationMs: duration() }
    throw error
  }
}

function settled(outcome: Rendering | TwigError): Rendering {
  if (outcome instanceof TwigError) throw renderFailed(outcome)
  return outcome
}
