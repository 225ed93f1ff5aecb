import type { FastifyReply } from 'fastify'
import Type, { type TSchema } from 'typebox'
import { andThen } from '../../kit/eventual.ts'
import { unwrap } from '../../kit/outcome.ts'
import type { Entry, ResourceService } from '../../kit/resource.ts'
import type { Callers } from '../callers.ts'
import type { HttpApp } from '../http-app.ts'
import { withHeaders } from '../openapi/headers.ts'
import { createValidator } from '../validation.ts'
import { entityTag, ifMatchHeaders, readIfMatch } from './entity-tag.ts'
import { createEntryCheck, type EntryCheck } from './entry-check.ts'
import { readId } from './record-id.ts'
import type { ResourceShape } from './resource.ts'
import { examplesOf, operationId, pathOfOne, withArticle } from './resource-examples.ts'

/** What the routes of a resource are made with. */
export interface ResourceParts<Item, Input> {
  service: ResourceService<Item, Input>
  callers: Callers
}

/** `GET /{id}`, `POST /new`, `PATCH` and `PUT /{id}/edit`, `DELETE /{id}/delete`. */
export function addSingleRoutes<Item extends { id: number }, Input>(
  app: HttpApp,
  shape: ResourceShape,
  parts: ResourceParts<Item, Input>,
): void {
  addReadRoute(app, shape, parts)
  addCreateRoute(app, shape, parts)
  addEditRoute(app, shape, { ...parts, method: 'PATCH' })
  addEditRoute(app, shape, { ...parts, method: 'PUT' })
  addRemoveRoute(app, shape, parts)
}

function addReadRoute<Item, Input>(
  app: HttpApp,
  shape: ResourceShape,
  { service, callers }: ResourceParts<Item, Input>,
): void {
  const schema = {
    operationId: operationId('get', shape),
    summary: `Get ${withArticle(shape)}`,
    tags: [shape.many],
    params: pathOfOne(shape),
    response: { 200: withHeaders(wrappedSchema(shape), 'ETag') },
  }
  const config = { permission: `${shape.area}:view` as const }
  app.get(`${shape.path}/:id`, { schema, config }, (request, reply) =>
    andThen(service.get(readId(request.params.id), callers.of(request)), (entry) =>
      sendEntry(reply, shape, entry),
    ),
  )
}

function addCreateRoute<Item extends { id: number }, Input>(
  app: HttpApp,
  shape: ResourceShape,
  { service, callers }: ResourceParts<Item, Input>,
): void {
  const schema = {
    operationId: operationId('create', shape),
    summary: `Create ${withArticle(shape)}`,
    tags: [shape.many],
    body: Type.Unsafe<Input>(shape.input),
    response: {
      ...(shape.updatesExisting === true ? { 200: withHeaders(wrappedSchema(shape), 'ETag') } : {}),
      201: withHeaders(wrappedSchema(shape), 'ETag', 'Location'),
    },
  }
  const config = { permission: `${shape.area}:create` as const }
  const check = createEntryCheck(shape.input, service)
  const options = { schema, config, validatorCompiler: validateAllButBody }
  app.post(`${shape.path}/new`, options, async (request, reply) => {
    const context = { caller: callers.of(request), isAtomic: true }
    const values = await checkValues<Input>(request.body, check)
    const [outcome] = await service.create([values], context)
    return sendEntry(reply, shape, unwrap(outcome))
  })
}

