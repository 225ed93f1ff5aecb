import type { Callers, HttpApp } from '../http/index.ts'
import { addResourceRoutes } from '../resource/index.ts'
import { limitShape } from './schema.ts'
import type { Limits } from './service.ts'

/** Adds `/api/limits`. */
export function addLimitRoutes(
  app: HttpApp,
  { limits, callers }: { limits: Limits; callers: Callers },
): void {
  addResourceRoutes(app, limitShape, { service: limits, callers, extras: { usage: limits.usage } })
}
