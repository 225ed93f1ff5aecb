import { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import Type from 'typebox'
import {
  type Callers,
  type HttpApp,
  type HttpRequest,
  idParameters,
  readId,
  validationError,
} from '../../http/index.ts'
import { AppError } from '../../kit/app-error.ts'
import type { Caller } from '../../kit/caller.ts'
import { visibleProblem } from '../deliveries/visible-delivery.ts'
import { type SendingItem, sendingItem } from './sending-item.ts'
import type { Sendings } from './sendings.ts'

const tags = ['sendings']
const viewing = { permission: 'email:view' as const }
const sending = { permission: 'email:send' as const }
const wrapped = Type.Object({ sending: sendingItem })
const eventIntervalMs = 1_000

/** Adds `/api/sendings`: how the jobs fare, and what may be done about them. */
export function addSendingRoutes(app: HttpApp, sendings: Sendings, callers: Callers): void {
  const show = (item: SendingItem, request: HttpRequest) =>
    visibleSending(item, callers.of(request))
  addListRoute(app, sendings, callers)
  app.get(
    '/api/sendings/:id',
    {
      config: viewing,
      schema: {
        operationId: 'getBroadcast',
        summary: 'Get the status of a broadcast',
        tags,
        params: idParameters,
        response: { 200: wrapped },
      },
    },
    async (request) => ({
      sending: show(await sendings.get(readId(request.params.id)), request),
    }),
  )
  addEventRoute(app, sendings, callers)
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
    app.post(`/api/sendings/:id/${action}`, { config: sending, schema }, async (request) => ({
      sending: show(await sendings[action](readId(request.params.id)), request),
    }))
  }
}

function visibleSending(item: SendingItem, caller: Caller): SendingItem {
  return { ...item, problem: visibleProblem(item.problem, caller) }
}

function addListRoute(app: HttpApp, sendings: Sendings, callers: Callers): void {
  const parameters = Type.Object({
    start: Type.Optional(Type.String({ description: 'How many to pass over.' })),
    limit: Type.Optional(Type.String({ description: 'How many, at most 100. Default 30.' })),
  })
  const schema = {
    operationId: 'listBroadcasts',
    summary: 'List the broadcasts, the newest first',
    tags,
    querystring: Type.Unsafe<Record<string, unknown>>(parameters),
    response: {
      200: Type.Object({
        total: Type.Integer({ examples: [1] }),
        sendings: Type.Array(sendingItem),
      }),
    },
  }
  app.get('/api/sendings', { config: viewing, schema }, async (request) => {
    const read = (name: string, fallback: number) => {
      const value = request.query[name] ?? String(fallback)
      if (typeof value === 'string' && /^\d{1,9}$/.test(value)) return Number(value)
      throw validationError({ [name]: ['must be a whole number'] })
    }
    const range = { start: read('start', 0), limit: Math.min(read('limit', 30), 100) }
    const page = await sendings.list(range)
    const caller = callers.of(request)
    return { ...page, sendings: page.sendings.map((item) => visibleSending(item, caller)) }
  })
}

/** Server-sent events: one for each change, until the sending ends or the listener leaves. */
function addEventRoute(app: HttpApp, sendings: Sendings, callers: Callers): void {
  const listeners = createListenerLimit()
  const closing = new AbortController()
  app.addHook('preClose', () => closing.abort())
  const schema = {
    operationId: 'followBroadcast',
    summary: 'Follow the progress of a broadcast',
    description: 'Server-sent events, `event: progress`, each with the sending as its data.',
    tags,
    params: idParameters,
    response: {
      200: {
        description: 'An event for each change, until the broadcast ends.',
        content: {
          'text/event-stream': {
            schema: Type.Unsafe<Readable>(Type.String()),
            example: 'event: progress\nid: 1769874875000\ndata: {"id":1,"status":"running"}\n\n',
          },
        },
      },
    },
  }
  app.get('/api/sendings/:id/events', { config: viewing, schema }, async (request, reply) => {
    const caller = callers.of(request)
    const get = async (id: number) => visibleSending(await sendings.get(id), caller)
    const first = await get(readId(request.params.id))
    // Who asks for the head only hears nothing of the events, and would not be missed when he leaves.
    const signal = request.method === 'HEAD' ? AbortSignal.abort() : closing.signal
    const leave = listeners.enter(caller)
    const events = Readable.from(follow({ get }, first, signal), { objectMode: false })
    events.once('close', leave)
    // A server that stops ends the events, and must not wait for the connection to be used again.
    void reply.header('connection', 'close').header('cache-control', 'no-store')
    return reply.type('text/event-stream; charset=utf-8').send(events)
  })
}

/** So many listeners may one caller have; each keeps a connection, and asks the database each second. */
const listenersMax = 20

/** Counts who listens. */
function createListenerLimit() {
  const counts = new Map<string, number>()
  return {
    /** Returns what to call when the listener has left. Throws an AppError (`rate_limited`). */
    enter({ userId, clientId }: Caller): () => void {
      const key = `${userId} ${clientId}`
      const count = counts.get(key) ?? 0
      if (count >= listenersMax) throw tooManyListeners()
      counts.set(key, count + 1)
      return () => {
        const left = (counts.get(key) ?? 1) - 1
        if (left === 0) counts.delete(key)
        else counts.set(key, left)
      }
    },
  }
}

function tooManyListeners(): AppError {
  const message = `You have ${listenersMax} open event streams, and may not have more. Close one of them.`
  return new AppError('rate_limited', 'too_many_listeners', message, { retryAfterSeconds: 5 })
}

async function* follow(
  sendings: Pick<Sendings, 'get'>,
  first: SendingItem,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let last = ''
  // Where the database does not answer, nothing new is known; the listener need not begin anew.
  const next = () => sendings.get(first.id).catch(() => undefined)
  for (let item: SendingItem | undefined = first; ; item = await next()) {
    const data = item === undefined ? last : JSON.stringify(item)
    // A comment shows that somebody is still there.
    yield data === last
      ? ': nothing new\n\n'
      : `event: progress\nid: ${Date.now()}\ndata: ${data}\n\n`
    last = data
    if (item?.status === 'done' || item?.status === 'cancelled' || signal.aborted) return
    await setTimeout(eventIntervalMs, undefined, { signal }).catch(() => undefined)
  }
}
