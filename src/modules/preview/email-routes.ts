import Type, { type Static } from 'typebox'
import type { Mailbox } from '../../core/emails/index.ts'
import { contactMailbox, type Emails, emailDraft, strangerData } from '../../core/emails/index.ts'
import { readTokens, tokensSchema } from '../../core/sending/index.ts'
import type { ReadContactData } from '../../core/templates/index.ts'
import { AppError } from '../../kit/app-error.ts'
import type { Caller } from '../../kit/caller.ts'
import type { WorkQueue } from '../../kit/work-queue.ts'
import {
  type Callers,
  createQueryReader,
  emailAddress,
  type HttpApp,
  idParameters,
  nullable,
  readId,
  recordId,
} from '../../platform/http/index.ts'
import type { EmailPreview, PreviewEmail, PreviewRequest } from './preview-email.ts'
import { routeAnswer, visibleRoute } from './routing/visible-route.ts'
import { type SendEmailTest, testAnswer, testRecipient } from './send-test.ts'

export interface EmailPreviewRouteParts {
  emails: Pick<Emails, 'getRow' | 'draft'>
  readContactData: ReadContactData
  previewEmail: PreviewEmail
  sendTest: SendEmailTest
  callers: Callers
  work: WorkQueue
}

const tags = ['emails']

const previewBody = Type.Object(
  {
    id: Type.Optional(recordId('A saved email.')),
    email: Type.Optional(
      Type.Unsafe<Static<typeof emailDraft>>({
        ...emailDraft,
        description: 'Unsaved values, over those of the saved email if there is one.',
      }),
    ),
    contactId: Type.Optional(recordId('The contact; needs `contact: view`.')),
    contact: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({
        type: ['object', 'array'],
        description: 'Values of the contact, over those of `contactId` if it is given.',
      }),
    ),
    tokens: Type.Optional(tokensSchema),
  },
  { examples: [{ id: 1, contact: { firstname: 'Carla' } }] },
)

const mailbox = Type.Object({ address: Type.String(), name: Type.String() })
const previewExample = {
  from: { address: 'mailyard@localhost', name: '' },
  to: { address: 'carla@example.net', name: 'Carla' },
  replyTo: null,
  subject: 'Hello Carla',
  html: '<p>Hello Carla,</p><p>this is a sample.</p>',
  text: 'Hello Carla,\n\nthis is a sample.\n',
  headers: {},
  error: null,
  warnings: [],
  route: { transport: null, isDefault: true, problem: null, trace: [] },
}
const previewAnswer = Type.Object(
  {
    from: Type.Union([mailbox, Type.Null()]),
    to: mailbox,
    replyTo: nullable(Type.String()),
    subject: nullable(Type.String()),
    html: nullable(Type.String()),
    text: nullable(Type.String()),
    headers: Type.Unsafe<Record<string, string>>({ type: 'object', additionalProperties: true }),
    error: Type.Union(
      [
        Type.Object({
          message: Type.String(),
          template: nullable(Type.String()),
          line: Type.Integer(),
          column: Type.Integer(),
        }),
        Type.Null(),
      ],
      { description: 'Why it cannot be rendered; null if it can.' },
    ),
    warnings: Type.Array(Type.String(), {
      description:
        'What keeps it from being sent as it is, and the tokens of templates that print nothing.',
    }),
    route: routeAnswer,
  },
  { examples: [previewExample] },
)

/** Adds `GET /api/emails/{id}/preview`, `POST /api/emails/preview` and `POST /api/emails/send/test`. */
export function addEmailPreviewRoutes(app: HttpApp, parts: EmailPreviewRouteParts): void {
  addSavedRoute(app, parts)
  addUnsavedRoute(app, parts)
  addTestRoute(app, parts)
}

