import Type from 'typebox'
import {
  type Callers,
  createQueryReader,
  type HttpApp,
  idParameters,
  isAsked,
  nextPage,
  pageParameters,
  type Query,
  readId,
  text,
} from '../../platform/http/index.ts'
import type { Inbox, InboxQuery } from './inbox.ts'
import { inboxItem, inboxMessage } from './schema.ts'

const tags = ['inbox']
const limitMax = 1_000
const path = '/api/inbox'

const viewing = { permission: 'email:view' as const }
/** Reading decrypts and parses: it runs as a job of the caller, within the caller's share of the memory. */
const reading = { ...viewing, isExpensive: true }
const deleting = { permission: 'email:delete' as const }
const done = (example: string) =>
  Type.Object({
    success: Type.Boolean({ examples: [true] }),
    message: Type.String({ examples: [example] }),
  })

const parameters = Type.Object({
  ...pageParameters(limitMax),
  start: text('How many to skip. Default 0.'),
  transportId: text('Sent through this transport.'),
  brand: text('Of this brand (id).'),
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
      next: nextPage,
    }),
  },
}

/** Adds `/api/inbox`: the messages that `inbox://local` has captured. */
export function addInboxRoutes(app: HttpApp, inbox: Inbox, callers: Callers): void {
  addReadRoutes(app, inbox, callers)
  const one = {
    operationId: 'deleteInboxMessage',
    summary: 'Delete a captured message',
    tags,
    params: idParameters,
    response: { 200: done('The captured message was deleted.') },
  }
  app.delete(`${path}/:id`, { schema: one, config: deleting }, async (request) => {
    await inbox.remove(readId(request.params.id), callers.of(request))
    return { success: true, message: 'The captured message was deleted.' }
  })
  const all = {
    operationId: 'clearInbox',
    summary: 'Delete all captured messages',
    tags,
    response: { 200: done('2 captured messages were deleted.') },
  }
  app.delete(path, { schema: all, config: deleting }, async (request) => {
    const count = await inbox.clear(callers.of(request))
    const subject = count === 1 ? '1 captured message was' : `${count} captured messages were`
    return { success: true, message: `${subject} deleted.` }
  })
}

function addReadRoutes(app: HttpApp, inbox: Inbox, callers: Callers): void {
  app.get(path, { schema: listSchema, config: viewing }, (request) =>
    inbox.list(readQuery(request.query), callers.of(request)),
  )
  const one = {
    operationId: 'getInboxMessage',
    summary: 'Get a captured message: its envelope, headers, texts and attachments',
    tags,
    params: idParameters,
    response: { 200: Type.Object({ message: inboxMessage }) },
  }
  app.get(`${path}/:id`, { schema: one, config: reading }, async (request) => {
    const id = readId(request.params.id)
    const caller = callers.of(request)
    request.server.bodies.charge(request, await inbox.memoryOf(id, caller))
    return { message: await inbox.get(id, caller) }
  })
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
  app.get(`${path}/:id/source`, { schema: source, config: reading }, async (request, reply) => {
    const id = readId(request.params.id)
    const caller = callers.of(request)
    request.server.bodies.charge(request, await inbox.memoryOf(id, caller))
    // Never shown as a page: what is in it comes from anybody.
    return reply
      .header('content-disposition', `attachment; filename="message-${id}.eml"`)
      .header('x-content-type-options', 'nosniff')
      .type('message/rfc822')
      .send(await inbox.source(id, caller))
  })
  app.get(`${path}/:id/html`, { schema: pageSchema, config: reading }, async (request, reply) => {
    const images = isAsked(request.query, 'images') ? 'https: data:' : 'data:'
    const id = readId(request.params.id)
    const caller = callers.of(request)
    request.server.bodies.charge(request, await inbox.memoryOf(id, caller))
    // Only text without a font gets this one.
    const html = `${await inbox.page(id, caller)}<style>:where(html){font-family:system-ui,sans-serif}</style>`
    // Anybody may have written it. The sandbox gives it an origin of its own, without scripts and forms.
    const policy = `sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src ${images}; frame-ancestors 'self'`
    return reply
      .header('content-security-policy', policy)
      .type('text/html; charset=utf-8')
      .send(html)
  })
}

const pageSchema = {
  operationId: 'getInboxMessageHtml',
  summary: 'Get the HTML of a captured message as a page that runs no scripts',
  description:
    'Its own images are in it. Images of other hosts are loaded with `images=1` only: they tell the sender that it was read.',
  tags,
  params: idParameters,
  querystring: Type.Unsafe<Record<string, unknown>>(
    Type.Object({ images: text('`1`: load images of other hosts over HTTPS.') }),
  ),
  response: {
    200: {
      description: 'The HTML, in a sandbox.',
      content: {
        'text/html': { schema: Type.Unsafe<string>({ type: 'string' }), example: '<p>Hello</p>' },
      },
    },
  },
}

function readQuery(query: Query): InboxQuery {
  const read = createQueryReader(query)
  const asked = {
    after: read.number('next') || undefined,
    start: read.number('start') ?? 0,
    limit: read.limit(limitMax),
    transportId: read.number('transportId') || undefined,
    brand: read.number('brand'),
  }
  read.check()
  return asked
}
