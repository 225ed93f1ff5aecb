import Type from 'typebox'
import { deliveryItem, visibleDelivery } from '../delivery/index.ts'
import {
  type Callers,
  createQueryReader,
  type HttpApp,
  idParameters,
  isAsked,
  nextPage,
  pageParameters,
  readId,
  text,
} from '../http/index.ts'
import type { Caller } from '../kit/caller.ts'
import { broadcastItem, visibleBroadcast } from './broadcast-item.ts'
import type { Broadcasts } from './broadcasts.ts'
import { type RecipientItem, recipientStates } from './recipients.ts'

const tags = ['broadcasts']
const limitMax = 100

/** Adds `GET /api/broadcasts/{id}/recipients` and `POST …/retry`. */
export function addRecipientRoutes(app: HttpApp, broadcasts: Broadcasts, callers: Callers): void {
  const config = { permission: ['email:view', 'contact:view'] as const }
  app.get('/api/broadcasts/:id/recipients', { config, schema: listSchema }, async (request) => {
    const read = createQueryReader(request.query)
    const query = {
      state: read.word('state', recipientStates),
      after: read.number('next') ?? 0,
      limit: read.limit(limitMax),
    }
    read.check()
    const page = await broadcasts.listRecipients(readId(request.params.id), query)
    const caller = callers.of(request)
    return { ...page, recipients: page.recipients.map((each) => visibleRecipient(each, caller)) }
  })
  const sending = { permission: 'email:send' as const }
  app.post(
    '/api/broadcasts/:id/retry',
    { config: sending, schema: retrySchema },
    async (request) => {
      const id = readId(request.params.id)
      const isTried = isAsked(request.query, 'dryRun')
      const result = await (isTried ? broadcasts.countRetry(id) : broadcasts.retry(id))
      return { ...result, broadcast: visibleBroadcast(result.broadcast, callers.of(request)) }
    },
  )
}

function visibleRecipient(item: RecipientItem, caller: Caller): RecipientItem {
  return { ...item, delivery: item.delivery && visibleDelivery(item.delivery, caller) }
}

const listSchema = {
  operationId: 'listBroadcastRecipients',
  summary: 'List the recipients of a broadcast, each with its last delivery',
  description:
    'A page may be short although there is more: continue as long as `next` is not null.',
  tags,
  params: idParameters,
  querystring: Type.Unsafe<Record<string, unknown>>(
    Type.Object({
      state: Type.Optional(
        Type.String({
          description: `Only those with this state: ${recipientStates.join(', ')}.`,
        }),
      ),
      ...pageParameters(limitMax),
    }),
  ),
  response: {
    200: Type.Object({
      recipients: Type.Array(
        Type.Object({
          contactId: Type.Integer({ examples: [1] }),
          address: Type.String({
            description:
              'What it was sent to; before its first attempt, the address of the contact when it was queued.',
            examples: ['carla@example.net'],
          }),
          state: Type.Enum([...recipientStates]),
          attempts: Type.Integer({ examples: [1] }),
          delivery: Type.Union([deliveryItem, Type.Null()]),
        }),
      ),
      next: nextPage,
    }),
  },
}

const retrySchema = {
  operationId: 'retryBroadcast',
  summary: 'Send a broadcast to its refused recipients again',
  description:
    'They go back to the queue as new recipients, and a broadcast that was done runs again. Contacts that cannot get it any more, such as suppressed ones, or have it from another broadcast, are skipped. With `dryRun=1`, the answer has the numbers and nothing is changed.',
  tags,
  params: idParameters,
  querystring: Type.Unsafe<Record<string, unknown>>(
    Type.Object({ dryRun: text('`1`: counts, and changes nothing.') }),
  ),
  errors: [409 as const],
  response: {
    200: Type.Object({
      retried: Type.Integer({ description: 'How many went back to the queue.', examples: [3] }),
      skipped: Type.Integer({ examples: [0] }),
      broadcast: broadcastItem,
    }),
  },
}
