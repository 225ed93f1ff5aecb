import type { Readable } from 'node:stream'
import Type from 'typebox'
import { type CsvValue, formatCsvLine } from '../../kit/csv.ts'
import { CsvExports, exportsMax } from '../../kit/csv-exports.ts'
import type { Callers, HttpApp, Query } from '../../platform/http/index.ts'
import { sendWarningsHeader, text } from '../../platform/http/index.ts'
import type { Deliveries } from './deliveries.ts'
import { checkFilters, type DeliveryItem, visibleDelivery } from './delivery-item.ts'
import type { DeliveryQuery } from './delivery-query.ts'
import { createFilterReader, filterParameters, readFilters } from './filter-parameters.ts'

const rowsPerPage = 500

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
  'class',
  'brand',
] as const satisfies readonly (keyof DeliveryItem)[]

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
          example: `${formatCsvLine(columns)}1,2026-01-31T15:54:35+00:00,120,api,admin,1,1,,mailyard@localhost,carla@example.net,2,Try-out,smtp://smtp.example.com:587,accepted,,250 2.0.0 Ok: queued as 4Xz1,,<9c1b7f@example.com>,,,Your order 4711,delivered,,\r\n`,
        },
      },
    },
  },
}

/** Adds `/api/deliveries.csv`. */
export function addExportRoute(app: HttpApp, deliveries: Deliveries, callers: Callers): void {
  const exports = new CsvExports(columns)
  const config = { permission: 'email:view' as const }
  app.get('/api/deliveries.csv', { schema, config }, async (request, reply) => {
    const caller = callers.of(request)
    const query = readQuery(request.query)
    checkFilters(query, caller)
    const body = await exports.open<DeliveryItem>({
      caller,
      pages: deliveries.pages(query, caller),
      valuesOf(item) {
        const visible = visibleDelivery(item, caller)
        return columns.map((column) => cellOf(visible[column]))
      },
      isHead: request.method === 'HEAD',
    })
    sendWarningsHeader(request, reply)
    void reply.header('content-disposition', 'attachment; filename="deliveries.csv"')
    return reply.type('text/csv; charset=utf-8; header=present').send(body)
  })
}

function cellOf(value: DeliveryItem[(typeof columns)[number]]): CsvValue {
  return typeof value === 'object' ? (value?.name ?? null) : (value ?? null)
}

function readQuery(query: Query): DeliveryQuery & { rowsMax: number } {
  const read = createFilterReader(query)
  const rowsMax = read.number('limit') ?? Number.POSITIVE_INFINITY
  const filters = readFilters(read)
  read.check()
  return { ...filters, after: undefined, start: 0, limit: rowsPerPage, rowsMax }
}
