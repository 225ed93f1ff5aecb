import { Readable } from 'node:stream'
import Type from 'typebox'
import type { Callers, HttpApp, Query } from '../../http/index.ts'
import { text } from '../../http/index.ts'
import { type Caller, callerKey } from '../../kit/caller.ts'
import { CallerLimit } from '../../kit/caller-limit.ts'
import { type CsvValue, formatCsvLine } from '../../kit/csv.ts'
import type { Deliveries } from './deliveries.ts'
import { checkFilters, type DeliveryItem, visibleDelivery } from './delivery-item.ts'
import { type DeliveryQuery, inScope } from './delivery-query.ts'
import { createFilterReader, filterParameters, readFilters } from './filter-parameters.ts'

const rowsPerPage = 500
/** Each export keeps a connection and reads the database all the time. */
const exportsMax = 3

const parameters = Type.Object({
  limit: text('How many at most. Default: all.'),
  ...filterParameters,
})

/** The columns of the export: the members of a delivery, but for its trace. */
const columns = [
  'id',
  'date',
  'durationMs',
  'source',
  'caller',
  'emailId',
  'contactId',
  'sender',
  'recipient',
  'transportId',
  'transport',
  'member',
  'outcome',
  'reply',
  'reason',
  'messageId',
  'providerId',
  'mautic',
  'subject',
  'event',
] as const satisfies readonly (keyof DeliveryItem)[]

/** The first line: the names of the columns. */
const csvHeader = formatCsvLine(columns)

const schema = {
  operationId: 'exportDeliveries',
  summary: 'Export the deliveries as CSV, the newest first',
  description:
    'UTF-8 with a line of names, as in RFC 4180. Text that begins with `=`, `+`, `-`, `@` or a tab has an ' +
    `apostrophe before it, because a spreadsheet would run it as a formula. A caller can run ${exportsMax} at a time.`,
  tags: ['deliveries'],
  querystring: Type.Unsafe<Record<string, unknown>>(parameters),
  errors: [429 as const],
  response: {
    200: {
      description: 'A line for each delivery.',
      content: {
        'text/csv': {
          schema: Type.Unsafe<Readable>(Type.String()),
          example: `${csvHeader}1,2026-01-31T15:54:35+00:00,120,api,admin,1,1,,mailyard@localhost,carla@example.net,2,Try-out,smtp://smtp.example.com:587,accepted,,250 2.0.0 Ok: queued as 4Xz1,,<9c1b7f@example.com>,,,Your order 4711,delivered\r\n`,
        },
      },
    },
  },
}

/** Adds `/api/deliveries.csv`. */
export function addExportRoute(app: HttpApp, deliveries: Deliveries, callers: Callers): void {
  const exports = new CallerLimit({
    countMax: exportsMax,
    code: 'too_many_exports',
    message: `You have ${exportsMax} exports that are not finished, which is the limit. Wait for one of them.`,
  })
  const config = { permission: 'email:view' as const }
  app.get('/api/deliveries.csv', { schema, config }, async (request, reply) => {
    const caller = callers.of(request)
    const query = inScope(readQuery(request.query), caller)
    checkFilters(query, caller)
    const isHead = request.method === 'HEAD'
    const release = isHead ? () => undefined : exports.acquire(caller)
    const pages = deliveries.pages(query, callerKey(caller))
    // The first page is read before the answer begins, so that its errors are answered.
    const first = await pages.next().catch((error: unknown) => {
      release()
      throw error
    })
    const lines = isHead ? [] : writeLines({ pages, caller, first })
    const body = Readable.from(lines, { objectMode: false })
    body.once('close', release)
    void reply.header('content-disposition', 'attachment; filename="deliveries.csv"')
    return reply.type('text/csv; charset=utf-8; header=present').send(body)
  })
}

interface ExportParts {
  pages: AsyncGenerator<readonly DeliveryItem[]>
  caller: Caller
  first: IteratorResult<readonly DeliveryItem[]>
}

/** Reads the next page when the client has taken the one before; ends when the client disconnects. */
async function* writeLines({ pages, caller, first }: ExportParts): AsyncGenerator<string> {
  yield csvHeader
  for (let page = first; page.done !== true; page = await pages.next())
    if (page.value.length > 0)
      yield formatCsv(page.value.map((item) => visibleDelivery(item, caller)))
}

function cellOf(value: DeliveryItem[(typeof columns)[number]]): CsvValue {
  return typeof value === 'object' ? (value?.name ?? null) : value
}

/** Formats deliveries as lines of CSV. */
function formatCsv(deliveries: readonly DeliveryItem[]): string {
  return deliveries
    .map((delivery) => formatCsvLine(columns.map((column) => cellOf(delivery[column]))))
    .join('')
}

function readQuery(query: Query): DeliveryQuery & { rowsMax: number } {
  const read = createFilterReader(query)
  const rowsMax = read.number('limit') ?? Number.POSITIVE_INFINITY
  const filters = readFilters(read)
  read.check()
  return { ...filters, after: undefined, start: 0, limit: rowsPerPage, rowsMax }
}
