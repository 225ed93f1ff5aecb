import type { Expression, SqlBool } from 'kysely'
import Type, { type TSchema } from 'typebox'
import { AppError } from '../../kit/app-error.ts'
import { type Caller, callerKey } from '../../kit/caller.ts'
import { formatDate, formatOptionalDate } from '../../kit/iso-date.ts'
import {
  type Callers,
  createQueryReader,
  type HttpApp,
  type HttpRequest,
  idParameter,
  idParameters,
  limitParameter,
  nullable,
  type QueryReader,
  readId,
  text,
} from '../http/index.ts'
import type { Outbox } from './outbox.ts'
import type { OutboxRow } from './table.ts'

const states = ['queued', 'done', 'failed'] as const
const limitMax = 1_000

/** The fields of `OutboxRow` in an answer. `receiver` is who accepts what is sent: `Mautic`. */
export function outboxFields(receiver: string) {
  return {
    state: Type.Enum([...states], {
      description: `\`queued\`: is sent, again and again, until ${receiver} accepts it; \`done\`: ${receiver} has accepted it; \`failed\`: is not sent again automatically.`,
    }),
    attempts: Type.Integer(),
    nextAttempt: nullable(Type.String(), { description: 'When it is due; null if it has ended.' }),
    dateAdded: Type.String({ description: 'When it was queued, or last retried by a person.' }),
    dateEnded: nullable(Type.String()),
    problem: nullable(Type.String(), { description: 'Why the last attempt failed.' }),
  }
}

/** The fields of `outboxFields` of a row. */
export function presentOutboxRow({ state, attempts, due_at: at, created_at, problem }: OutboxRow) {
  const isQueued = state === 'queued'
  return {
    state,
    attempts,
    nextAttempt: formatOptionalDate(isQueued ? at : null),
    dateAdded: formatDate(created_at),
    dateEnded: formatOptionalDate(isQueued ? null : at),
    problem,
  }
}

export interface OutboxRoutes<Row extends OutboxRow> {
  callers: Callers
  outbox: Pick<Outbox<Row>, 'list' | 'remove'>
  /** The last part of the path of the targets: `webhooks`. */
  targets: string
  /** A target, in a sentence: `webhook`. */
  target: string
  /** A row, in paths, answers and sentences: `message`. */
  one: string
  /** The end of the names of the operations: `WebhookMessage`. */
  operation: string
  /** The code of the error for a row that is unknown. */
  notFound: string
  item: TSchema
  present: (row: Row) => object
  descriptions: { list: string; retry: string; remove: string }
  /** A filter of the list besides the state, as SQL over a row. */
  filter?: { schema: Readonly<Record<string, TSchema>>; read: ReadFilter }
  /** Throws an AppError (`not_found`, `forbidden`). */
  checkTarget: (id: number, caller: Caller) => Promise<unknown>
  /** Which rows exist for a caller, as SQL over a row. Default: all. */
  isVisible?: (caller: Caller) => Expression<SqlBool>
  retry: ChangeRow<Row>
}

type ChangeRow<Row> = (
  targetId: number,
  id: number,
  condition: Expression<SqlBool> | undefined,
) => Promise<Row | undefined>

type ReadFilter = (read: QueryReader) => Expression<SqlBool> | undefined

/** Adds the list of the rows of a target, and the routes that send and delete one. */
export function addOutboxRoutes<Row extends OutboxRow>(
  app: HttpApp,
  routes: OutboxRoutes<Row>,
): void {
  const { callers, outbox, one, target, operation, descriptions, filter } = routes
  const many = `${one}s`
  const path = `/api/${routes.targets}/:id/${many}`
  const tags = [routes.targets]
  const list = {
    operationId: `list${operation}s`,
    summary: `List the ${many} to a ${target}, the newest first`,
    description: descriptions.list,
    tags,
    params: idParameters,
    querystring: Type.Unsafe<Record<string, unknown>>(
      Type.Object({
        state: text(`In this state: ${states.join(', ')}.`),
        start: text('How many to skip.'),
        limit: limitParameter(limitMax),
        ...filter?.schema,
      }),
    ),
    response: {
      200: Type.Object({
        total: Type.Integer({ examples: [1] }),
        [many]: Type.Array(routes.item),
      }),
    },
  }
  const mayView = { permission: 'api:view' as const }
  app.get(path, { schema: list, config: mayView }, async (request) => {
    const caller = callers.of(request)
    const targetId = readId(request.params.id)
    await routes.checkTarget(targetId, caller)
    const read = createQueryReader(request.query)
    const query = {
      targetId,
      state: read.word('state', states),
      start: read.number('start') ?? 0,
      limit: read.limit(limitMax),
      conditions: [filter?.read(read), routes.isVisible?.(caller)],
      owner: callerKey(caller),
    }
    read.check()
    const { rows, total } = await outbox.list(query)
    return { total, [many]: rows.map(routes.present) }
  })

  const common = {
    tags,
    params: Type.Object({
      id: idParameter(`The id of the ${target}.`),
      [`${one}Id`]: idParameter(`The id of the ${one}.`),
    }),
    // For callers who may view it.
    response: { 200: Type.Object({ [one]: Type.Optional(routes.item) }) },
  }
  const changeWith = (change: ChangeRow<Row>) => async (request: HttpRequest) => {
    const params = request.params as Readonly<Record<string, string>>
    const targetId = readId(params['id'] ?? '')
    const caller = callers.of(request)
    await routes.checkTarget(targetId, caller)
    const id = readId(params[`${one}Id`] ?? '')
    const row = await change(targetId, id, routes.isVisible?.(caller))
    if (row === undefined)
      throw new AppError('not_found', routes.notFound, `There is no ${one} ${id}.`)
    return caller.can(mayView.permission) ? { [one]: routes.present(row) } : {}
  }
  const retry = {
    ...common,
    operationId: `retry${operation}`,
    summary: `Send a ${one} now`,
    description: descriptions.retry,
  }
  const mayEdit = { permission: 'api:edit' as const }
  const retryPath = `${path}/:${one}Id/retry`
  app.post(retryPath, { schema: retry, config: mayEdit }, changeWith(routes.retry))
  const remove = {
    ...common,
    operationId: `delete${operation}`,
    summary: `Delete a ${one}`,
    description: descriptions.remove,
  }
  const mayDelete = { permission: 'api:delete' as const }
  const removeRow = changeWith((targetId, id, isVisible) => outbox.remove(targetId, id, isVisible))
  app.delete(`${path}/:${one}Id/delete`, { schema: remove, config: mayDelete }, removeRow)
}
