import Type from 'typebox'
import type { Caller } from '../../kit/caller.ts'
import {
  type Callers,
  type HttpApp,
  isAsked,
  text,
  validationError,
} from '../../platform/http/index.ts'
import { parseListQuery } from '../../platform/resource/index.ts'
import type { Filter } from '../../platform/storage/index.ts'
import { suppressionShape } from './schema.ts'
import { suppressionReasons } from './scope.ts'
import type { Suppressions } from './suppressions.ts'

const id = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description }))
const line = (description: string, maxLength = 1_000) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, description }))
/** Some ten thousand ids: `ids:1,2`. */
const searchLengthMax = 100_000

const deletedFilter = Type.Object(
  {
    search: line('As in the list; `ids:1,2` for single ones.', searchLengthMax),
    reason: Type.Optional(Type.Enum([...suppressionReasons])),
    address: line('The suppressions of this address.'),
    senderDomain: line('For this sender domain.'),
    source: line('With exactly this source, such as the name of an imported file.'),
    brand: id('Of this brand.'),
    transportId: id('Bounces that this transport found.'),
    transport: Type.Optional(
      Type.Enum(['default'], { description: '`default`: that the configured transport found.' }),
    ),
    deliveryId: id('The bounce that this delivery found.'),
    addedSince: line('Added since then, such as 2026-01-31T12:00:00Z.'),
  },
  {
    title: 'SuppressionFilter',
    // A misspelled filter would delete more than it should.
    additionalProperties: false,
    examples: [{ source: 'unsubscribed.csv' }],
  },
)

const schema = {
  operationId: 'deleteMatchingSuppressions',
  summary: 'Delete all suppressions that match',
  description:
    'The filters are those of the list; give at least one, and all have to match. What was reported to Mautics because of the suppressions is taken back. With `dryRun=1`, the answer has the number and nothing is deleted.',
  tags: ['suppressions'],
  querystring: Type.Unsafe<Record<string, unknown>>(
    Type.Object({ dryRun: text('`1`: counts what would be deleted, and changes nothing.') }),
  ),
  body: deletedFilter,
  response: {
    200: Type.Object({
      suppressions: Type.Integer({ description: 'How many match.', examples: [0] }),
    }),
  },
}

/** Adds `POST /api/suppressions/delete`. */
export function addDeleteRoute(
  app: HttpApp,
  { suppressions, callers }: { suppressions: Suppressions; callers: Callers },
): void {
  const config = { permission: ['contact:view', 'contact:delete'] as const }
  app.post('/api/suppressions/delete', { schema, config }, async (request) => {
    const filters = Object.entries(request.body)
    if (filters.length === 0)
      throw validationError({ reason: ['is missing: give at least one filter, as in the list'] })
    const asked = Object.fromEntries(filters.map(([name, value]) => [name, String(value)]))
    const { fields, parameters } = suppressionShape
    const query = parseListQuery(asked, { fields, parameters, limit: undefined })
    for (const [name, value] of Object.entries(asked)) {
      // A search such as "or" excludes nothing.
      const only = parseListQuery({ [name]: value }, { fields, parameters, limit: undefined })
      if (excludesNothing(only.filter))
        throw validationError({
          [name]: ['excludes nothing: give a filter that some do not match'],
        })
    }
    const caller = callers.of(request)
    const { brands } = caller
    // Those without a brand are seen by callers with brands, and not deleted.
    const isOwn = { op: 'in', field: 'brand', values: brands === 'all' ? [] : brands } as const
    const filter: Filter =
      brands === 'all' ? query.filter : { op: 'and', of: [query.filter, isOwn] }
    const work = isAsked(request.query, 'dryRun')
      ? suppressions.list({ ...query, filter }, caller).count()
      : deleteMatching(suppressions, filter, caller)
    return { suppressions: await work }
  })
}

/** Whether every suppression matches a filter. */
function excludesNothing(filter: Filter): boolean {
  if (filter.op === 'and') return filter.of.every(excludesNothing)
  if (filter.op === 'or') return filter.of.some(excludesNothing)
  if (filter.op === 'like') return /^%*$/.test(String(filter.value))
  return filter.op === 'text' && filter.text.trim() === ''
}

/** The suppressions of one transaction. */
const rowsPerBatch = 500

/** Deletes the suppressions that match, in parts and in the order of their ids; returns how many. */
async function deleteMatching(
  suppressions: Suppressions,
  filter: Filter,
  caller: Caller,
): Promise<number> {
  let deleted = 0
  for (let last = 0; ; ) {
    const isAfter = { op: 'gt', field: 'id', value: last } as const
    const query = {
      start: 0,
      limit: rowsPerBatch,
      filter: { op: 'and', of: [filter, isAfter] } as const,
      order: [],
    }
    const ids: number[] = []
    for await (const page of suppressions.list(query, caller).pages())
      ids.push(...page.map((item) => item.id))
    const results = await suppressions.remove(
      ids.map((each) => ({ id: each })),
      { caller, isAtomic: false },
    )
    // One that someone else has deleted meanwhile does not count.
    deleted += results.filter(({ ok }) => ok).length
    last = ids.at(-1) ?? last
    if (ids.length < rowsPerBatch) return deleted
  }
}
