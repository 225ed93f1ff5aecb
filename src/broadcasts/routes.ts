import { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import Type from 'typebox'
import {
  type Callers,
  createQueryReader,
  type HttpApp,
  type HttpRequest,
  idParameters,
  limitParameter,
  readId,
} from '../http/index.ts'
import { CallerLimit } from '../kit/caller-limit.ts'
import { type BroadcastItem, broadcastItem, visibleBroadcast } from './broadcast-item.ts'
import type { Broadcasts } from './broadcasts.ts'
import { addRecipientRoutes } from './recipient-routes.ts'
import { broadcastStates } from './table.ts'

const tags = ['broadcasts']
const viewing = { permission: 'email:view' as const }
const sending = { permission: 'email:send' as const }
const wrapped = Type.Object({ broadcast: broadcastItem })
const eventIntervalMs = 1_000
const limitMax = 100

/** Adds `/api/broadcasts`: state, progress events, pause, resume and cancel. */
export function addBroadcastRoutes(app: HttpApp, broadcasts: Broadcasts, callers: Callers): void {
  const show = (item: BroadcastItem, request: HttpRequest) =>
    visibleBroadcast(item, callers.of(request))
  addListRoute(app, broadcasts, callers)
  app.get(
    '/api/broadcasts/:id',
    {
      config: viewing,
      schema: {
        operationId: 'getBroadcast',
        summary: 'Get the state of a broadcast',
        tags,
        params: idParameters,
        response: { 200: wrapped },
      },
    },
    async (request) => ({
      broadcast: show(await broadcasts.get(readId(request.params.id)), request),
    }),
  )
  addEventRoute(app, broadcasts, callers)
  addRecipientRoutes(app, broadcasts, callers)
  const actions = {
    pause: 'Pause a broadcast',
    resume: 'Resume a broadcast',
    cancel: 'Cancel a broadcast',
  }
  for (const [action, summary] of Object.entries(actions) as [
    'pause' | 'resume' | 'cancel',
    string,
  ][]) {
    const schema = {
      operationId: `${action}Broadcast`,
      summary,
      tags,
      params: idParameters,
      errors: [409 as const],
      response: { 200: wrapped },
    }
    app.post(`/api/broadcasts/:id/${action}`, { config: sending, schema }, async (request) => ({
      broadcast: show(await broadcasts[action](readId(request.params.id)), request),
    }))
  }
}

function addListRoute(app: HttpApp, broadcasts: Broadcasts, callers: Callers): void {
  const parameters = Type.Object({
    start: Type.Optional(Type.String({ description: 'How many to skip.' })),
    limit: limitParameter(limitMax),
    state: Type.Optional(
      Type.String({ description: `Only those with this state: ${broadcastStates.join(', ')}.` }),
    ),
    emailId: Type.Optional(Type.String({ description: 'Only those of this email.' })),
  })
  const schema = {
    operationId: 'listBroadcasts',
    summary: 'List the broadcasts, the newest first',
    tags,
    querystring: Type.Unsafe<Record<string, unknown>>(parameters),
    response: {
      200: Type.Object({
        total: Type.Integer({ examples: [1] }),
        broadcasts: Type.Array(broadcastItem),
      }),
    },
  }
  app.get('/api/broadcasts', { config: viewing, schema }, async (request) => {
    const read = createQueryReader(request.query)
    const range = {
      start: read.number('start') ?? 0,
      limit: read.limit(limitMax),
      state: read.word('state', broadcastStates),
      emailId: read.number('emailId'),
    }
    read.check()
    const page = await broadcasts.list(range)
    const caller = callers.of(request)
    return { ...page, broadcasts: page.broadcasts.map((item) => visibleBroadcast(item, caller)) }
  })
}

/** Server-sent events: one a second, until the broadcast ends or the client disconnects. */
function addEventRoute(app: HttpApp, broadcasts: Broadcasts, callers: Callers): void {
  const listeners = new CallerLimit({
    countMax: listenersMax,
    code: 'too_many_listeners',
    message: `You have ${listenersMax} open event streams, which is the limit. Close one of them.`,
  })
  const closing = new AbortController()
  app.addHook('preClose', () => closing.abort())
  const schema = {
    operationId: 'followBroadcast',
    summary: 'Follow the progress of a broadcast',
    description: 'Server-sent events, `event: progress`, each with the broadcast as its data.',
    tags,
    params: idParameters,
    response: {
      200: {
        description: 'An event each second, until the broadcast ends.',
        content: {
          'text/event-stream': {
            schema: Type.Unsafe<Readable>(Type.String()),
            example: 'event: progress\nid: 1769874875000\ndata: {"id":1,"state":"running"}\n\n',
          },
        },
      },
    },
  }
  app.get('/api/broadcasts/:id/events', { config: viewing, schema }, async (request, reply) => {
    const caller = callers.of(request)
    const get = async (id: number) => visibleBroadcast(await broadcasts.get(id), caller)
    const first = await get(readId(request.params.id))
    // A HEAD request gets no events, and its disconnect is not noticed: end at the first event.
    const signal = request.method === 'HEAD' ? AbortSignal.abort() : closing.signal
    const release = listeners.acquire(caller)
    const events = Readable.from(follow({ get }, first, signal), { objectMode: false })
    events.once('close', release)
    // A stopping server must not wait for a kept-alive connection.
    void reply.header('connection', 'close').header('cache-control', 'no-store')
    return reply.type('text/event-stream; charset=utf-8').send(events)
  })
}

/** The most listeners of one caller; each keeps a connection and queries the database each second. */
const listenersMax = 20

/** Every interval has an event, changed or not: the client may have shown the answer to its own action in between. */
async function* follow(
  broadcasts: Pick<Broadcasts, 'get'>,
  first: BroadcastItem,
  signal: AbortSignal,
): AsyncGenerator<string> {
  // If the database does not answer, a comment keeps the connection open: the client need not reconnect.
  const next = () => broadcasts.get(first.id).catch(() => undefined)
  for (let item: BroadcastItem | undefined = first; ; item = await next()) {
    yield item === undefined
      ? ': the database does not answer\n\n'
      : `event: progress\nid: ${Date.now()}\ndata: ${JSON.stringify(item)}\n\n`
    if (item?.state === 'done' || item?.state === 'cancelled' || signal.aborted) return
    await setTimeout(eventIntervalMs, undefined, { signal }).catch(() => undefined)
  }
}
