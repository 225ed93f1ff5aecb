import { addResourceRoutes, type Callers, type HttpApp } from '../http/index.ts'
import { contactShape } from './schema.ts'
import type { Contacts } from './service.ts'

/** Adds `/api/contacts`. */
export function addContactRoutes(
  app: HttpApp,
  parts: { contacts: Contacts; callers: Callers },
): void {
  addResourceRoutes(app, contactShape, { service: parts.contacts, callers: parts.callers })
}
