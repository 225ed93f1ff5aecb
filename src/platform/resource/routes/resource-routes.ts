import type { FastifyReply, FastifyRequest } from 'fastify'
import Type, { type TSchema } from 'typebox'
import { unwrap } from '../../../kit/batch-item-result.ts'
import { mapMaybe } from '../../../kit/maybe-promise.ts'
import {
  clientPath,
  entityTag,
  type HttpApp,
  ifMatchHeaders,
  readId,
  readIfMatch,
  withHeaders,
} from '../../http/index.ts'
import type { Entry } from '../resource-service.ts'
import {
  configOf,
  examplesOf,
  mayView,
  operationId,
  pathOfOne,
  type ResourceParts,
  type ResourceShape,
  type RoutedResource,
  withArticle,
} from '../resource-shape.ts'
import { addBatchRoutes } from './batch-routes.ts'
import { addDeletedRoutes } from './deleted-routes.ts'
import { readSaveContext, testQuery } from './if-test-passes.ts'
import { addListRoute } from './list-route.ts'
import { readRemoval, removalParameters } from './removal-parameters.ts'
import { withServiceFaults } from './validate-entry.ts'

/**
 * Adds the ten routes that Mautic gives a resource: the list, `GET /{id}`, `POST /new`, `PATCH` and `PUT /{id}/edit`,
 * `DELETE /{id}/delete`, and the batches; and those that restore what was deleted.
 */
export function addResourceRoutes<Item extends { id: number }, Input>(
  app: HttpApp,
  shape: ResourceShape,
  parts: ResourceParts<Item, Input>,
): void {
  const { service, callers } = parts
  const resource = { app, shape, service, callers }
  addListRoute(app, shape, parts)
  addReadRoute(resource)
  addCreateRoute(resource)
  addEditRoute(resource, 'PATCH')
  addEditRoute(resource, 'PUT')
  addRemoveRoute(resource)
  addBatchRoutes(resource)
  if (service.deleted !== undefined) addDeletedRoutes(resource, service.deleted)
}

function addReadRoute<Item, Input>(resource: RoutedResource<Item, Input>): void {
  const { app, shape, service, callers } = resource
  const schema = {
    operationId: operationId('get', shape),
    summary: `Get ${withArticle(shape)}`,
    tags: [shape.many],
    params: pathOfOne(shape),
    response: { 200: withHeaders(wrappedSchema(shape), 'ETag') },
  }
  const config = configOf(shape, 'view')
  app.get(`${shape.path}/:id`, { schema, config }, (request, reply) =>
    mapMaybe(service.get(readId(request.params.id), callers.of(request)), (entry) =>
      sendEntry(reply, shape, entry),
    ),
  )
}

function addCreateRoute<Item, Input>(resource: RoutedResource<Item, Input>): void {
  const { app, shape, service } = resource
  const schema = {
    operationId: operationId('create', shape),
    summary: `Create ${withArticle(shape)}`,
    tags: [shape.many],
    ...testQuery(shape),
    body: Type.Unsafe<Input>(shape.input),
    response: {
      ...(shape.updatesExisting === true ? { 200: withHeaders(wrappedSchema(shape), 'ETag') } : {}),
      201: withHeaders(wrappedSchema(shape), 'ETag', 'Location'),
    },
  }
  const config = { ...configOf(shape, 'create'), isExpensive: 'if large' as const }
  const errorHandler = withServiceFaults(service.findFaults, resource.callers)
  const options = { schema, config, errorHandler }
  app.post(`${shape.path}/new`, options, async (request, reply) => {
    const context = readSaveContext(resource, { request, reply, isAtomic: true })
    const [result] = await service.create([request.body as Input], context)
    return sendEntry(reply, shape, unwrap(result))
  })
}

