import type { Callers, HttpApp } from '../http/index.ts'
import { addResourceRoutes, type ListExtra } from '../resource/index.ts'
import { emailShape } from './schema.ts'
import type { Emails } from './service.ts'

/** Adds `/api/emails`. `usage` is what sends them, for `?with=usage`. */
export function addEmailRoutes(
  app: HttpApp,
  { emails, callers, usage }: { emails: Emails; callers: Callers; usage: ListExtra },
): void {
  addResourceRoutes(app, emailShape, { service: emails, callers, extras: { usage } })
}
