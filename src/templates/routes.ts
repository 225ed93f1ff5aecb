import { addResourceRoutes, type Callers, type HttpApp } from '../http/index.ts'
import { templateShape } from './schema.ts'
import type { Templates } from './service.ts'

/** Adds `/api/twigTemplates`. */
export function addTemplateRoutes(
  app: HttpApp,
  parts: { templates: Templates; callers: Callers },
): void {
  addResourceRoutes(app, templateShape, { service: parts.templates, callers: parts.callers })
}
