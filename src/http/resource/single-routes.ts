import type { FastifyReply } from 'fastify'
import Type, { type TSchema } from 'typebox'
import { andThen } from '../../kit/eventual.ts'
import { unwrap } from '../../kit/outcome.ts'
import type { Entry, ResourceService } from '../../kit/resource.ts'
import type { Callers } from '../callers.ts'
import type { HttpApp } from '../http-app.ts'
import { createValidator } from '../validation.ts'
import { entityTag, ifMatchHeaders, readIfMatch } from './entity-tag.ts'
import { createEntryCheck, type EntryCheck } from './entry-check.ts'
import { idParameters, readId } from './record-id.ts'
import type { ResourceShape } from './resource.ts'

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
    summary: `Get one ${shape.label}`,
    tags: [shape.many],
    params: idParameters,
    response: { 200: wrappedSchema(shape) },
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
    summary: `Create a ${shape.label}`,
    tags: [shape.many],
    body: Type.Unsafe<Input>(shape.input),
    response: {
      ...(shape.updatesExisting === true ? { 200: wrappedSchema(shape) } : {}),
      201: wrappedSchema(shape),
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
  const schema = {
    summary: isPatch ? `Change a ${shape.label}` : `Replace a ${shape.label}`,
    description: isPatch
      ? 'What is left out stays as it is.'
      : 'What is left out goes back to its default; a missing id makes a new record under a new id.',
    tags: [shape.many],
    params: idParameters,
    headers: ifMatchHeaders,
    body: isPatch ? Type.Partial(shape.input) : shape.input,
    response: { 200: wrappedSchema(shape), ...(isPatch ? {} : { 201: wrappedSchema(shape) }) },
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
  const removed = Type.Object({ success: Type.Literal(true), message: Type.String() })
  const schema = {
    summary: `Delete a ${shape.label} for good`,
    tags: [shape.many],
    params: idParameters,
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
    const { item } = unwrap(outcome)
    const answer = { success: true as const, message: `${shape.label} ${id} was deleted.` }
    // As Mautic has it: the record as it was, without its id.
    return reply.send(shape.isBare ? answer : { ...answer, [shape.one]: { ...item, id: null } })
  })
}

const removedItem = Type.Unsafe<object>({ type: 'object', additionalProperties: true })

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
