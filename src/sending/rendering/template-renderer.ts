import type { TemplateSources } from '../../templates/index.ts'
import { type Engines, type RenderContext, renderTemplate, type TextKind } from './text-renderer.ts'

/** Renders templates by id for one recipient; an unknown or unpublished one becomes nothing. Throws TwigError. */
export type TemplateRenderer = (id: number | undefined, kind: TextKind) => string

/** Reads the templates that tokens name, and all that these lead to, as they are now. */
export async function prepareTemplates(
  ids: readonly number[],
  context: Omit<RenderContext, 'loader'>,
  { engines, sources }: { engines: Engines; sources: TemplateSources },
): Promise<TemplateRenderer> {
  const { loader } = await sources.load(ids.map((id) => ({ names: [`id:${id}`] })))
  return (id, kind) => renderTemplate(id, { ...context, loader }, engines[kind])
}
