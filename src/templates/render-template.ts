import { type HostVariables, type RenderOptions, type Twig, TwigError } from '../twig/index.ts'
import { renderFailed } from './errors.ts'
import type { TemplateSources } from './template-sources.ts'

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

export function createRenderTemplate(twig: Twig, sources: TemplateSources): RenderTemplate {
  return async ({ source, name, context, locale, timezone }) => {
    const { loader } = await sources.load(sources.referencesOf(source))
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
      throw error instanceof TwigError ? renderFailed(error) : error
    }
  }
}
