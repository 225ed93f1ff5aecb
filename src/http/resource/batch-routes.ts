import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import Type, { type TSchema } from 'typebox'
import { done } from '../../kit/outcome.ts'
import type { EntryChange } from '../../kit/resource.ts'
import { batchSizeBytesMax } from '../body-sizes.ts'
import type { HttpApp } from '../http-app.ts'
import { isAsked } from '../list/query-flag.ts'
import { recordId } from '../schema-parts.ts'
import { createValidator } from '../validation.ts'
import { writeInPieces } from '../write-in-pieces.ts'
import { type BatchAnswer, batchAnswer, batchAnswerSchema } from './batch-answer.ts'
import { readFields } from './batch-fields.ts'
import { checkItems, readIds, readItems, runItems } from './batch-items.ts'
import { createEntryCheck } from './entry-check.ts'
import type { ResourceShape } from './resource.ts'
import { examplesOf, operationId } from './resource-examples.ts'
import type { ResourceParts } from './single-routes.ts'

/** `POST /batch/new`, `PATCH` and `PUT /batch/edit`, `DELETE /batch/delete?ids=1,2`. */
export function addBatchRoutes<Item extends { id: number }, Input>(
  app: HttpApp,
  shape: ResourceShape,
  parts: ResourceParts<Item, Input>,
): void {
  addBatchCreateRoute(app, shape, parts)
  addBatchEditRoute(app, shape, { ...parts, method: 'PATCH' })
  addBatchEditRoute(app, shape, { ...parts, method: 'PUT' })
  addBatchRemoveRoute(app, shape, parts)
}

function addBatchCreateRoute<Item, Input>(
  app: HttpApp,
  shape: ResourceShape,
  { service, callers }: ResourceParts<Item, Input>,
): void {
  const check = createEntryCheck(shape.input, service)
  app.route({
    ...batchRoute(shape, {
      verb: 'Create',
      status: 201,
      item: shape.input,
      example: examplesOf(shape).inputs[1],
    }),
    method: 'POST',
    url: `${shape.path}/batch/new`,
    config: { permission: `${shape.area}:create` as const },
    handler: async (request, reply) => {
      const isAtomic = isAsked(request.query, 'atomic')
      const fields = readFields(request.query, shape)
      const context = { caller: callers.of(request), isAtomic }
      const inputs = await checkItems<Input>(readItems(request.body), check)
      const outcomes = await runItems(inputs, isAtomic, (good) => service.create(good, context))
      return sendBatch(reply, batchAnswer(shape, outcomes, { isAtomic, isCreation: true, fields }))
    },
  })
}

function addBatchEditRoute<Item, Input>(
  app: HttpApp,
  shape: ResourceShape,
  { service, callers, method }: ResourceParts<Item, Input> & { method: 'PATCH' | 'PUT' },
): void {
  const mode = method === 'PATCH' ? 'patch' : 'put'
  const { properties } = mode === 'patch' ? Type.Partial(shape.input) : shape.input
  const item = Type.Object({ id: recordId('The id.'), ...properties })
  const check = createEntryCheck(item, service)
  const { item: example, inputs, change } = examplesOf(shape)
  app.route({
    ...batchRoute(shape, {
      verb: mode === 'patch' ? 'Update' : 'Replace',
      status: 200,
      item,
      example: { id: example.id, ...(mode === 'patch' ? change : (inputs[0] as object)) },
    }),
    method,
    url: `${shape.path}/batch/edit`,
    config: { permission: `${shape.area}:edit` as const },
    handler: async (request, reply) => {
      const isAtomic = isAsked(request.query, 'atomic')
      const fields = readFields(request.query, shape)
      const context = { caller: callers.of(request), isAtomic }
      const items = await checkItems<Input & { id: number }>(readItems(request.body), check)
      const changes = items.map((each) =>
        each.ok ? done<EntryChange<Input>>({ id: each.value.id, mode, values: each.value }) : each,
      )
      const outcomes = await runItems(changes, isAtomic, (good) => service.edit(good, context))
      return sendBatch(reply, batchAnswer(shape, outcomes, { isAtomic, isCreation: false, fields }))
    },
  })
}

function addBatchRemoveRoute<Item, Input>(
  app: HttpApp,
  shape: ResourceShape,
  { service, callers }: ResourceParts<Item, Input>,
): void {
  app.route({
    ...batchRoute(shape, { verb: 'Delete', status: 200 }),
    method: 'DELETE',
    url: `${shape.path}/batch/delete`,
    config: { permission: `${shape.area}:delete` as const },
    handler: async (request, reply) => {
      const isAtomic = isAsked(request.query, 'atomic')
      const fields = readFields(request.query, shape)
      const context = { caller: callers.of(request), isAtomic }
      const removals = readIds(request.query.ids).map((id) => ({ id }))
      const outcomes = await service.remove(removals, context)
      return sendBatch(reply, batchAnswer(shape, outcomes, { isAtomic, isCreation: false, fields }))
    },
  })
}

const validateQueryOnly = ({ schema, httpPart }: { schema: TSchema; httpPart?: string }) =>
  httpPart === 'querystring' ? createValidator(schema, httpPart) : () => true

const atomicParameter = Type.Optional(
  Type.String({
    description: '`1`: all or nothing. `0`, the default: an item that fails stops no other.',
  }),
)
const fieldsParameter = Type.Optional(
  Type.String({
    description: 'The members of each item that the answer keeps: `id,name`. All, if left out.',
  }),
)
const idsParameter = (example: number) =>
  Type.String({
    description: 'The ids, separated by commas. `ids[]=1&ids[]=2` is understood too.',
    examples: [String(example)],
  })

/** What differs between the routes of batches. */
interface BatchRoute {
  verb: 'Create' | 'Update' | 'Replace' | 'Delete'
  status: 200 | 201
  item?: TSchema
  example?: unknown
}

/** What the routes of batches have in common. Their items are checked one by one, not as a whole. */
function batchRoute(shape: ResourceShape, { verb, status, item, example }: BatchRoute) {
  const parameters = Type.Object({
    ...(item === undefined ? { ids: idsParameter(examplesOf(shape).secondId) } : {}),
    atomic: atomicParameter,
    fields: fieldsParameter,
  })
  return {
    bodyLimit: batchSizeBytesMax,
    validatorCompiler: validateQueryOnly,
    schema: {
      operationId: operationId(`batch${verb}`, shape, 's'),
      summary: `${verb} many ${shape.label}s`,
      description:
        'At most 10,000 items. A failing item stops no other, unless `atomic=1` asks for all or nothing.',
      tags: [shape.many],
      errors: [409 as const],
      querystring: Type.Unsafe<{ atomic?: unknown; fields?: unknown; ids?: unknown }>(parameters),
      ...(item === undefined ? {} : { body: Type.Array(item, { examples: [[example]] }) }),
      response: { [status]: batchAnswerSchema(shape, status) },
    },
  }
}

/** So many items are answered in one piece. */
const sentWholeMax = 100

/** Items without all of their members do not fit the schema that serializes whole ones. */
function sendBatch(reply: FastifyReply, { status, body, isPartial }: BatchAnswer): FastifyReply {
  const { statusCodes } = body
  reply.code(status)
  const isShort = Array.isArray(statusCodes) && statusCodes.length <= sentWholeMax
  if (isShort && !isPartial) return reply.send(body)
  reply.type('application/json; charset=utf-8')
  return reply.send(Readable.from(writeInPieces(body), { objectMode: false }))
}
