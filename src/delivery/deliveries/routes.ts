import Type from 'typebox'
import {
  type Callers,
  type HttpApp,
  idParameters,
  nextPage,
  nullable,
  pageParameters,
  type Query,
  readId,
  text,
} from '../../http/index.ts'
import { callerKey } from '../../kit/caller.ts'
import type { Deliveries } from './deliveries.ts'
import { checkFilters, type DeliveryItem, deliveryItem, visibleDelivery } from './delivery-item.ts'
import { type DeliveryQuery, inScope } from './delivery-query.ts'
import { createFilterReader, filterParameters, readFilters } from './filter-parameters.ts'

const tags = ['deliveries']
const limitMax = 1_000
const startMax = 10_000

const parameters = Type.Object({
  ...pageParameters(limitMax),
  start: text(`How many to skip, at most ${startMax}; \`next\` has no such limit.`),
  ...filterParameters,
  total: text('`1` to count them: null above 10,000, or where no index can count them.'),
})

const listSchema = {
  operationId: 'listDeliveries',
  summary: 'List the deliveries, the newest first',
  description:
    'A page at any depth takes as long as the first. With several filters or a search a page may be short or ' +
    'even empty although there is more: continue as long as `next` is not null.',
  tags,
  querystring: Type.Unsafe<Record<string, unknown>>(parameters),
  response: {
    200: Type.Object({
      deliveries: Type.Array(deliveryItem),
      next: nextPage,
      total: Type.Optional(nullable(Type.Integer())),
    }),
  },
}

const details = Type.Object({
  delivery: deliveryItem,
  attempts: Type.Array(deliveryItem, {
    description:
      'The attempts to send the message to this recipient, the oldest first and this one among them: at most 100 within 14 days.',
  }),
  recipients: Type.Array(deliveryItem, {
    description: 'The other recipients of this attempt: at most 100.',
  }),
})

/** Adds `/api/deliveries`. */
export function addDeliveryRoutes(app: HttpApp, deliveries: Deliveries, callers: Callers): void {
  const viewing = { permission: 'email:view' as const }
  app.get('/api/deliveries', { schema: listSchema, config: viewing }, async (request) => {
    const caller = callers.of(request)
    const { isCounted, ...query } = inScope(readQuery(request.query), caller)
    checkFilters(query, caller)
    const page = await deliveries.list(query, { isCounted, owner: callerKey(caller) })
    return { ...page, deliveries: page.deliveries.map((item) => visibleDelivery(item, caller)) }
  })
  const one = {
    operationId: 'getDelivery',
    summary: 'Get a delivery, with the other attempts and recipients of its message',
    tags,
    params: idParameters,
    response: { 200: details },
  }
  app.get('/api/deliveries/:id', { schema: one, config: viewing }, async (request) => {
    const caller = callers.of(request)
    const found = await deliveries.get(readId(request.params.id), caller.mautic?.id)
    const show = (item: DeliveryItem) => visibleDelivery(item, caller)
    return {
      delivery: show(found.delivery),
      attempts: found.attempts.map(show),
      recipients: found.recipients.map(show),
    }
  })
}

function readQuery(query: Query): DeliveryQuery & { isCounted: boolean } {
  const read = createFilterReader(query)
  const start = read.number('start') ?? 0
  if (start > startMax) read.addFault('start', `must be ${startMax} or less; continue with next`)
  const wanted = {
    after: read.number('next'),
    start,
    limit: read.limit(limitMax),
    ...readFilters(read),
    isCounted: read.flag('total') ?? false,
  }
  read.check()
  return wanted
}
