import Type from 'typebox'
import { AppError } from '../../../kit/app-error.ts'
import {
  type Callers,
  type HttpApp,
  type HttpRequest,
  idParameter,
  idParameters,
  nullable,
  readId,
  validationError,
} from '../../../platform/http/index.ts'
import type { ContactSender } from './send-to-contact.ts'

export interface SendRouteParts {
  contactSender: ContactSender
  callers: Callers
}

const tags = ['emails']
/** The header with which a request is sent once. */
const keyHeader = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({ description: 'A request with the same key is sent once, even after a crash.' }),
  ),
})

/** Additional tokens of one send. `readTokens` reads them. */
export const tokensSchema = Type.Unsafe<Record<string, string>>({
  type: ['object', 'array'],
  description: 'Additional tokens and their values: `{"{code}": "4711"}`.',
  examples: [{ '{code}': '4711' }],
})

/** Adds Mautic's `POST /api/emails/{id}/contact/{contactId}/send`. */
export function addSendRoute(app: HttpApp, { contactSender, callers }: SendRouteParts): void {
  addNoListRoute(app)
  const schema = {
    operationId: 'sendEmailToContact',
    summary: 'Send an email to one contact',
    tags,
    params: Type.Object({ ...idParameters.properties, contactId: idParameter('The contact.') }),
    headers: keyHeader,
    errors: [409 as const],
    body: Type.Object({
      tokens: Type.Optional(tokensSchema),
    }),
    response: {
      200: Type.Object({
        success: Type.Boolean({
          description: 'True if the email was sent, or is `queued`.',
          examples: [true],
        }),
        queued: Type.Optional(
          Type.Object(
            {
              id: Type.Integer({ description: 'For `GET /api/queue/messages` and its actions.' }),
              reason: nullable(Type.String(), {
                description:
                  'Why it was not sent at once; null if the server has not answered yet.',
              }),
            },
            {
              description:
                'The email is stored, not sent: the server refused it for now, and Mailyard tries again.',
              examples: [{ id: 17, reason: '451 4.7.1 Try again later' }],
            },
          ),
        ),
        failed: Type.Optional(Type.String({ description: 'Why it was not sent.' })),
      }),
    },
  }
  const config = { permission: ['email:send', 'contact:view'] as const }
  app.post('/api/emails/:id/contact/:contactId/send', { schema, config }, async (request) => {
    return contactSender.send({
      emailId: readId(request.params.id),
      contactId: readId(request.params.contactId),
      caller: callers.of(request),
      tokens: readTokens(request.body.tokens ?? {}),
      idempotencyKey: readKey(request),
    })
  })
}

const sendsToNoList =
  'Mailyard sends to no lists. Mautic or a newsletter tool does, through Mailyard; POST /api/emails/{id}/contact/{contactId}/send sends to one contact.'

/** Answers Mautic's `POST /api/emails/{id}/send`, which sends to segments, with what to do instead. */
function addNoListRoute(app: HttpApp): void {
  const config = { permission: 'email:send' as const }
  app.post('/api/emails/:id/send', { schema: { hide: true }, config }, async () => {
    throw new AppError('not_found', 'sends_to_no_list', sendsToNoList)
  })
}

/** Throws an AppError (`invalid`) for values that are not text. */
export function readTokens(tokens: object): Record<string, string> {
  const entries = Object.entries(tokens) as [string, unknown][]
  const isText = (value: unknown) => typeof value === 'string' || typeof value === 'number'
  const wrong = entries.filter(([, value]) => !isText(value)).map(([name]) => name.slice(0, 100))
  const named = `${wrong.slice(0, 10).join(', ')}${wrong.length > 10 ? ', …' : ''}`
  if (wrong.length > 0) throw validationError({ tokens: [`must have text for ${named}`] })
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]))
}

/** Throws an AppError (`invalid`). */
function readKey(request: HttpRequest): string | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined || key === '') return undefined
  if (typeof key === 'string' && key.length <= 255) return key
  throw validationError({ 'Idempotency-Key': ['must have 255 characters or fewer'] })
}
