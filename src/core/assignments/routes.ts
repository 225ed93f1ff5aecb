import Type, { type TSchema } from 'typebox'
import { done } from '../../kit/batch-item-result.ts'
import type { Caller } from '../../kit/caller.ts'
import {
  batchSizeBytesMax,
  type Callers,
  createCheck,
  createQueryReader,
  createValidator,
  type HttpApp,
  type HttpRequest,
  idParameter,
  type Query,
  readId,
} from '../../platform/http/index.ts'
import {
  addPagedRoute,
  batchAnswer,
  batchAnswerMembers,
  readItems,
  runItems,
  sendBatch,
  validateItems,
} from '../../platform/resource/index.ts'
import type { Storage } from '../../platform/storage/index.ts'
import { chooseMautic, type MauticFinder, mauticParameter } from '../mautic/index.ts'
import { AssignmentList } from './lists.ts'
import type { AssignmentEntry, Assignments } from './service.ts'
import { type AssignmentInput, type TargetShape, targets } from './targets.ts'

/** The query parameters that `AssignmentCallers` reads. */
const namespaceParameters = { mautic: mauticParameter }
/** They, as the query of a route that has no other. */
const namespaceQuery = Type.Unsafe<Record<string, unknown>>(Type.Object(namespaceParameters))

const tag = 'multipleTransports'
const permissionsOf = (level: 'view' | 'edit', { kind }: TargetShape) =>
  [`multipleTransports:${level}`, `${kind}:view`] as const

export interface AssignmentRouteParts {
  assignments: Assignments
  storage: Storage
  mautics: MauticFinder
  callers: Callers
}

/** Adds `/api/multipleTransport/transportEmail/{emailId}` and `…/transportUser/{userId}`, their lists and batches. */
export function addAssignmentRoutes(app: HttpApp, parts: AssignmentRouteParts): void {
  const { assignments, storage, mautics } = parts
  const callers = createAssignmentCallers(parts.callers, mautics)
  const routes = [targets.email, targets.user].map((shape) => {
    const list = new AssignmentList(storage, shape.kind)
    return { shape, common: { list, assignments, callers } }
  })
  for (const { shape, common } of routes) addListRoute(app, shape, common)
  for (const { shape, common } of routes) addBatchRoute(app, shape, common)
  for (const { shape, common } of routes) addSingleRoutes(app, shape, common)
}

/** Dependencies of the routes of emails, or of those of users. */
interface ShapeParts {
  list: AssignmentList
  assignments: Assignments
  callers: AssignmentCallers
}

/** Finds the caller of a request about assignments, in the namespace that `?mautic=` chooses. */
interface AssignmentCallers {
  of(request: HttpRequest): Promise<Caller>
}

function createAssignmentCallers(callers: Callers, mautics: MauticFinder): AssignmentCallers {
  return {
    async of(request) {
      const caller = callers.of(request)
      const read = createQueryReader(request.query as Query)
      const mauticId = read.number('mautic')
      read.check()
      const mautic = await chooseMautic(mauticId, { caller, mautics })
      return { ...caller, mautic }
    },
  }
}

function addListRoute(app: HttpApp, shape: TargetShape, { list, callers }: ShapeParts): void {
  const listed = {
    path: shape.path,
    many: `transport${shape.label}s`,
    label: `${shape.kind} assignment`,
    tag,
    permissions: permissionsOf('view', shape),
    listLimit: 30,
    item: shape.item,
    fields: shape.fields,
    parameters: shape.parameters,
    query: namespaceParameters,
  }
  addPagedRoute(app, listed, { service: list, callers })
}

/** Adds the routes of one email or user: get, assign and unassign. */
function addSingleRoutes(
  app: HttpApp,
  shape: TargetShape,
  { assignments, callers }: ShapeParts,
): void {
  const { kind, label, one, idName, input, answer } = shape
  const url = `${shape.path}/:${idName}`
  const common = {
    tags: [tag],
    params: Type.Object({ [idName]: idParameter(`Id of the ${kind}.`) }),
    querystring: namespaceQuery,
    response: { 200: Type.Unsafe<object>(answer) },
  }
  const idOf = ({ params }: HttpRequest) => readId((params as Record<string, string>)[idName] ?? '')
  const getting = {
    operationId: `get${label}Assignment`,
    summary: `Get the transport of ${one}`,
  }
  const viewing = { permission: permissionsOf('view', shape) }
  app.get(url, { config: viewing, schema: { ...common, ...getting } }, async (request) => {
    const caller = await callers.of(request)
    return assignments.get(kind, idOf(request), caller)
  })
  const assign = async (request: HttpRequest, assignment: AssignmentInput) => {
    const caller = await callers.of(request)
    return assignments.set(kind, { id: idOf(request), ...assignment }, caller)
  }
  const editing = { permission: permissionsOf('edit', shape) }
  const assigning = {
    operationId: `assign${label}Transport`,
    summary: `Assign a transport to ${one}`,
    body: Type.Unsafe<AssignmentInput>(input),
  }
  app.post(url, { config: editing, schema: { ...common, ...assigning } }, (request) =>
    assign(request, request.body),
  )
  const clearing = {
    operationId: `unassign${label}Transport`,
    summary: `Unassign the transport of ${one}`,
  }
  app.delete(url, { config: editing, schema: { ...common, ...clearing } }, (request) =>
    assign(request, { transportId: null }),
  )
}

/** Adds the route that assigns transports to many emails or users. */
function addBatchRoute(
  app: HttpApp,
  shape: TargetShape,
  { list, assignments, callers }: ShapeParts,
): void {
  const { kind, label, item, entry } = shape
  const batch = { many: `transport${label}s`, item }
  const check = createCheck(entry)
  const schema = {
    operationId: `batchAssign${label}Transports`,
    summary: `Assign transports to many ${kind}s`,
    description: 'At most 10,000 items. A failing item stops no other.',
    tags: [tag],
    querystring: namespaceQuery,
    body: Type.Array(entry, { examples: [(entry as { examples?: unknown[] }).examples] }),
    response: { 200: Type.Object(batchAnswerMembers(batch, 200)) },
  }
  app.post(
    `${shape.path}/batch`,
    {
      schema,
      config: { permission: permissionsOf('edit', shape), isExpensive: true },
      bodyLimit: batchSizeBytesMax,
      validatorCompiler: ({ schema: part, httpPart }) =>
        httpPart === 'body' ? () => true : createValidator(part as TSchema, httpPart),
    },
    async (request, reply) => {
      const entries = await validateItems<AssignmentEntry>(readItems(request.body), check)
      const caller = await callers.of(request)
      const results = await runItems(entries, false, (valid) =>
        assignments.assign(valid, { kind, caller }),
      )
      const ids = results.flatMap((result) => (result.ok ? (result.value ?? []) : []))
      const items = await list.findMany(ids, caller)
      const answers = results.map((result) =>
        result.ok ? done({ item: items.get(result.value ?? 0) ?? null }) : result,
      )
      return sendBatch(reply, batchAnswer(batch, answers))
    },
  )
}
