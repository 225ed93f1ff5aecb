import type { Callers, HttpApp } from '../http/index.ts'
import { addResourceRoutes } from '../resource/index.ts'
import { emailShape } from './schema.ts'
import type { Emails } from './service.ts'

/** Adds `/api/emails`. */
export function addEmailRoutes(app: HttpApp, parts: { emails: Emails; callers: Callers }): void {
  addResourceRoutes(app, emailShape, { service: parts.emails, callers: parts.callers })
}
