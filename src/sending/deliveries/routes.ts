import Type from 'typebox'
import { type HttpApp, idParameters, readId, validationError } from '../../http/index.ts'
import type { FaultDetails } from '../../kit/app-error.ts'
import type { DeliveryOutcome, DeliveryRow } from '../table.ts'
import type { Deliveries, DeliveryQuery } from './deliveries.ts'
import { deliveryItem } from './delivery-item.ts'

const tags = ['deliveries']
const limitMax = 1_000
const outcomes = ['started', 'accepted', 'refused', 'uncertain'] as const
const sources = ['api', 'job', 'smtp'] as const

const text = (description: string) => Type.Optional(Type.String({ description }))
const parameters = Type.Object({
  before: text('Only older ones than this id: `next` of the page before.'),
  limit: text(`How many, at most ${limitMax}. Default 30.`),
  emailId: text('Of this email.'),
  contactId: text('To this contact.'),
  sendingId: text('Of this sending.'),
  transportId: text('Through this transport.'),
  recipient: text('To this address.'),
  outcome: text(outcomes.join(', ')),
  source: text(`By this door: ${sources.join(', ')}.`),
  member: text('Taken or refused by this member, such as smtp://mail.example.com:587.'),
  from: text('Since then, such as 2026-01-31T12:00:00Z.'),
  to: text('Until then.'),
  search: text('With this in recipient, sender, reply, reason or Message-ID.'),
})

/** Adds `/api/deliveries`. */
export function addDeliveryRoutes(app: HttpApp, deliveries: Deliveries): void {
  const list = {
    summary: 'What was delivered, the newest first',
    tags,
    querystring: Type.Unsafe<Record<string, unknown>>(parameters),
    response: {
      200: Type.Object({
        deliveries: Type.Array(deliveryItem),
        next: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
      }),
    },
  }
  const viewing = { permission: 'email:view' as const }
  app.get('/api/deliveries', { schema: list, config: viewing }, (request) =>
    deliveries.list(readQuery(request.query)),
  )
  const wrapped = Type.Object({ delivery: deliveryItem })
  const one = { summary: 'One delivery', tags, params: idParameters, response: { 200: wrapped } }
  app.get('/api/deliveries/:id', { schema: one, config: viewing }, async (request) => ({
    delivery: await deliveries.get(readId(request.params.id)),
  }))
  const settle = {
    summary: 'Say what became of an uncertain delivery',
    description: 'Refused, the same message may be handed in again.',
    tags,
    params: idParameters,
    body: Type.Object({ outcome: Type.Enum(['accepted', 'refused']) }),
    response: { 200: wrapped },
  }
  const config = { permission: 'email:send' as const }
  app.post('/api/deliveries/:id/settle', { schema: settle, config }, async (request) => ({
    delivery: await deliveries.settle(readId(request.params.id), request.body.outcome),
  }))
}

function readQuery(query: Record<string, unknown>): DeliveryQuery {
  const details: FaultDetails = {}
  const readText = (name: string) => {
    const value = query[name]
    if (value === undefined || value === '') return undefined
    if (typeof value === 'string') return value
    details[name] = ['must be given once']
    return undefined
  }
  const readNumber = (name: string) => {
    const value = readText(name)
    if (value === undefined || /^\d{1,15}$/.test(value))
      return value === undefined ? undefined : Number(value)
    details[name] = ['must be a whole number']
    return undefined
  }
  const readTime = (name: string) => {
    const value = readText(name)
    const time = value === undefined ? undefined : Date.parse(value)
    if (Number.isNaN(time)) details[name] = ['must be a time, such as 2026-01-31T12:00:00Z']
    return time
  }
  const readWord = <Word extends string>(name: string, words: readonly Word[]) => {
    const value = readText(name)
    const word = words.find((each) => each === value)
    if (value !== undefined && word === undefined)
      details[name] = [`must be one of ${words.join(', ')}`]
    return word
  }
  const read: DeliveryQuery = {
    before: readNumber('before'),
    limit: Math.min(Math.max(readNumber('limit') ?? 30, 1), limitMax),
    emailId: readNumber('emailId'),
    contactId: readNumber('contactId'),
    sendingId: readNumber('sendingId'),
    transportId: readNumber('transportId'),
    recipient: readText('recipient'),
    outcome: readWord<DeliveryOutcome>('outcome', outcomes),
    source: readWord<DeliveryRow['source']>('source', sources),
    member: readText('member'),
    from: readTime('from'),
    to: readTime('to'),
    search: readText('search'),
  }
  if (Object.keys(details).length > 0) throw validationError(details)
  return read
}
