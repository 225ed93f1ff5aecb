import Type from 'typebox'
import { refusalOutcomes } from '../../delivery/index.ts'
import {
  type Callers,
  createQueryReader,
  type HttpApp,
  idParameters,
  limitParameter,
  nullable,
  type Query,
  readId,
  text,
} from '../../http/index.ts'
import type { MauticDirectory } from '../../mautic/index.ts'
import { mauticNotFound } from '../../mautic/index.ts'
import { refusalItem } from './refusal-item.ts'
import type { RefusalQuery, Refusals } from './refusals.ts'

export interface RefusalRouteParts {
  refusals: Pick<Refusals, 'list'>
  mautics: Pick<MauticDirectory, 'findById'>
  callers: Callers
}

const limitMax = 1_000
const startMax = 10_000
/** Adds `/api/mautics/{id}/refusals`. */
export function addRefusalRoute(
  app: HttpApp,
  { refusals, mautics, callers }: RefusalRouteParts,
): void {
  const schema = {
    operationId: 'listMauticRefusals',
    summary: 'List the refused messages of a Mautic, the newest first',
    description:
      'Messages that were not delivered, or perhaps not: refused for good, expired, withheld from a suppressed address, ' +
      'cancelled, or uncertain. The Mautic shows them as sent, unless the refusal was the answer to it. Bounces that were ' +
      'reported to its Do not contact list are not among them.',
    tags: ['mautics'],
    params: idParameters,
    querystring: Type.Unsafe<Record<string, unknown>>(
      Type.Object({
        outcome: text(`With these outcomes, with commas: ${refusalOutcomes.join(', ')}.`),
        from: text('Since then, such as 2026-01-31T12:00:00Z.'),
        to: text('Until then.'),
        start: text(`How many to skip, at most ${startMax}; use \`to\` to go further back.`),
        limit: limitParameter(limitMax),
      }),
    ),
    response: {
      200: Type.Object({
        total: nullable(Type.Integer(), { description: 'Null above 10,000.', examples: [1] }),
        refusals: Type.Array(refusalItem),
      }),
    },
  }
  const config = { permission: 'api:view' as const }
  app.get('/api/mautics/:id/refusals', { schema, config }, async (request) => {
    const mauticId = readId(request.params.id)
    const caller = callers.of(request)
    const isOfOther = caller.mautic !== undefined && caller.mautic.id !== mauticId
    if (isOfOther || (await mautics.findById(mauticId)) === undefined)
      throw mauticNotFound(mauticId)
    return refusals.list({ mauticId, ...readRefusalQuery(request.query) }, caller)
  })
}

/** Reads the filters and the page. Throws an AppError (`invalid`). */
export function readRefusalQuery(query: Query): Omit<RefusalQuery, 'mauticId'> {
  const read = createQueryReader(query)
  const start = read.number('start') ?? 0
  if (start > startMax) read.addFault('start', `must be ${startMax} or less; use to`)
  const filters = {
    outcomes: read.words('outcome', refusalOutcomes),
    from: read.time('from'),
    to: read.time('to'),
    start,
    limit: read.limit(limitMax),
  }
  read.check()
  return filters
}
