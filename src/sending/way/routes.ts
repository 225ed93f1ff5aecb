import Type from 'typebox'
import { type Callers, type HttpApp, validationError } from '../../http/index.ts'
import type { FaultDetails } from '../../kit/app-error.ts'
import { wayStep } from '../deliveries/delivery-item.ts'
import { visibleTrace } from '../deliveries/visible-delivery.ts'
import type { FindWay } from './find-way.ts'
import type { FindTransportOfEmail } from './transport-of-email.ts'

const text = (description: string) => Type.Optional(Type.String({ description }))

const permission = ['multipleTransports:view', 'email:view', 'contact:view'] as const

/** What the route is made of. */
export interface ResolveRouteParts {
  findWay: FindWay
  findTransportOfEmail: FindTransportOfEmail
  callers: Callers
}

const schema = {
  operationId: 'resolveTransport',
  summary: 'Show which transport a message is sent through, and why',
  tags: ['multipleTransports'],
  querystring: Type.Unsafe<Record<string, unknown>>(
    Type.Object({
      emailId: text('The email.'),
      contactId: text('The contact; its owner counts.'),
      ownerId: text('Or the owner.'),
      from: text(
        "Or the sender's address, where there is no email: that of a user makes this user the owner.",
      ),
      transport: text(
        'The transport that the message names, by name or id. Default: the one that the header X-Mailyard-Transport of the email names.',
      ),
    }),
  ),
  response: {
    200: Type.Object({
      transport: Type.Union([
        Type.Object(
          { id: Type.Integer(), name: Type.String() },
          { examples: [{ id: 2, name: 'Try-out' }] },
        ),
        Type.Null(),
      ]),
      isDefault: Type.Boolean({
        description: 'Whether it is the configured default.',
        examples: [false],
      }),
      problem: Type.Unsafe<string | null>({
        type: ['string', 'null'],
        description: 'Why the transport that the message names cannot be used; it waits then.',
        examples: [null],
      }),
      trace: Type.Array(wayStep),
    }),
  },
}

/** Adds `GET /api/multipleTransport/resolve`: which transport a message is sent through, and why. */
export function addResolveRoute(app: HttpApp, parts: ResolveRouteParts): void {
  const { findWay, findTransportOfEmail, callers } = parts
  app.get('/api/multipleTransport/resolve', { schema, config: { permission } }, async (request) => {
    const question = readQuestion(request.query)
    const caller = callers.of(request)
    const transport = question.transport ?? (await findTransportOfEmail(question, caller))
    const { exit, trace } = await findWay({ ...question, transport })
    const found = exit.kind === 'transport' ? { id: exit.row.id, name: exit.row.name } : null
    const problem = exit.kind === 'refused' ? exit.problem : null
    return {
      transport: found,
      isDefault: exit.kind === 'default',
      problem,
      trace: visibleTrace(trace, caller),
    }
  })
}

function readQuestion(query: Record<string, unknown>) {
  const details: FaultDetails = {}
  const readText = (name: string) => {
    const value = query[name]
    if (value === undefined || value === '') return undefined
    if (typeof value === 'string') return value
    details[name] = ['must be given once']
    return undefined
  }
  const readId = (name: string) => {
    const value = readText(name)
    if (value === undefined || /^\d{1,15}$/.test(value))
      return value === undefined ? undefined : Number(value)
    details[name] = ['must be a whole number']
    return undefined
  }
  const question = {
    transport: readText('transport'),
    emailId: readId('emailId'),
    contactId: readId('contactId'),
    ownerId: readId('ownerId'),
    from: readText('from'),
  }
  if (Object.keys(details).length > 0) throw validationError(details)
  return question
}
