import { addResourceRoutes, type Callers, type HttpApp } from '../http/index.ts'
import { addRenderRoutes, type RenderRouteParts } from './render-routes.ts'
import { templateShape } from './schema.ts'
import { addVersionRoutes, type VersionRouteParts } from './version-routes.ts'

/** What the routes of templates are made of. */
export type TemplateRouteParts = RenderRouteParts & VersionRouteParts & { callers: Callers }

/** Adds `/api/twigTemplates`, rendering, linting, variables and versions. */
export function addTemplateRoutes(app: HttpApp, parts: TemplateRouteParts): void {
  addRenderRoutes(app, parts)
  addVersionRoutes(app, parts)
  addResourceRoutes(app, templateShape, { service: parts.templates, callers: parts.callers })
}
