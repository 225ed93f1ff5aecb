import Type from 'typebox'
import { type HttpApp, validationError, withHeaders } from '../http/index.ts'
import type { FaultDetails } from '../kit/app-error.ts'
import type { SegmentQuery, Segments } from './segments.ts'

const limitDefault = 30
const searchLengthMax = 255

const text = (description: string) => Type.Optional(Type.String({ description }))
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

/** Adds `GET /api/segments`, in the shape of Mautic: the list is called `lists`. */
export function addSegmentRoutes(app: HttpApp, segments: Segments): void {
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
    const { total, segments: found } = await segments.list(readQuery(request.query))
    void reply.header('x-total-count', total)
    return { total, lists: found.map((each) => ({ alias: each.name, ...each })) }
  })
}

/** Throws an AppError (`invalid`) that names every parameter that is wrong. */
function readQuery(query: Readonly<Record<string, unknown>>): SegmentQuery {
  const details: FaultDetails = {}
  const read = (name: string, fallback: string, { pattern, fault }: Rule) => {
    const given = query[name] === '' ? undefined : query[name]
    const value = given ?? fallback
    if (typeof value === 'string' && pattern.test(value)) return value
    details[name] = [fault]
    return fallback
  }
  const start = Number(read('start', '0', wholeNumber))
  const limit = Number(read('limit', String(limitDefault), wholeNumber))
  const search = read('search', '', shortText).trim()
  read('orderBy', 'name', nameOnly)
  const direction = read('orderByDir', 'ASC', directions).toLowerCase() as 'asc' | 'desc'
  if (Object.keys(details).length > 0) throw validationError(details)
  return { start, limit: limit === 0 ? undefined : limit, search, direction }
}

interface Rule {
  pattern: RegExp
  fault: string
}

const wholeNumber = { pattern: /^\d{1,15}$/, fault: 'must be a whole number, 0 or more' }
const shortText = {
  pattern: /^.{0,255}$/s,
  fault: `must be text of ${searchLengthMax} characters or fewer`,
}
const nameOnly = { pattern: /^name$/, fault: 'must be name' }
const directions = { pattern: /^(asc|desc)$/i, fault: 'must be ASC or DESC' }
