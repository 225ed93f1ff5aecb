import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type, { type TObject, type TSchema } from 'typebox'
import type { Caller } from '../../../kit/caller.ts'
import type { MaybePromise } from '../../../kit/maybe-promise.ts'
import { pause } from '../../../kit/pause.ts'
import {
  clientPath,
  createQueryReader,
  type HttpApp,
  type HttpRequest,
  isAsked,
  type Query,
  type RoutePermission,
  sendWarningsHeader,
  text,
  warningsOf,
  withHeaders,
} from '../../http/index.ts'
import type { ListQuery } from '../../storage/index.ts'
import { deletedFields } from '../deleted/deleted-records.ts'
import {
  describeParameters,
  listParameters,
  parseListQuery,
} from '../list-query/parse-list-query.ts'
import { hasPublished } from '../list-query/search.ts'
import type { ResourceService } from '../resource-service.ts'
import {
  type ListExtra,
  type ListShape,
  operationId,
  type ResourceParts,
  type ResourceShape,
} from '../resource-shape.ts'
import { pickFields } from './batch-answer.ts'
import { readFields } from './batch-request.ts'

interface ListParts<Item> extends Pick<ResourceParts<Item, unknown>, 'extras'> {
  service: Pick<ResourceService<Item, unknown>, 'list' | 'deleted'>
  callers: { of(request: HttpRequest): MaybePromise<Caller> }
}

/** Adds `GET` of the list of a resource. */
export function addListRoute<Item extends object>(
  app: HttpApp,
  shape: ResourceShape,
  parts: ListParts<Item>,
): void {
  const permissions = [`${shape.area}:view` as RoutePermission]
  addPagedRoute(app, { ...shape, permissions, tag: shape.many }, parts)
}

/** Adds `GET` of a list. It is read and sent page by page, so memory does not grow with its length. */
export function addPagedRoute<Item extends object>(
  app: HttpApp,
  shape: ListShape,
  { service, callers, extras = {} }: ListParts<Item>,
): void {
  const { deleted } = service
  const members = membersOf(extras, deleted !== undefined)
  const schema = {
    operationId: operationId('list', shape, 's'),
    summary: `List ${shape.label}s`,
    tags: [shape.tag],
    querystring: Type.Unsafe<Record<string, unknown>>(parametersOf(shape, members, extras)),
    response: { 200: withHeaders(listSchema(shape, members), 'X-Total-Count', 'Link') },
  }
  const config = { permission: shape.permissions }
  app.get(shape.path, { schema, config, serializerCompiler: asIs }, async (request, reply) => {
    const { fields: listFields, parameters, listLimit: limit } = shape
    const isOfDeleted = deleted !== undefined && isAsked(request.query, 'deleted')
    const query = isOfDeleted
      ? parseDeletedQuery(request.query, shape)
      : parseListQuery(request.query, { fields: listFields, parameters, limit })
    const known = isOfDeleted ? withMembers(shape.item, deletedMembers) : shape.item
    const fields = readFields(request.query, { item: known })
    const added = readExtras(request.query, extras)
    const caller = await callers.of(request)
    const list = isOfDeleted ? deleted.list(query, caller) : service.list(query, caller)
    const total = await list.count()
    reply.header('x-total-count', total)
    addLinks(request, reply, { query, total })
    if (shape.isBare) sendWarningsHeader(request, reply)
    const members = fields && [...fields, ...Object.keys(added)]
    const envelope = envelopeOf(shape, { total, fields: members, warnings: warningsOf(request) })
    return sendPages(reply, addExtras(list.pages(), { extras: added, caller }), envelope)
  })
}

/** The query parameter of a list that asks for the deleted records. */
const deletedParameter = text(
  '`1`: lists the deleted entries that can be restored, with `dateDeleted` and `deletedBy`, the last deleted first.',
)

/** What the entries of a list of deleted records have besides. */
const deletedMembers: Record<string, TSchema> = {
  dateDeleted: Type.Optional(
    Type.String({ format: 'date-time', description: 'With `deleted=1`: when it was deleted.' }),
  ),
  deletedBy: text('With `deleted=1`: who deleted it.'),
}

/** Reads the query of a list of deleted records, which has fewer fields. Throws an AppError (`invalid`) with every fault. */
function parseDeletedQuery(query: Query, { parameters = {}, listLimit }: ListShape): ListQuery {
  const unavailable = { fault: 'is not available with deleted=1', toFilter: () => undefined }
  const names = [...Object.keys(parameters), 'with']
  return parseListQuery(query, {
    fields: deletedFields,
    parameters: Object.fromEntries(names.map((name) => [name, unavailable])),
    limit: listLimit,
  })
}

/** The members that entries have only where the query asks for them. */
function membersOf(extras: Extras, hasDeleted: boolean): Record<string, TSchema> {
  const added = Object.entries(extras).map(([name, { schema }]) => [name, Type.Optional(schema)])
  return { ...Object.fromEntries(added), ...(hasDeleted ? deletedMembers : {}) }
}

