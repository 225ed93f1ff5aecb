import Type from 'typebox'
import { unwrap } from '../../../kit/batch-item-result.ts'
import { entityTag, isAsked, readId, withHeaders } from '../../http/index.ts'
import type { DeletedEntries } from '../resource-service.ts'
import {
  configOf,
  examplesOf,
  mayView,
  operationId,
  pathOfOne,
  type RoutedResource,
  withArticle,
} from '../resource-shape.ts'
import { batchAnswer } from './batch-answer.ts'
import { readIds, readShownFields } from './batch-request.ts'
import { batchRoute, sendBatch } from './batch-routes.ts'

/** Adds `POST /{id}/restore` and `POST /batch/restore?ids=1,2`. */
export function addDeletedRoutes<Item, Input>(
  { app, shape, callers }: RoutedResource<Item, Input>,
  deleted: DeletedEntries<Item>,
): void {
  const config = configOf(shape, 'delete')
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
          // For callers who may view it.
          [shape.one]: Type.Optional(shape.item),
        }),
        'ETag',
      ),
    },
  }
  app.post(`${shape.path}/:id/restore`, { schema, config }, async (request, reply) => {
    const id = readId(request.params.id)
    const caller = callers.of(request)
    const [result] = await deleted.restore([id], { caller, isAtomic: true })
    const { item, revision, consequence } = unwrap(result)
    reply.header('etag', entityTag(revision))
    return reply.send({
      success: true,
      message: `${shape.label} ${id} was restored.`,
      ...(consequence === undefined ? {} : { warnings: [consequence] }),
      ...(mayView(caller, shape) ? { [shape.one]: item } : {}),
    })
  })
  const batch = {
    schema: batchRoute(shape, { verb: 'Restore', status: 200 }).schema,
    config: { ...config, isExpensive: true },
  }
  app.post(`${shape.path}/batch/restore`, batch, async (request, reply) => {
    const caller = callers.of(request)
    const isAtomic = isAsked(request.query, 'atomic')
    const fields = readShownFields(request.query, shape, caller)
    const ids = readIds(request.query.ids)
    const results = await deleted.restore(ids, { caller, isAtomic })
    return sendBatch(reply, batchAnswer(shape, results, { isAtomic, fields }))
  })
}
