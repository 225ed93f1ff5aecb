import Type from 'typebox'
import {
  type Callers,
  flagFault,
  type HttpApp,
  idParameters,
  nullable,
  readDate,
  readFlag,
  readId,
  validationError,
} from '../../http/index.ts'
import type { FaultDetails } from '../../kit/app-error.ts'
import type { DeliveryOutcome, DeliveryRow } from '../table.ts'
import type { Deliveries } from './deliveries.ts'
import { deliveryItem } from './delivery-item.ts'
import type { DeliveryQuery } from './delivery-query.ts'
import { checkFilters, visibleDelivery } from './visible-delivery.ts'

const tags = ['deliveries']
const limitMax = 1_000
const startMax = 10_000
/** As long as an address may be, and longer than any text that is searched for; SQLite takes patterns of 50,000 bytes. */
const textLengthMax = 320
const outcomes = ['started', 'accepted', 'refused', 'uncertain'] as const
const sources = ['api', 'job', 'smtp'] as const

const text = (description: string) => Type.Optional(Type.String({ description }))
const parameters = Type.Object({
  before: text('Only those after this one in the list: `next` of the page before.'),
  start: text(`How many to pass over, at most ${startMax}; \`before\` reaches any depth.`),
  limit: text(`How many, at most ${limitMax}. Default 30.`),
  emailId: text('Of this email.'),
  contactId: text('To this contact.'),
  sendingId: text('Of this sending.'),
  transportId: text('Through this transport.'),
  transport: text(
    'Through one that had this name then; the configured one is `default`. 400 where several have it now.',
  ),
  recipient: text('To this address.'),
  outcome: text(outcomes.join(', ')),
  source: text(`By this door: ${sources.join(', ')}.`),
  member: text('Taken or refused by this member, such as smtp://mail.example.com:587.'),
  from: text('Since then, such as 2026-01-31T12:00:00Z.'),
  to: text('Until then.'),
  search: text('With this in recipient, sender, reply, reason or Message-ID.'),
  total: text(
    '`1` for how many there are: null where there are more than 10,000, and where no index tells.',
  ),
})

const listSchema = {
  operationId: 'listDeliveries',
  summary: 'List the deliveries, the newest first',
  description:
    'A page of any depth takes as long as the first. Where filters are combined, or a text is searched, ' +
    'it may be short, even empty, though there is more: as long as `next` is not null, go on with it.',
  tags,
  querystring: Type.Unsafe<Record<string, unknown>>(parameters),
  response: {
    200: Type.Object({
      deliveries: Type.Array(deliveryItem),
      next: Type.Unsafe<number | null>({
        type: ['integer', 'null'],
        description: 'What `before` of the next page is; null at the end.',
        examples: [null],
      }),
      total: Type.Optional(nullable<number>('integer')),
    }),
  },
}

/** Adds `/api/deliveries`. */
export function addDeliveryRoutes(app: HttpApp, deliveries: Deliveries, callers: Callers): void {
  const viewing = { permission: 'email:view' as const }
  app.get('/api/deliveries', { schema: listSchema, config: viewing }, async (request) => {
    const { isCounted, ...query } = readQuery(request.query)
    const caller = callers.of(request)
    checkFilters(query, caller)
    const page = await deliveries.list(query, { isCounted })
    return { ...page, deliveries: page.deliveries.map((item) => visibleDelivery(item, caller)) }
  })
  const wrapped = Type.Object({ delivery: deliveryItem })
  const one = {
    operationId: 'getDelivery',
    summary: 'Get a delivery',
    tags,
    params: idParameters,
    response: { 200: wrapped },
  }
  app.get('/api/deliveries/:id', { schema: one, config: viewing }, async (request) => ({
    delivery: visibleDelivery(await deliveries.get(readId(request.params.id)), callers.of(request)),
  }))
  const settle = {
    operationId: 'settleDelivery',
    summary: 'Settle an uncertain delivery',
    description:
      'Refused, the same message may be handed in again, and one of a sending goes back to its queue.',
    tags,
    params: idParameters,
    errors: [409 as const],
    body: Type.Object({ outcome: Type.Enum(['accepted', 'refused']) }),
    response: { 200: wrapped },
  }
  const config = { permission: 'email:send' as const }
  app.post('/api/deliveries/:id/settle', { schema: settle, config }, async (request) => ({
    delivery: visibleDelivery(
      await deliveries.settle(readId(request.params.id), request.body.outcome),
      callers.of(request),
    ),
  }))
}

function readQuery(query: Record<string, unknown>): DeliveryQuery & { isCounted: boolean } {
  const details: FaultDetails = {}
  const read = createReader(query, details)
  const start = read.number('start') ?? 0
  if (start > startMax) details['start'] = [`must be ${startMax} or less; go on with before`]
  const asked = {
    before: read.number('before'),
    start,
    limit: Math.min(Math.max(read.number('limit') ?? 30, 1), limitMax),
    emailId: read.number('emailId'),
    contactId: read.number('contactId'),
    sendingId: read.number('sendingId'),
    transportId: read.number('transportId'),
    transport: read.text('transport'),
    recipient: read.text('recipient'),
    outcome: read.word<DeliveryOutcome>('outcome', outcomes),
    source: read.word<DeliveryRow['source']>('source', sources),
    member: read.text('member'),
    from: read.time('from'),
    to: read.time('to'),
    search: read.text('search'),
    isCounted: read.flag('total') ?? false,
  }
  if (Object.keys(details).length > 0) throw validationError(details)
  return asked
}

/** Reads parameters; an empty one is one that is not given. Faults go to `details`. */
function createReader(query: Record<string, unknown>, details: FaultDetails) {
  const text = (name: string) => {
    const value = query[name]
    if (value === undefined || value === '') return undefined
    if (typeof value !== 'string') details[name] = ['must be given once']
    else if (value.includes('\0')) details[name] = ['must not hold NUL']
    else if (value.length > textLengthMax)
      details[name] = [`must have ${textLengthMax} characters or fewer`]
    else return value
    return undefined
  }
  return {
    text,
    number(name: string) {
      const value = text(name)
      if (value === undefined) return undefined
      if (/^\d{1,15}$/.test(value)) return Number(value)
      details[name] = ['must be a whole number']
      return undefined
    },
    time(name: string) {
      const value = text(name)
      const time = value === undefined ? undefined : readDate(value)
      if (value !== undefined && time === undefined)
        details[name] = ['must be a time, such as 2026-01-31T12:00:00Z']
      return time
    },
    flag(name: string) {
      const value = text(name)
      const flag = value === undefined ? undefined : readFlag(value)
      if (value !== undefined && flag === undefined) details[name] = [flagFault]
      return flag
    },
    word<Word extends string>(name: string, words: readonly Word[]) {
      const value = text(name)
      const word = words.find((each) => each === value)
      if (value !== undefined && word === undefined)
        details[name] = [`must be one of ${words.join(', ')}`]
      return word
    },
  }
}