/** The query parameters of a list, with those that only this list has. */
function parametersOf(shape: ListShape, members: Record<string, TSchema>, extras: Extras) {
  const names = Object.keys(extras)
  const added = text(`More members of each entry, separated by commas: ${wordList(names)}`)
  const { properties, ...options } = hasPublished(shape.fields)
    ? listParameters
    : { ...listParameters, ...Type.Omit(listParameters, ['published']) }
  return {
    ...options,
    ...Type.Object({
      ...properties,
      ...describeParameters(shape),
      ...shape.query,
      ...(names.length === 0 ? {} : { with: added }),
      ...('dateDeleted' in members ? { deleted: deletedParameter } : {}),
    }),
  }
}

function wordList(words: readonly string[]): string {
  return `${words.map((word) => `\`${word}\``).join(', ')}.`
}

type Extras = Readonly<Record<string, ListExtra>>

/** Reads `with=usage,lastTest`. Throws an AppError (`invalid`) for an unknown member. */
function readExtras(query: Query, extras: Extras): Extras {
  const names = Object.keys(extras)
  if (names.length === 0) return {}
  const read = createQueryReader(query)
  const asked = (read.text('with') ?? '').split(',').map((name) => name.trim())
  if (asked.some((name) => name !== '' && !names.includes(name)))
    read.addFault('with', `must be a list of ${names.join(', ')}`)
  read.check()
  return Object.fromEntries(Object.entries(extras).filter(([name]) => asked.includes(name)))
}

/** Lists with extra members, and lists by id, have items with an id. */
const idOf = (item: object) => (item as { id: number }).id

async function* addExtras<Item extends object>(
  pages: AsyncIterable<readonly Item[]>,
  { extras, caller }: { extras: Extras; caller: Caller },
): AsyncGenerator<readonly Item[]> {
  const entries = Object.entries(extras)
  for await (const items of pages) {
    const ids = items.map(idOf)
    const added: [string, readonly unknown[]][] = []
    for (const [name, { find }] of entries) added.push([name, await find(ids, caller)])
    yield items.map((item, index) => ({
      ...item,
      ...Object.fromEntries(added.map(([name, values]) => [name, values[index]])),
    }))
  }
}

/** The answer is JSON already. */
const asIs = () => (text: unknown) => String(text)

function listSchema(shape: ListShape, members: Record<string, TSchema>) {
  const { many, isBare, isKeyed } = shape
  const item = withMembers(shape.item, members)
  if (isBare) return Type.Array(item)
  const entries = isKeyed
    ? Type.Union([Type.Record(Type.String(), item), Type.Array(item)], {
        description: 'By id; an empty list is `[]`.',
        examples: exampleById(shape.item),
      })
    : Type.Array(item)
  return Type.Object({ total: Type.Integer({ examples: [1] }), [many]: entries })
}

function exampleById(item: TSchema): object[] {
  const { examples = [] } = item as { examples?: { id: number }[] }
  return examples.slice(0, 1).map((example) => ({ [example.id]: example }))
}

/** The schema of an entry of the list, with more members. */
function withMembers(item: TSchema, members: Record<string, TSchema>): TSchema {
  if (Object.keys(members).length === 0) return item
  const { title, examples, properties } = item as TObject & { title?: string; examples?: unknown }
  const more = { title: `${title}InList`, examples }
  return Type.Object({ ...properties, ...members }, more)
}

/** The text around the records, and how one record is written. */
interface Envelope {
  head: string
  tail: string
  /** The whole answer where there are no records. */
  empty: string
  write: (item: object) => string
}

interface ListFacts {
  total: number
  /** The members that each entry keeps; all if undefined. */
  fields: readonly string[] | undefined
  warnings: readonly string[]
}

function envelopeOf(
  { many, isBare, isKeyed }: ListShape,
  { total, fields, warnings }: ListFacts,
): Envelope {
  const write = (item: object) =>
    JSON.stringify(fields === undefined ? item : pickFields(item, fields))
  if (isBare) return { head: '[', tail: ']', empty: '[]', write }
  const warned = warnings.length === 0 ? '' : `"warnings":${JSON.stringify(warnings)},`
  const head = `{"total":${total},${warned}"${many}":`
  const empty = `${head}[]}`
  if (!isKeyed) return { head: `${head}[`, tail: ']}', empty, write }
  return { head: `${head}{`, tail: '}}', empty, write: (item) => `"${idOf(item)}":${write(item)}` }
}

/**
 * Sends pages. The first one is read before the answer begins, so that a lost database is answered 503; a list of one
 * page is sent in one piece.
 */
async function sendPages<Item extends object>(
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

async function* writePages<Item extends object>(
  begin: string,
  second: readonly Item[],
  { iterator, envelope }: { iterator: AsyncIterator<readonly Item[]>; envelope: Envelope },
): AsyncGenerator<string> {
  yield `${begin},${second.map(envelope.write).join(',')}`
  for (;;) {
    // SQLite answers synchronously, so without this pause a fast reader would block all other requests.
    await pause()
    const page = await iterator.next()
    if (page.done === true) break
    yield `,${page.value.map(envelope.write).join(',')}`
  }
  yield envelope.tail
}

/** Adds `Link` (RFC 8288) to the first, previous, next and last page, where the query has a limit. */
function addLinks(
  request: FastifyRequest,
  reply: FastifyReply,
  { query, total }: { query: ListQuery; total: number },
): void {
  const { start, limit } = query
  if (limit === undefined) return
  const [path = '', search] = clientPath(request, request.url).split('?')
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
  // Clients and proxies refuse answers with a larger head.
  if (header.length <= linkLengthMax) reply.header('link', header)
}

const linkLengthMax = 4_000
