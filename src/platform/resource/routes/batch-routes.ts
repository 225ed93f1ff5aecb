import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import Type, { type TSchema } from 'typebox'
import {
  batchSizeBytesMax,
  createCheck,
  createValidator,
  isAsked,
  recordId,
  text,
  writeInPieces,
} from '../../http/index.ts'
import {
  configOf,
  examplesOf,
  operationId,
  type ResourceShape,
  type RoutedResource,
} from '../resource-shape.ts'
import { type BatchAnswer, batchAnswer, batchAnswerSchema } from './batch-answer.ts'
import {
  readFields,
  readIds,
  readItems,
  readShownFields,
  runItems,
  validateItems,
} from './batch-request.ts'
import { readSaveContext, testParameter } from './if-test-passes.ts'
import { readRemoval, removalParameters } from './removal-parameters.ts'
import { createItemValidator } from './validate-entry.ts'

/** Adds `POST /batch/new`, `PATCH` and `PUT /batch/edit`, `DELETE /batch/delete?ids=1,2`. */
export function addBatchRoutes<Item, Input>(resource: RoutedResource<Item, Input>): void {
  for (const method of ['POST', 'PATCH', 'PUT'] as const) addBatchSaveRoute(resource, method)
  addBatchRemoveRoute(resource)
}

const verbs = { POST: 'Create', PATCH: 'Edit', PUT: 'Replace' } as const

function addBatchSaveRoute<Item, Input>(
  resource: RoutedResource<Item, Input>,
  method: keyof typeof verbs,
): void {
  const { app, shape, service } = resource
  const isCreation = method === 'POST'
  const mode = method === 'PATCH' ? 'patch' : 'put'
  const { item: first, inputs, change } = examplesOf(shape)
  const { properties } = mode === 'patch' ? Type.Partial(shape.input) : shape.input
  const item = isCreation ? shape.input : Type.Object({ id: recordId('The id.'), ...properties })
  const edited = { id: first.id, ...(mode === 'patch' ? change : (inputs[0] as object)) }
  const check = createCheck(item)
  app.route({
    ...batchRoute(shape, {
      verb: verbs[method],
      status: isCreation ? 201 : 200,
      item,
      example: isCreation ? inputs[1] : edited,
      parameters: testParameter(shape, 'item'),
    }),
    method,
    url: `${shape.path}/batch/${isCreation ? 'new' : 'edit'}`,
    config: { ...configOf(shape, isCreation ? 'create' : 'edit'), isExpensive: true },
    handler: async (request, reply) => {
      const isAtomic = isAsked(request.query, 'atomic')
      const fields = readFields(request.query, shape)
      const context = readSaveContext(resource, { request, reply, isAtomic })
      const items = await validateItems<Input & { id: number }>(
        readItems(request.body),
        createItemValidator(check, service.findFaults, context.caller),
      )
      const results = await runItems(items, isAtomic, (good) =>
        isCreation
          ? service.create(good, context)
          : service.edit(
              good.map((values) => ({ id: values.id, mode, values })),
              context,
            ),
      )
      return sendBatch(reply, batchAnswer(shape, results, { isAtomic, isCreation, fields }))
    },
  })
}

function addBatchRemoveRoute<Item, Input>(resource: RoutedResource<Item, Input>): void {
  const { app, shape, service, callers } = resource
  app.route({
    ...batchRoute(shape, {
      verb: 'Delete',
      status: 200,
      parameters: removalParameters(service.deleted !== undefined),
    }),
    method: 'DELETE',
    url: `${shape.path}/batch/delete`,
    config: { ...configOf(shape, 'delete'), isExpensive: true },
    handler: async (request, reply) => {
      const caller = callers.of(request)
      const isAtomic = isAsked(request.query, 'atomic')
      const fields = readShownFields(request.query, shape, caller)
      const removal = readRemoval(request.query, service.deleted !== undefined)
      const context = { caller, isAtomic, ...removal }
      const removals = readIds(request.query.ids).map((id) => ({ id }))
      const results = await service.remove(removals, context)
      const { isDryRun } = removal
      return sendBatch(reply, batchAnswer(shape, results, { isAtomic, fields, isDryRun }))
    },
  })
}

const validateQueryOnly = ({ schema, httpPart }: { schema: TSchema; httpPart?: string }) =>
  httpPart === 'querystring' ? createValidator(schema, httpPart) : () => true

/** What differs between the routes of batches. */
interface BatchRoute {
  verb: 'Create' | 'Edit' | 'Replace' | 'Delete' | 'Restore'
  status: 200 | 201
  item?: TSchema
  example?: unknown
  /** More query parameters. */
  parameters?: Record<string, TSchema>
}

/** What the routes of batches have in common. The handler validates the items one by one. Without a body they name ids. */
export function batchRoute(
  shape: ResourceShape,
  { verb, status, item, example, parameters: more = {} }: BatchRoute,
) {
  const ids = Type.String({
    description: 'The ids, separated by commas. `ids[]=1&ids[]=2` is understood too.',
    examples: [String(examplesOf(shape).secondId)],
  })
  const parameters = Type.Object({
    ...(item === undefined ? { ids } : {}),
    atomic: text('`1`: all or nothing. `0`, the default: an item that fails stops no other.'),
    fields: text('The members of each item that the answer keeps: `id,name`. All, if left out.'),
    ...more,
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

/** Batches of up to this many items are answered in one piece. */
const sentWholeMax = 100

/** Sends the answer to a batch. Items that lack members do not fit the schema that serializes whole ones. */
export function sendBatch(
  reply: FastifyReply,
  { status, body, isPartial }: BatchAnswer,
): FastifyReply {
  const { statusCodes } = body
  reply.code(status)
  const isShort = Array.isArray(statusCodes) && statusCodes.length <= sentWholeMax
  if (isShort && !isPartial) return reply.send(body)
  reply.type('application/json; charset=utf-8')
  return reply.send(Readable.from(writeInPieces(body), { objectMode: false }))
}
