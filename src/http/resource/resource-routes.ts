import type { HttpApp } from '../http-app.ts'
import { addBatchRoutes } from './batch-routes.ts'
import { addListRoute } from './list-route.ts'
import type { ResourceShape } from './resource.ts'
import { addSingleRoutes, type ResourceParts } from './single-routes.ts'

/** Adds the routes that Mautic gives a resource: the list, one entry, and batches. */
export function addResourceRoutes<Item extends { id: number }, Input>(
  app: HttpApp,
  shape: ResourceShape,
  parts: ResourceParts<Item, Input>,
): void {
  addListRoute(app, shape, parts)
  addSingleRoutes(app, shape, parts)
  addBatchRoutes(app, shape, parts)
}
