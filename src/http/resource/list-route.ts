import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { ListQuery } from '../../kit/list-query.ts'
import type { ResourceService } from '../../kit/resource.ts'
import type { Callers } from '../callers.ts'
import type { HttpApp } from '../http-app.ts'
import { listParameters } from '../list/list-parameters.ts'
import { parseListQuery } from '../list/parse-list-query.ts'
import { withHeaders } from '../openapi/headers.ts'
import { sendWarningsHeader, warningsOf } from '../warnings.ts'
import type { ResourceShape } from './resource.ts'
import { examplesOf, operationId } from './resource-examples.ts'

/** `GET` of the list. It is read and sent page by page, so its length costs no memory. */
export function addListRoute<Item extends { id: number }, Input>(
  app: HttpApp,
  shape: ResourceShape,
  { service, callers }: { service: ResourceService<Item, Input>; callers: Callers },
): void {
  const schema = {
    operationId: operationId('list', shape, 's'),
    summary: `List ${shape.label}s`,
    tags: [shape.many],
    querystring: Type.Unsafe<Record<string, unknown>>(listParameters),
    response: { 200: withHeaders(listSchema(shape), 'X-Total-Count', 'Link') },
  }
  const config = { permission: `${shape.area}:view` as const }
  app.get(shape.path, { schema, config, serializerCompiler: asIs }, async (request, reply) => {
    const query = parseListQuery(request.query, { fields: shape.fields, limit: shape.listLimit })
    const list = service.list(query, callers.of(request))
    const total = await list.count()
    reply.header('x-total-count', total)
    addLinks(request, reply, { query, total })
    if (shape.isBare) sendWarningsHeader(request, reply)
    const envelope = envelopeOf(shape, { total, warnings: warningsOf(request) })
    return sendPages(reply, list.pages(), envelope)
  })
}

/** The answer is JSON already. */
const asIs = () => (text: unknown) => String(text)

function listSchema(shape: ResourceShape) {
  const { many, item, isBare, isKeyed } = shape
  const { item: example } = examplesOf(shape)
  if (isBare) return Type.Array(item)
  const entries = isKeyed
    ? Type.Union([Type.Record(Type.String(), item), Type.Array(item)], {
        description: 'By id; an empty list is `[]`.',
        examples: [{ [example.id]: example }],
      })
    : Type.Array(item)
  return Type.Object({ total: Type.Integer({ examples: [1] }), [many]: entries })
}

/** What stands around the entries, and how one of them is written. */
interface Envelope {
  head: string
  tail: string
  /** The whole answer where there is no entry. */
  empty: string
  write: (item: { id: number }) => string
}

function envelopeOf(
  { many, isBare, isKeyed }: ResourceShape,
  { total, warnings }: { total: number; warnings: readonly string[] },
): Envelope {
  const write = (item: { id: number }) => JSON.stringify(item)
  if (isBare) return { head: '[', tail: ']', empty: '[]', write }
  const warned = warnings.length === 0 ? '' : `"warnings":${JSON.stringify(warnings)},`
  const head = `{"total":${total},${warned}"${many}":`
  const empty = `${head}[]}`
  if (!isKeyed) return { head: `${head}[`, tail: ']}', empty, write }
  return { head: `${head}{`, tail: '}}', empty, write: (item) => `"${item.id}":${write(item)}` }
}

/**
 * The first page is read before the answer begins, so that a lost database is still told as one; a
 * list of one page is sent as one piece.
 */
async function sendPages<Item extends { id: number }>(
  reply: FastifyReply,
  pages: AsyncIterable<readonly Item[]>,
  envelope: Envelope,
): Promise<FastifyReply> {
  const { head, tail, empty, write } = envelope
  const iterator = pages[Symbol.asyncIterator]()
  const first = await iterator.next()
  reply.type('application/json; charset=utf-8')
  if (first.done === true) return reply.send(empty)
  const begin = `${head}${first.value.map(write).join(',')}`
  const second = await iterator.next()
  if (second.done === true) return reply.send(`${begin}${tail}`)
  const text = writePages(begin, second.value, { iterator, envelope })
  return reply.send(Readable.from(text, { objectMode: false }))
}

async function* writePages<Item extends { id: number }>(
  begin: string,
  second: readonly Item[],
  { iterator, envelope }: { iterator: AsyncIterator<readonly Item[]>; envelope: Envelope },
): AsyncGenerator<string> {
  yield `${begin},${second.map(envelope.write).join(',')}`
  for (;;) {
    // SQLite answers at once, and a reader that keeps up takes everything at once: others get their turn.
    await setImmediate()
    const page = await iterator.next()
    if (page.done === true) break
    yield `,${page.value.map(envelope.write).join(',')}`
  }
  yield envelope.tail
}

/** `Link` (RFC 8288) to the first, previous, next and last page, where the list has pages. */
function addLinks(
  request: FastifyRequest,
  reply: FastifyReply,
  { query, total }: { query: ListQuery; total: number },
): void {
  const { start, limit } = query
  if (limit === undefined) return
  const [path = '', search] = request.url.split('?')
  const linkTo = (rel: string, first: number) => {
    const parameters = new URLSearchParams(search)
    parameters.set('start', String(first))
    parameters.set('limit', String(limit))
    return `<${path}?${parameters.toString()}>; rel="${rel}"`
  }
  const last = Math.max(0, Math.ceil(total / limit) - 1) * limit
  const links = [linkTo('first', 0)]
  // Past the end, one limit back may be past it as well.
  const previous = start < total ? Math.max(0, start - limit) : last
  if (start > 0) links.push(linkTo('prev', previous))
  if (start + limit < total) links.push(linkTo('next', start + limit))
  const header = [...links, linkTo('last', last)].join(', ')
  // Clients and proxies refuse a head that is too large, and with it the whole answer.
  if (header.length <= linkLengthMax) reply.header('link', header)
}

const linkLengthMax = 4_000
