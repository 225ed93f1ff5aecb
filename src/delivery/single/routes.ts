import Type from 'typebox'
import { checkTemplatePermission, type EmailRow, type Emails } from '../../emails/index.ts'
import {
  type Callers,
  type HttpApp,
  type HttpRequest,
  idParameter,
  idParameters,
  nullable,
  readId,
  recordId,
  validationError,
} from '../../http/index.ts'
import { AppError } from '../../kit/app-error.ts'
import type { Caller } from '../../kit/caller.ts'
import type { FindRefusal } from '../../messages/index.ts'
import { skippedCounts } from '../broadcasts/broadcast-item.ts'
import type { Broadcasts } from '../broadcasts/broadcasts.ts'
import type { SendToContact } from './send-to-contact.ts'

export interface SendRouteParts {
  emails: Emails
  sendToContact: SendToContact
  broadcasts: Broadcasts
  findRefusal: FindRefusal
  callers: Callers
  /** The sender of emails that name none. */
  defaultFrom: string
}

const tags = ['emails']
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

/** Adds Mautic's `POST /api/emails/{id}/contact/{contactId}/send` and `POST /api/emails/{id}/send`. */
export function addSendRoutes(app: HttpApp, parts: SendRouteParts): void {
  addContactRoute(app, parts)
  addManyRoute(app, parts)
  addCountRoute(app, parts)
}

function addContactRoute(app: HttpApp, { sendToContact, callers }: SendRouteParts): void {
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
    return sendToContact({
      emailId: readId(request.params.id),
      contactId: readId(request.params.contactId),
      caller: callers.of(request),
      tokens: readTokens(request.body.tokens ?? {}),
      idempotencyKey: readKey(request),
    })
  })
}

/** The schema of `POST /api/emails/{id}/send`. */
const manySchema = {
  operationId: 'sendEmail',
  summary: 'Send an email to many contacts, as a broadcast',
  description: 'A contact gets the same email once, however often you send this request.',
  tags,
  params: idParameters,
  headers: keyHeader,
  errors: [409 as const],
  body: Type.Object(
    {
      contactIds: Type.Optional(
        Type.Array(recordId('A contact.'), { minItems: 1, maxItems: 100_000 }),
      ),
      segment: Type.Optional(
        Type.String({ minLength: 1, maxLength: 255, description: 'All contacts of this segment.' }),
      ),
    },
    { examples: [{ contactIds: [1] }] },
  ),
  response: {
    200: Type.Object(
      {
        success: Type.Literal(1),
        sentCount: Type.Integer({
          description: 'Accepted so far; the broadcast has the current number.',
        }),
        failedRecipients: Type.Integer(),
        skipped: Type.Integer({
          description:
            'Contacts left out so far, such as those who have the email; the broadcast says why.',
        }),
        job: Type.Object({ id: Type.Integer() }),
      },
      {
        examples: [{ success: 1, sentCount: 0, failedRecipients: 0, skipped: 0, job: { id: 1 } }],
      },
    ),
  },
}

function addManyRoute(app: HttpApp, parts: SendRouteParts): void {
  const { broadcasts, callers } = parts
  const config = { permission: ['email:send', 'contact:view'] as const }
  app.post('/api/emails/:id/send', { schema: manySchema, config }, async (request) => {
    const emailId = readId(request.params.id)
    const idempotencyKey = readKey(request)
    const target = findTarget(request.body)
    const wanted = target && { emailId, target, caller: callers.of(request), idempotencyKey }
    // A repeated request gets its broadcast, even if the email was changed since.
    const created = wanted && (await broadcasts.find(wanted))
    if (created === undefined) await checkEmail(emailId, { ...parts, caller: callers.of(request) })
    if (wanted === undefined) throw targetMissing()
    const broadcast = created ?? (await broadcasts.create(wanted))
    const { id, accepted, refused } = broadcast
    const skipped = Object.values(broadcast.skipped).reduce((sum, count) => sum + count, 0)
    return {
      success: 1 as const,
      sentCount: accepted,
      failedRecipients: refused,
      skipped,
      job: { id },
    }
  })
}

function addCountRoute(app: HttpApp, parts: SendRouteParts): void {
  const { broadcasts, callers } = parts
  const schema = {
    operationId: 'countRecipients',
    summary: 'Count whom a broadcast would be sent to, without creating it',
    tags,
    params: idParameters,
    body: manySchema.body,
    response: {
      200: Type.Object({
        recipients: Type.Integer({ examples: [1200] }),
        skipped: skippedCounts,
        isComplete: Type.Boolean({
          description: 'False where counting would take long; then the first ones are counted.',
          examples: [true],
        }),
      }),
    },
  }
  const config = { permission: ['email:send', 'contact:view'] as const, isExpensive: true }
  app.post('/api/emails/:id/send/count', { schema, config }, async (request) => {
    const emailId = readId(request.params.id)
    const email = await checkEmail(emailId, { ...parts, caller: callers.of(request) })
    const target = findTarget(request.body)
    if (target === undefined) throw targetMissing()
    const from = email.from_address ?? parts.defaultFrom
    return broadcasts.count({ emailId, target, from })
  })
}

/** Undefined unless exactly one of the two is given. */
function findTarget({ contactIds, segment }: { contactIds?: number[]; segment?: string }) {
  if (contactIds !== undefined && segment === undefined) return { contactIds }
  return segment !== undefined && contactIds === undefined ? { segment } : undefined
}

function targetMissing(): AppError {
  const message = 'Give either "contactIds", a list of ids, or "segment", a name.'
  return new AppError('invalid', 'target_missing', message)
}

/**
 * Throws an AppError: `not_found` for an email that does not exist or is not published, as Mautic; `forbidden` if it
 * uses templates that the caller may not view; `invalid` for an email that cannot be sent as it is.
 */
async function checkEmail(
  id: number,
  {
    emails,
    findRefusal,
    caller,
  }: Pick<SendRouteParts, 'emails' | 'findRefusal'> & { caller: Caller },
): Promise<EmailRow> {
  const email = await emails.getRow(id)
  if (email.is_published) {
    checkTemplatePermission(caller, email, emails.usesTemplates)
    const refusal = await findRefusal(email)
    if (refusal !== undefined) throw refusal
    return email
  }
  const message = 'Email not found: it is not published.'
  throw new AppError('not_found', 'email_unpublished', message)
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

function readKey(request: HttpRequest): string | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined || key === '') return undefined
  if (typeof key === 'string' && key.length <= 255) return key
  throw validationError({ 'Idempotency-Key': ['must have 255 characters or fewer'] })
}
