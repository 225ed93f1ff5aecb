import { Readable } from 'node:stream'
import Type from 'typebox'
import {
  type Callers,
  createQueryReader,
  type HttpApp,
  type HttpRequest,
  idParameter,
  idParameters,
  isAsked,
  nextPage,
  pageParameters,
  type Query,
  readId,
  text,
} from '../http/index.ts'
import { callerKey } from '../kit/caller.ts'
import type { Inbox } from './inbox.ts'
import { inboxItem, inboxMessage } from './schema.ts'
import type { InboxQuery } from './store.ts'

const tags = ['inbox']
const limitMax = 1_000
const searchLengthMax = 200
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
      next: nextPage,
    }),
  },
}

/** Adds `/api/inbox`: the messages that `inbox://local` has captured. */
export function addInboxRoutes(app: HttpApp, inbox: Inbox, callers: Callers): void {
  addReadRoutes(app, inbox, callers)
  addPartRoutes(app, inbox)
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
    const subject = count === 1 ? '1 captured message was' : `${count} captured messages were`
    return { success: true, message: `${subject} deleted.` }
  })
}

function addReadRoutes(app: HttpApp, inbox: Inbox, callers: Callers): void {
  app.get(path, { schema: listSchema, config: viewing }, (request) =>
    inbox.list(readQuery(request.query), callerKey(callers.of(request))),
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
    await charge(request, inbox, id)
    return { message: await inbox.get(id) }
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
            schema: Type.Unsafe<Readable>({ type: 'string' }),
            example: 'From: news@example.com\r\nSubject: Hello\r\n\r\nHello.\r\n',
          },
        },
      },
    },
  }
  app.get(`${path}/:id/source`, { schema: source, config: reading }, async (request, reply) => {
    const id = readId(request.params.id)
    request.server.bodies.charge(request, await inbox.memoryOf(id, 'piece'))
    const { sizeBytes, pieces } = await inbox.source(id, callers.ownerOf(request))
    // Never shown as a page: what is in it comes from anybody.
    return reply
      .header('content-disposition', `attachment; filename="message-${id}.eml"`)
      .header('x-content-type-options', 'nosniff')
      .header('content-length', sizeBytes)
      .type('message/rfc822')
      .send(Readable.from(pieces, { objectMode: false }))
  })
}

/** Takes the memory for a whole message from the share of the caller. Throws an AppError (`not_found`, `rate_limited`). */
async function charge(request: HttpRequest, inbox: Inbox, id: number): Promise<void> {
  request.server.bodies.charge(request, await inbox.memoryOf(id, 'message'))
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

const attachmentSchema = {
  operationId: 'getInboxMessageAttachment',
  summary: 'Download an attachment of a captured message',
  tags,
  params: Type.Object({
    ...idParameters.properties,
    number: idParameter('Its place in `attachments`, from 1.'),
  }),
  response: {
    200: {
      description: 'The attachment, with its own media type.',
      content: {
        'application/octet-stream': {
          schema: Type.Unsafe<Buffer>({ type: 'string' }),
          example: 'Hello',
        },
      },
    },
  },
}

function addPartRoutes(app: HttpApp, inbox: Inbox): void {
  app.get(`${path}/:id/html`, { schema: pageSchema, config: reading }, async (request, reply) => {
    const images = isAsked(request.query, 'images') ? 'https: data:' : 'data:'
    const id = readId(request.params.id)
    await charge(request, inbox, id)
    const html = await inbox.page(id)
    // Anybody may have written it. The sandbox gives it an origin of its own, without scripts and forms.
    const policy = `sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src ${images}; frame-ancestors 'self'`
    return reply
      .header('content-security-policy', policy)
      .type('text/html; charset=utf-8')
      .send(html)
  })
  const url = `${path}/:id/attachments/:number`
  app.get(url, { schema: attachmentSchema, config: reading }, async (request, reply) => {
    const id = readId(request.params.id)
    await charge(request, inbox, id)
    const number = readId(request.params.number)
    const { filename, contentType, bytes } = await inbox.attachment(id, number)
    const isType = /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/.test(contentType)
    return reply
      .header('content-disposition', dispositionOf(filename))
      .header('x-content-type-options', 'nosniff')
      .header('content-security-policy', "sandbox; default-src 'none'")
      .type(isType ? contentType : 'application/octet-stream')
      .send(Buffer.from(bytes))
  })
}

/** The name in ASCII, and in full (RFC 6266). */
function dispositionOf(filename: string): string {
  const name = filename.slice(-200).toWellFormed()
  const ascii = name.replaceAll(/[^\w. -]/g, '_')
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`
}

function readQuery(query: Query): InboxQuery {
  const read = createQueryReader(query, { lengthMax: searchLengthMax })
  const asked = {
    after: read.number('next') || undefined,
    start: read.number('start') ?? 0,
    limit: read.limit(limitMax),
    transportId: read.number('transportId') || undefined,
    search: read.text('search'),
  }
  read.check()
  return asked
}
