import Type from 'typebox'
import { checkTemplatePermission, type EmailRow, type Emails } from '../emails/index.ts'
import {
  type Callers,
  type HttpApp,
  idParameters,
  nullable,
  readId,
  recordId,
} from '../http/index.ts'
import { AppError } from '../kit/app-error.ts'
import type { Caller } from '../kit/caller.ts'
import type { FindRefusal } from '../messages/index.ts'
import { keyHeader, readKey } from '../queue/index.ts'
import { skippedCounts } from './broadcast-item.ts'
import type { Broadcasts } from './broadcasts.ts'

export interface SendManyParts {
  emails: Emails
  broadcasts: Broadcasts
  findRefusal: FindRefusal
  callers: Callers
  /** The sender of emails that name none. */
  defaultFrom: string
}

const tags = ['emails']

/** Adds Mautic's `POST /api/emails/{id}/send`, which creates a broadcast, and the count of its recipients. */
export function addSendManyRoutes(app: HttpApp, parts: SendManyParts): void {
  addManyRoute(app, parts)
  addCountRoute(app, parts)
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

function addManyRoute(app: HttpApp, parts: SendManyParts): void {
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

function addCountRoute(app: HttpApp, parts: SendManyParts): void {
  const { broadcasts, callers } = parts
  const schema = {
    operationId: 'countRecipients',
    summary: 'Count whom a broadcast would be sent to, without creating it',
    tags,
    params: idParameters,
    body: manySchema.body,
    response: {
      200: Type.Object({
        recipients: Type.Integer({
          description: 'How many it would reach, without those in `skipped`.',
          examples: [1200],
        }),
        skipped: skippedCounts,
        firstContactId: nullable(Type.Integer(), {
          description: 'One of those whom it would reach, for a preview; null for none.',
          examples: [1],
        }),
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
  }: Pick<SendManyParts, 'emails' | 'findRefusal'> & { caller: Caller },
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
