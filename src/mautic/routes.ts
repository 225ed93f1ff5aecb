import type { Callers, HttpApp } from '../http/index.ts'
import { addResourceRoutes } from '../resource/index.ts'
import { mauticShape } from './schema.ts'
import type { Mautics } from './service.ts'

/** Adds `/api/mautics`. */
export function addMauticRoutes(
  app: HttpApp,
  { mautics, callers }: { mautics: Mautics; callers: Callers },
): void {
  addResourceRoutes(app, mauticShape, { service: mautics, callers })
}
