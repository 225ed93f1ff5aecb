import Type from 'typebox'
import { checkTemplatePermission, type Emails } from '../../emails/index.ts'
import {
  type Callers,
  type HttpApp,
  type HttpRequest,
  idParameter,
  idParameters,
  readId,
  recordId,
  validationError,
} from '../../http/index.ts'
import { AppError } from '../../kit/app-error.ts'
import type { Caller } from '../../kit/caller.ts'
import type { Sendings } from '../jobs/sendings.ts'
import type { FindRefusal } from '../rendering/email-faults.ts'
import type { SendToContact } from './send-to-contact.ts'

/** What the routes that send emails are made of. */
export interface SendRouteParts {
  emails: Emails
  sendToContact: SendToContact
  sendings: Sendings
  findRefusal: FindRefusal
  callers: Callers
}

const tags = ['emails']
const keyHeader = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({ description: 'The same key never sends twice, also after a crash.' }),
  ),
})

/** Adds Mautic's `POST /api/emails/{id}/contact/{contactId}/send` and `POST /api/emails/{id}/send`. */
export function addSendRoutes(app: HttpApp, parts: SendRouteParts): void {
  addContactRoute(app, parts)
  addManyRoute(app, parts)
}

function addContactRoute(app: HttpApp, { sendToContact, callers }: SendRouteParts): void {
  const schema = {
    operationId: 'sendEmailToContact',
    summary: 'Send an email to one contact, now',
    tags,
    params: Type.Object({ ...idParameters.properties, contactId: idParameter('The contact.') }),
    headers: keyHeader,
    errors: [409 as const],
    body: Type.Object({
      tokens: Type.Optional(
        Type.Unsafe<Record<string, string>>({
          type: ['object', 'array'],
          description: 'Tokens of your own and their values: `{"{code}": "4711"}`.',
          examples: [{ '{code}': '4711' }],
        }),
      ),
    }),
    response: {
      200: Type.Object({
        success: Type.Boolean({ examples: [true] }),
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

/** What `POST /api/emails/{id}/send` takes and gives. */
const manySchema = {
  operationId: 'sendEmail',
  summary: 'Send an email to many contacts, as a broadcast',
  description: 'A contact gets the same email once, however often this is asked for.',
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
        Type.String({ minLength: 1, maxLength: 255, description: 'All of a segment.' }),
      ),
    },
    { examples: [{ contactIds: [1] }] },
  ),
  response: {
    200: Type.Object(
      {
        success: Type.Literal(1),
        sentCount: Type.Integer({ description: 'Sent already: ask the job.' }),
        failedRecipients: Type.Integer(),
        skipped: Type.Integer({
          description:
            'Contacts left out so far, such as those who have the email; the job says why.',
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
  const { sendings, callers } = parts
  const config = { permission: ['email:send', 'contact:view'] as const }
  app.post('/api/emails/:id/send', { schema: manySchema, config }, async (request) => {
    const emailId = readId(request.params.id)
    const idempotencyKey = readKey(request)
    const target = findTarget(request.body)
    const asked = target && { emailId, target, caller: callers.of(request), idempotencyKey }
    // What the key did once is told whatever has become of the email since.
    const known = asked && (await sendings.find(asked))
    if (known === undefined) await checkEmail(emailId, { ...parts, caller: callers.of(request) })
    if (asked === undefined) throw targetMissing()
    const sending = known ?? (await sendings.create(asked))
    const { id, accepted, refused } = sending
    const skipped = Object.values(sending.skipped).reduce((sum, count) => sum + count, 0)
    return {
      success: 1 as const,
      sentCount: accepted,
      failedRecipients: refused,
      skipped,
      job: { id },
    }
  })
}

/** Undefined where it is not one of the two. */
function findTarget({ contactIds, segment }: { contactIds?: number[]; segment?: string }) {
  if (contactIds !== undefined && segment === undefined) return { contactIds }
  return segment !== undefined && contactIds === undefined ? { segment } : undefined
}

function targetMissing(): AppError {
  const message = 'Say to whom: either "contactIds", a list of ids, or "segment", its name.'
  return new AppError('invalid', 'target_missing', message)
}

/**
 * Throws an AppError: as Mautic answers, `not_found` for an email that is not there or not published; `forbidden`
 * where it uses templates that the caller may not view; `invalid` for one that cannot be sent as it is.
 */
async function checkEmail(
  id: number,
  {
    emails,
    findRefusal,
    caller,
  }: Pick<SendRouteParts, 'emails' | 'findRefusal'> & { caller: Caller },
): Promise<void> {
  const email = await emails.getRow(id)
  if (email.is_published) {
    checkTemplatePermission(caller, email, emails.usesTemplates)
    const refusal = await findRefusal(email)
    if (refusal !== undefined) throw refusal
    return
  }
  const message = 'Email not found: it is not published.'
  throw new AppError('not_found', 'email_unpublished', message)
}

function readTokens(tokens: object): Record<string, string> {
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
