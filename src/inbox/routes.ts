import Type from 'typebox'
import { type HttpApp, idParameters, readId, validationError } from '../http/index.ts'
import type { FaultDetails } from '../kit/app-error.ts'
import type { Inbox } from './inbox.ts'
import { inboxItem, inboxMessage } from './schema.ts'
import type { InboxQuery } from './store.ts'

const tags = ['inbox']
const limitMax = 1_000
const searchLengthMax = 200
const path = '/api/inbox'

const viewing = { permission: 'email:view' as const }
const deleting = { permission: 'email:delete' as const }
const done = (example: string) =>
  Type.Object({
    success: Type.Boolean({ examples: [true] }),
    message: Type.String({ examples: [example] }),
  })

const text = (description: string) => Type.Optional(Type.String({ description }))
const parameters = Type.Object({
  before: text('Only those older than this one: `next` of the page before.'),
  start: text('How many to skip. Default 0.'),
  limit: text(`How many, at most ${limitMax}. Default 30.`),
  transportId: text('Sent through this transport.'),
  search: text(
    `With this in sender, recipients or subject; at most ${searchLengthMax} characters.`,
  ),
})

const listSchema = {
  operationId: 'listInboxMessages',
  summary: 'List captured messages, the newest first',
  description: 'Messages that were sent through `inbox://local`: they are captured, not sent.',
  tags,
  querystring: Type.Unsafe<Record<string, unknown>>(parameters),
  response: {
    200: Type.Object({
      total: Type.Integer({ examples: [1] }),
      messages: Type.Array(inboxItem),
      next: Type.Unsafe<number | null>({
        type: ['integer', 'null'],
        description: 'What `before` of the next page is; null at the end.',
        examples: [null],
      }),
    }),
  },
}

/** Adds `/api/inbox`: the messages that `inbox://local` has captured. */
export function addInboxRoutes(app: HttpApp, inbox: Inbox): void {
  addReadRoutes(app, inbox)
  const one = {
    operationId: 'deleteInboxMessage',
    summary: 'Delete a captured message',
    tags,
    params: idParameters,
    response: { 200: done('The captured message was deleted.') },
  }
  app.delete(`${path}/:id`, { schema: one, config: deleting }, async (request) => {
    await inbox.remove(readId(request.params.id))
    return { success: true, message: 'The captured message was deleted.' }
  })
  const all = {
    operationId: 'clearInbox',
    summary: 'Delete all captured messages',
    tags,
    response: { 200: done('2 captured messages were deleted.') },
  }
  app.delete(path, { schema: all, config: deleting }, async () => {
    const count = await inbox.clear()
    const what = count === 1 ? '1 captured message was' : `${count} captured messages were`
    return { success: true, message: `${what} deleted.` }
  })
}

function addReadRoutes(app: HttpApp, inbox: Inbox): void {
  app.get(path, { schema: listSchema, config: viewing }, (request) =>
    inbox.list(readQuery(request.query)),
  )
  const one = {
    operationId: 'getInboxMessage',
    summary: 'Get a captured message: its envelope, headers, texts and attachments',
    tags,
    params: idParameters,
    response: { 200: Type.Object({ message: inboxMessage }) },
  }
  app.get(`${path}/:id`, { schema: one, config: viewing }, async (request) => ({
    message: await inbox.get(readId(request.params.id)),
  }))
  const source = {
    operationId: 'getInboxMessageSource',
    summary: 'Get the source of a captured message',
    tags,
    params: idParameters,
    response: {
      200: {
        description: 'The message as it was captured, byte for byte.',
        content: {
          'message/rfc822': {
            schema: Type.Unsafe<Buffer>({ type: 'string' }),
            example: 'From: news@example.com\r\nSubject: Hello\r\n\r\nHello.\r\n',
          },
        },
      },
    },
  }
  app.get(`${path}/:id/source`, { schema: source, config: viewing }, async (request, reply) => {
    const id = readId(request.params.id)
    const bytes = await inbox.source(id)
    // Never shown as a page: what is in it comes from anybody.
    return reply
      .header('content-disposition', `attachment; filename="message-${id}.eml"`)
      .header('x-content-type-options', 'nosniff')
      .type('message/rfc822')
      .send(bytes)
  })
}

function readQuery(query: Record<string, unknown>): InboxQuery {
  const details: FaultDetails = {}
  const given = (name: string): string | undefined => {
    const value = query[name]
    if (value === undefined || value === '') return undefined
    if (typeof value === 'string' && !value.includes('\0')) return value
    details[name] = [typeof value === 'string' ? 'must not contain NUL' : 'must be given once']
    return undefined
  }
  const number = (name: string) => {
    const value = given(name)
    if (value === undefined || /^\d{1,15}$/.test(value)) return value && Number(value)
    details[name] = ['must be a whole number']
    return undefined
  }
  const search = given('search')
  if (search !== undefined && search.length > searchLengthMax)
    details['search'] = [`must have at most ${searchLengthMax} characters`]
  const asked = {
    before: number('before') || undefined,
    start: number('start') || 0,
    limit: Math.min(Math.max(number('limit') || 30, 1), limitMax),
    transportId: number('transportId') || undefined,
    search,
  }
  if (Object.keys(details).length > 0) throw validationError(details)
  return asked
}
