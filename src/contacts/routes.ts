import { addResourceRoutes, type Callers, type HttpApp } from '../http/index.ts'
import { contactShape } from './schema.ts'
import { addSegmentRoutes } from './segment-routes.ts'
import type { Segments } from './segments.ts'
import type { Contacts } from './service.ts'

/** What the routes of contacts are made of. */
export interface ContactRouteParts {
  contacts: Contacts
  segments: Segments
  callers: Callers
}

/** Adds `/api/contacts` and `/api/segments`. */
export function addContactRoutes(app: HttpApp, parts: ContactRouteParts): void {
  addSegmentRoutes(app, parts.segments)
  addResourceRoutes(app, contactShape, { service: parts.contacts, callers: parts.callers })
}