function addSavedRoute(app: HttpApp, parts: EmailPreviewRouteParts): void {
  const schema = {
    operationId: 'previewEmail',
    summary: 'Show an email as a contact would get it',
    tags,
    params: idParameters,
    querystring: Type.Unsafe<Record<string, unknown>>(
      Type.Object({
        contactId: Type.Optional(
          Type.String({ description: 'The contact; needs `contact: view`. Default: a stranger.' }),
        ),
      }),
    ),
    response: { 200: previewAnswer },
  }
  const config = { permission: 'email:view' as const, isExpensive: true }
  app.get('/api/emails/:id/preview', { schema, config }, async (request) => {
    const read = createQueryReader(request.query)
    const contactId = read.number('contactId')
    read.check()
    const caller = parts.callers.of(request)
    const asked = await readRequest({ id: readId(request.params.id), contactId }, parts, caller)
    return present(asked, await parts.previewEmail(asked))
  })
}

function addUnsavedRoute(app: HttpApp, parts: EmailPreviewRouteParts): void {
  const schema = {
    operationId: 'previewUnsavedEmail',
    summary: 'Show an email with unsaved values as a contact would get it',
    tags,
    body: previewBody,
    response: { 200: previewAnswer },
  }
  const config = { permission: 'email:view' as const, isExpensive: true }
  app.post('/api/emails/preview', { schema, config }, async (request) => {
    const asked = await readRequest(request.body, parts, parts.callers.of(request))
    return present(asked, await parts.previewEmail(asked))
  })
}

function addTestRoute(app: HttpApp, parts: EmailPreviewRouteParts): void {
  const schema = {
    operationId: 'testEmail',
    summary: 'Send an email to yourself, saved or not',
    description:
      "The subject begins with `[TEST]`. It is sent through the transport that the contact's message would be sent through. The contact gets nothing, and may get the email later.",
    tags,
    body: Type.Object(
      {
        ...previewBody.properties,
        to: Type.Optional(emailAddress('The recipient; default: the calling user.')),
      },
      { examples: [{ id: 1, to: 'ann@example.com' }] },
    ),
    response: { 200: testAnswer },
  }
  const config = { permission: ['email:send', 'contact:view'] as const }
  app.post('/api/emails/send/test', { schema, config }, async (request) => {
    const caller = parts.callers.of(request)
    const address = testRecipient(request.body.to, caller)
    const asked = await readRequest(request.body, parts, caller)
    const { rendered, error, obstacles, route } = await parts.work.run(
      parts.callers.ownerOf(request),
      () => parts.previewEmail(asked),
    )
    const [problem] = error === null ? obstacles : [`It cannot be rendered: ${error.message}`]
    if (rendered === undefined || problem !== undefined)
      return { success: false, message: problem ?? '' }
    const { id } = asked.email
    const to = { address, name: '' }
    return parts.sendTest({
      rendered: { ...rendered, to },
      route,
      emailId: id === 0 ? null : id,
      brand: asked.email.brand_id || null,
      caller,
    })
  })
}

type PreviewBody = Omit<Static<typeof previewBody>, 'contactId'> & {
  contactId?: number | undefined
}

async function readRequest(
  { id, email: values, contactId, contact = {}, tokens = {} }: PreviewBody,
  { emails, readContactData }: EmailPreviewRouteParts,
  caller: Caller,
): Promise<PreviewRequest> {
  if (id === undefined && values === undefined) throw emailMissing()
  const saved = id === undefined ? undefined : await emails.getRow(id, caller)
  const email = await emails.draft(values ?? {}, saved, caller)
  const data =
    contactId === undefined
      ? strangerData(caller.email ?? exampleAddress)
      : await readContactData(contactId, caller)
  return { email, contact: { ...data, ...contact }, contactId, tokens: readTokens(tokens), caller }
}

/** For callers without an address. */
const exampleAddress = 'contact@example.com'

function emailMissing(): AppError {
  const message = 'Give "id", a saved email, or "email", unsaved values, or both.'
  return new AppError('invalid', 'email_missing', message)
}

function present(
  { contact, caller }: PreviewRequest,
  { rendered, error, warnings, route }: EmailPreview,
): Static<typeof previewAnswer> {
  const to: Mailbox = contactMailbox(contact)
  const empty = { from: null, replyTo: null, subject: null, html: null, text: null, headers: {} }
  const shown = rendered === undefined ? empty : { ...rendered, headers: { ...rendered.headers } }
  return { ...shown, to, error, warnings, route: visibleRoute(route, caller) }
}
