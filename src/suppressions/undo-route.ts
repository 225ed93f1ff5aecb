import Type from 'typebox'
import {
  type Callers,
  type HttpApp,
  isAsked,
  readDate,
  text,
  validationError,
} from '../http/index.ts'
import { callerKey } from '../kit/caller.ts'
import { needTransportsView } from './transport-view.ts'
import type { SuppressionUndo, UndoFilter } from './undo-suppressions.ts'

export interface UndoRouteParts {
  undo: Pick<SuppressionUndo, 'count' | 'undo'>
  callers: Callers
}

const id = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description }))

const undoInput = Type.Object(
  {
    transportId: id('Found by this transport.'),
    transport: Type.Optional(
      Type.Enum(['default'], { description: '`default`: found by the configured transport.' }),
    ),
    deliveryId: id('Found by this delivery.'),
    addedSince: Type.Optional(
      Type.String({
        maxLength: 40,
        description: 'Added since then, such as 2026-01-31T12:00:00Z.',
      }),
    ),
  },
  // A misspelled filter would undo more than it should.
  { title: 'UndoSuppressions', additionalProperties: false, examples: [{ transportId: 1 }] },
)

const schema = {
  operationId: 'undoSuppressions',
  summary: 'Undo bounces by what found them',
  description:
    'Deletes suppressions with the reason `bounced` that deliveries have found, and takes back what was reported to Mautics because of them. Give at least one filter. With `dryRun=1`, the answer has the number and nothing is changed.',
  tags: ['suppressions'],
  querystring: Type.Unsafe<Record<string, unknown>>(
    Type.Object({
      dryRun: text('`1`: counts what would be undone, and changes nothing.'),
    }),
  ),
  body: undoInput,
  response: {
    200: Type.Object({
      suppressions: Type.Integer({ description: 'How many match.', examples: [0] }),
    }),
  },
}

/** Adds `POST /api/suppressions/undo`. */
export function addUndoRoute(app: HttpApp, { undo, callers }: UndoRouteParts): void {
  const config = { permission: ['contact:view', 'contact:delete'] as const }
  app.post('/api/suppressions/undo', { schema, config }, async (request) => {
    const { transport, addedSince, ...ids } = request.body
    const since = addedSince === undefined ? undefined : readDate(addedSince)
    if (addedSince !== undefined && since === undefined)
      throw validationError({ addedSince: ['must be a time, such as 2026-01-31T12:00:00Z'] })
    const transportId = ids.transportId ?? (transport === undefined ? undefined : null)
    const filter: UndoFilter = { ...ids, transportId, addedSince: since }
    if (Object.values(filter).every((value) => value === undefined))
      throw validationError({
        transportId: ['is missing: give transportId, transport, deliveryId or addedSince'],
      })
    const caller = callers.of(request)
    if (transportId !== undefined) needTransportsView(caller)
    const isTried = isAsked(request.query, 'dryRun')
    const work = isTried ? undo.count(filter, callerKey(caller)) : undo.undo(filter)
    return { suppressions: await work }
  })
}
