import Type from 'typebox'
import {
  type Callers,
  createQueryReader,
  type HttpApp,
  type Query,
  text,
  withHeaders,
} from '../http/index.ts'
import { callerKey } from '../kit/caller.ts'
import { addResourceRoutes } from '../resource/index.ts'
import type { Storage } from '../storage/index.ts'
import { describeFields } from './present-contact.ts'
import { contactShape } from './schema.ts'
import { listSegments, type SegmentQuery } from './segments.ts'
import type { Contacts } from './service.ts'

/** Dependencies of the contact routes. */
export interface ContactRouteParts {
  contacts: Contacts
  storage: Storage
  callers: Callers
}

/** Adds `/api/contacts` and `/api/segments`. */
export function addContactRoutes(app: HttpApp, parts: ContactRouteParts): void {
  addSegmentRoutes(app, parts)
  addFieldRoute(app)
  addResourceRoutes(app, contactShape, { service: parts.contacts, callers: parts.callers })
}

const fieldExample = { id: 3, label: 'First Name', alias: 'firstname', type: 'text', group: 'core' }

/** Adds Mautic's `GET /api/contacts/list/fields`. */
function addFieldRoute(app: HttpApp): void {
  const field = Type.Object({
    id: Type.Integer(),
    label: Type.String(),
    alias: Type.String({ description: 'Its name in requests, templates and tokens.' }),
    type: Type.String(),
    group: Type.String(),
    order: Type.Integer(),
  })
  const schema = {
    operationId: 'listContactFields',
    summary: 'List the fields of contacts',
    tags: ['contacts'],
    response: {
      200: Type.Record(Type.String(), field, {
        description: 'By id, as in Mautic.',
        examples: [{ '3': { ...fieldExample, order: 3 } }],
      }),
    },
  }
  const fields = Object.fromEntries(
    describeFields().map((each) => [each.id, { ...each, order: each.id }]),
  )
  const config = { permission: 'contact:view' as const }
  app.get('/api/contacts/list/fields', { schema, config }, () => fields)
}

const limitDefault = 30
const searchLengthMax = 255

const parameters = Type.Object({
  start: text('How many segments to skip. Default 0.'),
  limit: text(`How many segments to return; 0 for all. Default ${limitDefault}.`),
  search: text(`Part of the name, at most ${searchLengthMax} characters.`),
  orderBy: text('`name`, the default.'),
  orderByDir: text('`ASC` (default) or `DESC`.'),
})

const segment = Type.Object(
  {
    name: Type.String(),
    alias: Type.String({ description: 'The name again, as templates read it.' }),
    contactCount: Type.Integer({ description: 'How many contacts are in it.' }),
  },
  { title: 'Segment', examples: [{ name: 'newsletter', alias: 'newsletter', contactCount: 1 }] },
)

/** Adds `GET /api/segments`. As in Mautic, the list is called `lists`. */
function addSegmentRoutes(app: HttpApp, { storage, callers }: ContactRouteParts): void {
  const schema = {
    operationId: 'listSegments',
    summary: 'List the segments that contacts are in, with their counts',
    tags: ['contacts'],
    querystring: Type.Unsafe<Record<string, unknown>>(parameters),
    response: {
      200: withHeaders(
        Type.Object({ total: Type.Integer({ examples: [1] }), lists: Type.Array(segment) }),
        'X-Total-Count',
      ),
    },
  }
  const config = { permission: 'contact:view' as const }
  app.get('/api/segments', { schema, config }, async (request, reply) => {
    const query = { ...readQuery(request.query), owner: callerKey(callers.of(request)) }
    const { total, segments } = await listSegments(storage, query)
    void reply.header('x-total-count', total)
    return { total, lists: segments.map((each) => ({ alias: each.name, ...each })) }
  })
}

/** Throws an AppError (`invalid`) with every faulty parameter. */
function readQuery(query: Query): Omit<SegmentQuery, 'owner'> {
  const read = createQueryReader(query, { lengthMax: searchLengthMax })
  const limit = read.number('limit') ?? limitDefault
  const direction = read.text('orderByDir')?.toLowerCase() ?? 'asc'
  if (direction !== 'asc' && direction !== 'desc')
    read.addFault('orderByDir', 'must be ASC or DESC')
  read.word('orderBy', ['name'])
  const asked = {
    start: read.number('start') ?? 0,
    limit: limit === 0 ? undefined : limit,
    search: read.text('search')?.trim() ?? '',
    direction: direction === 'desc' ? ('desc' as const) : ('asc' as const),
  }
  read.check()
  return asked
}