function addEditRoute<Item extends { id: number }, Input>(
  app: HttpApp,
  shape: ResourceShape,
  { service, callers, method }: ResourceParts<Item, Input> & { method: 'PATCH' | 'PUT' },
): void {
  const isPatch = method === 'PATCH'
  const { change } = examplesOf(shape)
  const edited = withHeaders(wrappedSchema(shape), 'ETag')
  const created = withHeaders(wrappedSchema(shape), 'ETag', 'Location')
  const schema = {
    operationId: operationId(isPatch ? 'update' : 'replace', shape),
    summary: `${isPatch ? 'Change' : 'Replace'} ${withArticle(shape)}`,
    description: isPatch
      ? 'Fields that you leave out keep their values.'
      : 'Fields that you leave out return to their defaults. A missing id creates a record under a new id (201).',
    tags: [shape.many],
    params: pathOfOne(shape),
    headers: ifMatchHeaders,
    body: isPatch ? Type.Partial(shape.input, { examples: [change] }) : shape.input,
    response: { 200: edited, ...(isPatch ? {} : { 201: created }) },
  }
  const config = { permission: `${shape.area}:edit` as const }
  const check = createEntryCheck(schema.body, service)
  const url = `${shape.path}/:id/edit`
  app.route({
    method,
    url,
    schema,
    config,
    validatorCompiler: validateAllButBody,
    handler: async (request, reply) => {
      const context = { caller: callers.of(request), isAtomic: true }
      const target = { id: readId(request.params.id), seen: readIfMatch(request) }
      const values = await checkValues<Input>(request.body, check, target.id)
      const change = { ...target, mode: isPatch ? ('patch' as const) : ('put' as const), values }
      const [outcome] = await service.edit([change], context)
      return sendEntry(reply, shape, unwrap(outcome))
    },
  })
}

/** The handler checks the body, which asks the service what it knows of the values. */
const validateAllButBody = ({ schema, httpPart }: { schema: TSchema; httpPart?: string }) =>
  httpPart === 'body' ? () => true : createValidator(schema, httpPart)

async function checkValues<Values>(body: unknown, check: EntryCheck, id?: number): Promise<Values> {
  const error = await check(body, id)
  if (error !== undefined) throw error
  return body as Values
}

function addRemoveRoute<Item, Input>(
  app: HttpApp,
  shape: ResourceShape,
  { service, callers }: ResourceParts<Item, Input>,
): void {
  const { item: example } = examplesOf(shape)
  const removed = Type.Object({
    success: Type.Literal(true),
    message: Type.String({ examples: [`${shape.label} ${example.id} was deleted.`] }),
  })
  const removedItem = Type.Unsafe<object>({
    type: 'object',
    additionalProperties: true,
    description: 'The record as it was; its id is null.',
    examples: [{ ...example, id: null }],
  })
  const schema = {
    operationId: operationId('delete', shape),
    summary: `Delete ${withArticle(shape)} for good`,
    tags: [shape.many],
    params: pathOfOne(shape),
    headers: ifMatchHeaders,
    response: {
      200: shape.isBare
        ? removed
        : Type.Object({ ...removed.properties, [shape.one]: removedItem }),
    },
  }
  const config = { permission: `${shape.area}:delete` as const }
  app.delete(`${shape.path}/:id/delete`, { schema, config }, async (request, reply) => {
    const id = readId(request.params.id)
    const context = { caller: callers.of(request), isAtomic: true }
    const [outcome] = await service.remove([{ id, seen: readIfMatch(request) }], context)
    const { item, consequence } = unwrap(outcome)
    const message = [`${shape.label} ${id} was deleted.`, consequence ?? []].flat().join(' ')
    const answer = { success: true as const, message }
    // As Mautic has it: the record as it was, without its id.
    return reply.send(shape.isBare ? answer : { ...answer, [shape.one]: { ...item, id: null } })
  })
}

/** The schema of one entry as it is sent. */
export function wrappedSchema(shape: ResourceShape, item: TSchema = shape.item): TSchema {
  return shape.isBare ? item : Type.Object({ [shape.one]: item })
}

function sendEntry<Item>(
  reply: FastifyReply,
  shape: ResourceShape,
  { item, revision, isNew }: Entry<Item>,
): FastifyReply {
  reply.header('etag', entityTag(revision))
  if (isNew) {
    reply.code(201).header('location', `${shape.path}/${(item as { id: number }).id}`)
  }
  return reply.send(shape.isBare ? item : { [shape.one]: item })
}
