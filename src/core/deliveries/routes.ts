import Type from 'typebox'
import type { Caller } from '../../kit/caller.ts'
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
} from '../../platform/http/index.ts'
import type { Deliveries } from './deliveries.ts'
import { deliveryEventItem, visibleEvent } from './delivery-event-item.ts'
import { checkFilters, type DeliveryItem, deliveryItem, visibleDelivery } from './delivery-item.ts'
import type { DeliveryQuery } from './delivery-query.ts'
import { createFilterReader, filterParameters, readFilters } from './filter-parameters.ts'
import type { DeliveryLinks, NamedContact } from './shown-with.ts'

const tags = ['deliveries']
const limitMax = 1_000
const startMax = 10_000

/** The contact of a delivery or a queued message, by its name. */
export const namedContact = Type.Unsafe<NamedContact | null>({
  type: ['object', 'null'],
  properties: { id: { type: 'integer' }, name: { type: 'string' } },
  required: ['id', 'name'],
  description:
    'The contact of Mailyard with its name, else its address; null if it was deleted, and without `contact:view`.',
  examples: [{ id: 1, name: 'Carla Ramos' }],
})

const parameters = Type.Object({
  ...pageParameters(limitMax),
  start: text(`How many to skip, at most ${startMax}; \`next\` has no such limit.`),
  ...filterParameters,
  total: text('`1` to count them: null above 10,000, or where no index can count them.'),
})

/** Advice about filters that find nothing. */
export const warnings = Type.Optional(
  Type.Array(Type.String(), { description: 'Ignored names, and advice about the filters.' }),
)

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
      warnings,
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
  events: Type.Array(deliveryEventItem, {
    description: 'What its provider reported afterwards, the oldest first: at most 200.',
  }),
  contact: namedContact,
  inboxId: nullable(Type.Integer(), {
    description: 'The message in the inbox, if `inbox://local` captured it and still has it.',
    examples: [null],
  }),
  sendAgain: Type.Object(
    { isPossible: Type.Boolean(), problem: nullable(Type.String()) },
    {
      description:
        'Whether its email, as it is now, can be sent to its contact again: `POST /api/emails/{emailId}/contact/{contactId}/send`. If not, why.',
      examples: [{ isPossible: true, problem: null }],
    },
  ),
})

/** Adds `/api/deliveries`. */
export function addDeliveryRoutes(app: HttpApp, deliveries: Deliveries, callers: Callers): void {
  const viewing = { permission: 'email:view' as const }
  app.get('/api/deliveries', { schema: listSchema, config: viewing }, async (request) => {
    const caller = callers.of(request)
    const { isCounted, ...query } = readQuery(request.query)
    checkFilters(query, caller)
    const page = await deliveries.list(query, { isCounted, caller })
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
    const found = await deliveries.get(readId(request.params.id), caller)
    const show = (item: DeliveryItem) => visibleDelivery(item, caller)
    return {
      delivery: show(found.delivery),
      attempts: found.attempts.map(show),
      recipients: found.recipients.map(show),
      events: found.events.map((event) => visibleEvent(event, caller)),
      ...visibleLinks(found.links, caller),
    }
  })
}

function visibleLinks({ contact, inboxId, sendAgainProblem }: DeliveryLinks, caller: Caller) {
  const needed = ['email:send', 'contact:view']
  const missing = needed.filter((permission) => !caller.can(permission))
  const problem =
    missing.length === 0
      ? sendAgainProblem
      : `You do not have permission to send it (${missing.join(', ')}).`
  return {
    contact: caller.can('contact:view') ? (contact ?? null) : null,
    inboxId: inboxId ?? null,
    sendAgain: { isPossible: problem === undefined, problem: problem ?? null },
  }
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