function addEditRoute<Item, Input>(
  resource: RoutedResource<Item, Input>,
  method: 'PATCH' | 'PUT',
): void {
  const { app, shape, service } = resource
  const isPatch = method === 'PATCH'
  const { change } = examplesOf(shape)
  const edited = withHeaders(wrappedSchema(shape), 'ETag')
  const created = withHeaders(wrappedSchema(shape), 'ETag', 'Location')
  const schema = {
    operationId: operationId(isPatch ? 'edit' : 'replace', shape),
    summary: `${isPatch ? 'Change' : 'Replace'} ${withArticle(shape)}`,
    description: isPatch
      ? 'Fields that you leave out keep their values.'
      : 'Fields that you leave out return to their defaults. A missing id creates a record under a new id (201).',
    tags: [shape.many],
    params: pathOfOne(shape),
    ...testQuery(shape),
    headers: ifMatchHeaders,
    body: isPatch ? Type.Partial(shape.input, { examples: [change] }) : shape.input,
    response: { 200: edited, ...(isPatch ? {} : { 201: created }) },
  }
  const config = { ...configOf(shape, 'edit'), isExpensive: 'if large' as const }
  const idOf = ({ params }: FastifyRequest) => readId((params as { id: string }).id)
  app.route({
    method,
    url: `${shape.path}/:id/edit`,
    schema,
    config,
    errorHandler: withServiceFaults(service.findFaults, resource.callers, idOf),
    handler: async (request, reply) => {
      const context = readSaveContext(resource, { request, reply, isAtomic: true })
      const target = { id: idOf(request), seen: readIfMatch(request) }
      const values = request.body as Input
      const change = { ...target, mode: isPatch ? ('patch' as const) : ('put' as const), values }
      const [result] = await service.edit([change], context)
      return sendEntry(reply, shape, unwrap(result))
    },
  })
}

function removalSchema(shape: ResourceShape, hasDeleted: boolean) {
  const { item: example } = examplesOf(shape)
  const removed = Type.Object({
    success: Type.Literal(true),
    message: Type.String({ examples: [`${shape.label} ${example.id} was deleted.`] }),
  })
  const removedItem = Type.Unsafe<object>({
    type: 'object',
    additionalProperties: true,
    description:
      'The record as it was; its id is null. Callers who may not view it get no other member.',
    examples: [{ ...example, id: null }],
  })
  return {
    operationId: operationId('delete', shape),
    summary: `Delete ${withArticle(shape)}`,
    tags: [shape.many],
    description: hasDeleted
      ? 'It can be restored for some time (`MAILYARD_DELETED_DAYS`), unless `erase=1` deletes it for good.'
      : 'It cannot be restored.',
    errors: [409 as const],
    params: pathOfOne(shape),
    querystring: Type.Unsafe<Record<string, unknown>>(Type.Object(removalParameters(hasDeleted))),
    headers: ifMatchHeaders,
    response: {
      200: shape.isBare
        ? removed
        : Type.Object({ ...removed.properties, [shape.one]: removedItem }),
    },
  }
}

function addRemoveRoute<Item, Input>(resource: RoutedResource<Item, Input>): void {
  const { app, shape, service, callers } = resource
  const hasDeleted = service.deleted !== undefined
  const schema = removalSchema(shape, hasDeleted)
  const config = { ...configOf(shape, 'delete'), isExpensive: shape.searchesUses === true }
  app.delete(`${shape.path}/:id/delete`, { schema, config }, async (request, reply) => {
    const id = readId(request.params.id)
    const removal = readRemoval(request.query, hasDeleted)
    const caller = callers.of(request)
    const context = { caller, isAtomic: true, ...removal }
    const [result] = await service.remove([{ id, seen: readIfMatch(request) }], context)
    const { item, consequence } = unwrap(result)
    const verb = removal.isDryRun ? 'would be' : 'was'
    const message = [
      `${shape.label} ${id} ${verb} deleted${removal.isErasing ? ' for good' : ''}.`,
      consequence ?? [],
    ]
    const answer = { success: true as const, message: message.flat().join(' ') }
    // As in Mautic: the record as it was, without its id.
    const record = { ...(mayView(caller, shape) ? item : {}), id: removal.isDryRun ? id : null }
    return reply.send(shape.isBare ? answer : { ...answer, [shape.one]: record })
  })
}

/** The schema of one record as it is sent. */
function wrappedSchema({ isBare, one, item }: ResourceShape): TSchema {
  return isBare ? item : Type.Object({ [one]: item })
}

function sendEntry<Item>(
  reply: FastifyReply,
  shape: ResourceShape,
  { item, revision, isNew }: Entry<Item>,
): FastifyReply {
  reply.header('etag', entityTag(revision))
  if (isNew) {
    const path = `${shape.path}/${(item as { id: number }).id}`
    reply.code(201).header('location', clientPath(reply.request, path))
  }
  return reply.send(shape.isBare ? item : { [shape.one]: item })
}
