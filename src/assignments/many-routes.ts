import Type, { type TObject, type TSchema } from 'typebox'
import {
  batchSizeBytesMax,
  createCheck,
  createValidator,
  type HttpApp,
  type RoutePermission,
} from '../http/index.ts'
import type { BatchItemResult } from '../kit/batch-item-result.ts'
import type { Caller } from '../kit/caller.ts'
import {
  addPagedRoute,
  errorsOf,
  errorsSchema,
  type ListShape,
  noneSucceeded,
  readItems,
  runItems,
  sendBatch,
  statusCodeOf,
  validateItems,
} from '../resource/index.ts'
import type { AssignMany } from './assign-many.ts'
import {
  type AssignmentCallers,
  namespaceParameters,
  namespaceQuery,
} from './assignment-callers.ts'
import {
  emailListFields,
  emailListParameters,
  type openAssignmentLists,
  userListFields,
  userListParameters,
} from './lists.ts'
import {
  emailAssignmentEntry,
  emailAssignmentItem,
  userAssignmentEntry,
  userAssignmentItem,
} from './schema.ts'
import type { AssignmentCaller } from './service.ts'

/** Dependencies of the routes for many assignments. */
export interface ManyAssignmentParts {
  lists: ReturnType<typeof openAssignmentLists>
  assignMany: AssignMany
  callers: AssignmentCallers
}

const tag = 'multipleTransports'

const emails = {
  path: '/api/multipleTransport/transportEmail',
  many: 'transportEmails',
  item: emailAssignmentItem,
}

const users = {
  path: '/api/multipleTransport/transportUser',
  many: 'transportUsers',
  item: userAssignmentItem,
}

const emailList: ListShape = {
  ...emails,
  label: 'email assignment',
  tag,
  permissions: ['multipleTransports:view', 'email:view'],
  listLimit: 30,
  fields: emailListFields,
  parameters: emailListParameters,
  query: namespaceParameters,
}

const userList: ListShape = {
  ...users,
  label: 'user assignment',
  tag,
  permissions: ['multipleTransports:view', 'user:view'],
  listLimit: 30,
  fields: userListFields,
  parameters: userListParameters,
  query: namespaceParameters,
}

/** Adds the lists of emails and users with their transports, and the batches that assign them. */
export function addManyAssignmentRoutes(app: HttpApp, parts: ManyAssignmentParts): void {
  const { lists, assignMany, callers } = parts
  addPagedRoute(app, emailList, { service: lists.emails, callers })
  addPagedRoute(app, userList, { service: lists.users, callers })
  addBatchRoute(app, {
    ...emails,
    operationId: 'batchAssignEmailTransports',
    summary: 'Assign transports to many emails',
    permissions: ['multipleTransports:edit', 'email:view'],
    entry: emailAssignmentEntry,
    callers,
    assign: (entries, caller) => assignMany.toEmails(entries as never, caller),
    findMany: (ids, caller) => lists.emails.findMany(ids, caller),
  })
  addBatchRoute(app, {
    ...users,
    operationId: 'batchAssignUserTransports',
    summary: 'Assign transports to many users',
    permissions: ['multipleTransports:edit', 'user:view'],
    entry: userAssignmentEntry,
    callers,
    assign: (entries, caller) => assignMany.toUsers(entries as never, caller),
    findMany: (ids, caller) => lists.users.findMany(ids, caller),
  })
}

/** A batch of assignments. */
interface BatchShape {
  path: string
  many: string
  item: TSchema
  operationId: string
  summary: string
  permissions: readonly RoutePermission[]
  entry: TObject
  /** Returns the id that each entry changed. */
  assign: (
    entries: readonly object[],
    caller: AssignmentCaller,
  ) => Promise<BatchItemResult<number>[]>
  findMany: (ids: readonly number[], caller: Caller) => Promise<ReadonlyMap<number, object>>
  callers: AssignmentCallers
}

function addBatchRoute(app: HttpApp, shape: BatchShape): void {
  const { path, many, item, entry, permissions, operationId, summary } = shape
  const check = createCheck(entry)
  const schema = {
    operationId,
    summary,
    description: 'At most 10,000 items. A failing item stops no other.',
    tags: [tag],
    querystring: namespaceQuery,
    body: Type.Array(entry, { examples: [(entry as { examples?: unknown[] }).examples] }),
    response: {
      200: Type.Object({
        [many]: Type.Array(Type.Unsafe({ anyOf: [item, { type: 'null' }] })),
        statusCodes: Type.Array(Type.Integer(), { examples: [[200]] }),
        errors: errorsSchema,
      }),
    },
  }
  app.post(
    `${path}/batch`,
    {
      schema,
      config: { permission: permissions, isExpensive: true },
      bodyLimit: batchSizeBytesMax,
      validatorCompiler: ({ schema: part, httpPart }) =>
        httpPart === 'body' ? () => true : createValidator(part as TSchema, httpPart),
    },
    async (request, reply) => {
      const entries = await validateItems<object>(readItems(request.body), check)
      const caller = await shape.callers.of(request)
      const results = await runItems(entries, false, (good) => shape.assign(good, caller))
      const changed = results.flatMap((result) => (result.ok ? (result.value ?? []) : []))
      const items = await shape.findMany(changed, caller)
      const failures = results.filter(({ ok }) => !ok).length
      const hasFailed = failures === results.length && failures > 0
      const body = {
        ...(hasFailed ? { success: false, error: noneSucceeded(failures) } : {}),
        [many]: results.map((result) =>
          result.ok && result.value !== undefined ? (items.get(result.value) ?? null) : null,
        ),
        statusCodes: results.map((result) => statusCodeOf(result, () => false)),
        errors: errorsOf(results),
      }
      return sendBatch(reply, { status: hasFailed ? 400 : 200, body, isPartial: false })
    },
  )
}
