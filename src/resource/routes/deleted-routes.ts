import Type from 'typebox'
import { entityTag, type HttpApp, isAsked, readId, withHeaders } from '../../http/index.ts'
import { unwrap } from '../../kit/batch-item-result.ts'
import type { DeletedEntries } from '../resource-service.ts'
import {
  examplesOf,
  operationId,
  pathOfOne,
  type ResourceParts,
  type ResourceShape,
  withArticle,
} from '../resource-shape.ts'
import { batchAnswer } from './batch-answer.ts'
import { readFields, readIds } from './batch-request.ts'
import { batchRoute, sendBatch } from './batch-routes.ts'

/** Dependencies of the routes of deleted records. */
interface DeletedRouteParts<Item> extends Pick<ResourceParts<Item, unknown>, 'callers'> {
  deleted: DeletedEntries<Item>
}

/** Adds `POST /{id}/restore` and `POST /batch/restore?ids=1,2`. */
export function addDeletedRoutes<Item extends { id: number }>(
  app: HttpApp,
  shape: ResourceShape,
  parts: DeletedRouteParts<Item>,
): void {
  addRestoreRoute(app, shape, parts)
  addBatchRestoreRoute(app, shape, parts)
}

function addRestoreRoute<Item extends { id: number }>(
  app: HttpApp,
  shape: ResourceShape,
  { deleted, callers }: DeletedRouteParts<Item>,
): void {
  const config = { permission: `${shape.area}:delete` as const }
  const example = examplesOf(shape)
  const schema = {
    operationId: operationId('restore', shape),
    summary: `Restore ${withArticle(shape)} that was deleted`,
    description:
      'It gets its id back, and what the deletion released. 409 if it does not fit any more, or is not deleted.',
    tags: [shape.many],
    errors: [409 as const],
    params: pathOfOne(shape),
    response: {
      200: withHeaders(
        Type.Object({
          success: Type.Literal(true),
          message: Type.String({ examples: [`${shape.label} ${example.item.id} was restored.`] }),
          warnings: Type.Optional(
            Type.Array(Type.String(), { description: 'What could not be restored.' }),
          ),
          [shape.one]: shape.item,
        }),
        'ETag',
      ),
    },
  }
  app.post(`${shape.path}/:id/restore`, { schema, config }, async (request, reply) => {
    const id = readId(request.params.id)
    const context = { caller: callers.of(request), isAtomic: true }
    const [result] = await deleted.restore([id], context)
    const { item, revision, consequence } = unwrap(result)
    reply.header('etag', entityTag(revision))
    return reply.send({
      success: true,
      message: `${shape.label} ${id} was restored.`,
      ...(consequence === undefined ? {} : { warnings: [consequence] }),
      [shape.one]: item,
    })
  })
}

function addBatchRestoreRoute<Item extends { id: number }>(
  app: HttpApp,
  shape: ResourceShape,
  { deleted, callers }: DeletedRouteParts<Item>,
): void {
  const { schema } = batchRoute(shape, { verb: 'Restore', status: 200 })
  const config = { permission: `${shape.area}:delete` as const, isExpensive: true }
  app.post(`${shape.path}/batch/restore`, { schema, config }, async (request, reply) => {
    const isAtomic = isAsked(request.query, 'atomic')
    const fields = readFields(request.query, shape)
    const ids = readIds(request.query.ids)
    const results = await deleted.restore(ids, { caller: callers.of(request), isAtomic })
    return sendBatch(reply, batchAnswer(shape, results, { isAtomic, fields }))
  })
}
