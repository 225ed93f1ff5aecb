import type { Readable } from 'node:stream'
import Type from 'typebox'
import type { Clock } from '../../kit/clock.ts'
import { formatCsvLine } from '../../kit/csv.ts'
import { CsvExports } from '../../kit/csv-exports.ts'
import {
  batchSizeBytesMax,
  type Callers,
  createQueryReader,
  type HttpApp,
  type HttpRequest,
  type Query,
  sendWarningsHeader,
  text,
  validationError,
} from '../../platform/http/index.ts'
import {
  addResourceRoutes,
  describeParameters,
  parseListQuery,
} from '../../platform/resource/index.ts'
import { addDeleteRoute } from './delete-route.ts'
import { type ImportDefaults, importItems, readCsvItems } from './import-suppressions.ts'
import { type SuppressionInput, type SuppressionItem, suppressionShape } from './schema.ts'
import { suppressionReasons } from './scope.ts'
import type { Suppressions } from './suppressions.ts'

export interface SuppressionRouteParts {
  suppressions: Suppressions
  callers: Callers
  clock: Clock
}

/** Adds `/api/suppressions`, its import and its export. */
export function addSuppressionRoutes(app: HttpApp, parts: SuppressionRouteParts): void {
  addExportRoute(app, parts)
  addImportRoute(app, parts)
  addDeleteRoute(app, parts)
  const { suppressions: service, callers } = parts
  const extras = { reportedTo: service.reportedTo }
  addResourceRoutes<SuppressionItem, SuppressionInput>(app, suppressionShape, {
    service,
    callers,
    extras,
  })
}

const tags = ['suppressions']
const columns = [
  'id',
  'address',
  'reason',
  'senderDomain',
  'source',
  'dateAdded',
  'createdBy',
  'transportId',
  'deliveryId',
  'brand',
] as const

const exportSchema = {
  operationId: 'exportSuppressions',
  summary: 'Export the suppressions as CSV',
  description:
    'UTF-8 with a line of names, as in RFC 4180. It can be imported again; the import leaves out what found a bounce.',
  tags,
  querystring: Type.Unsafe<Record<string, unknown>>(
    Type.Object({
      search: text('As in the list.'),
      ...describeParameters(suppressionShape),
    }),
  ),
  errors: [429 as const],
  response: {
    200: {
      description: 'A line for each suppression.',
      content: {
        'text/csv': {
          schema: Type.Unsafe<Readable>(Type.String()),
          example: `${formatCsvLine(columns)}1,carla@example.net,complained,,Old newsletter system,2026-01-31T15:54:35+00:00,admin,,,\r\n`,
        },
      },
    },
  },
}

/** Adds `GET /api/suppressions.csv`, with the filters of the list. */
function addExportRoute(app: HttpApp, { suppressions, callers }: SuppressionRouteParts): void {
  const exports = new CsvExports(columns)
  const config = { permission: 'contact:view' as const }
  app.get('/api/suppressions.csv', { schema: exportSchema, config }, async (request, reply) => {
    const caller = callers.of(request)
    const { fields, parameters } = suppressionShape
    const query = parseListQuery(request.query, { fields, parameters, limit: undefined })
    const body = await exports.open<SuppressionItem>({
      caller,
      pages: suppressions.list(query, caller).pages()[Symbol.asyncIterator](),
      valuesOf: (item) => columns.map((column) => item[column] ?? null),
      isHead: request.method === 'HEAD',
    })
    sendWarningsHeader(request, reply)
    void reply.header('content-disposition', 'attachment; filename="suppressions.csv"')
    return reply.type('text/csv; charset=utf-8; header=present').send(body)
  })
}

const example = { suppressions: [{ address: 'erin@example.net', reason: 'bounced' }] }
const importSchema = {
  operationId: 'importSuppressions',
  summary: 'Import suppressions from CSV or JSON',
  description:
    'Send CSV with `Content-Type: text/csv`, up to 256 MiB: the first line has the names of the columns, of which only `address` is needed. Or send JSON. ' +
    'One that exists for the same address and scope is changed. A faulty row is listed in the answer and does not stop the others. ' +
    'If the import stops halfway, the error says which rows are imported.',
  tags,
  querystring: Type.Unsafe<Record<string, unknown>>(
    Type.Object({
      reason: text('The reason of rows without one. Default: `manual`.'),
      senderDomain: text('The sender domain of rows without one. Default: every sender.'),
      source: text('The source of rows without one. Default: `import`.'),
      brand: text('The brand of rows without one (id). Default: the brand of the caller.'),
    }),
  ),
  body: Type.Object(
    {
      suppressions: Type.Optional(
        Type.Array(
          Type.Unsafe<unknown>({
            type: 'object',
            additionalProperties: true,
            description:
              'As in `POST /api/suppressions/new`; `dateAdded` is the time when it was added elsewhere.',
          }),
        ),
      ),
    },
    { examples: [example] },
  ),
  errors: [413 as const],
  response: {
    200: Type.Object(
      {
        created: Type.Integer(),
        updated: Type.Integer(),
        failed: Type.Integer(),
        faults: Type.Array(Type.Object({ row: Type.Integer(), error: Type.String() }), {
          description: 'The first 100 rows that were not imported.',
        }),
      },
      { examples: [{ created: 1, updated: 0, failed: 0, faults: [] }] },
    ),
  },
}

/** Adds `POST /api/suppressions/import`. CSV is read while it arrives. */
function addImportRoute(
  app: HttpApp,
  { suppressions: writer, callers, clock }: SuppressionRouteParts,
) {
  const config = { permission: ['contact:create', 'contact:edit'] as const }
  void app.register(async (scope: HttpApp) => {
    const files = new WeakMap<object, Readable>()
    scope.addContentTypeParser(/^text\/csv\b/i, async (request: HttpRequest, file: Readable) => {
      files.set(request, file)
      return {}
    })
    const options = { schema: importSchema, config, bodyLimit: batchSizeBytesMax }
    scope.post('/api/suppressions/import', options, async (request) => {
      const file = files.get(request)
      const defaults = readDefaults(request.query)
      const items = file === undefined ? readJsonItems(request.body) : readCsvItems(file)
      const caller = callers.of(request)
      return importItems(items, { writer, caller, defaults, now: clock.now() })
    })
  })
}

function readDefaults(query: Query): ImportDefaults {
  const read = createQueryReader(query)
  const reason = read.word('reason', suppressionReasons)
  const senderDomain = read.text('senderDomain')
  const source = read.text('source') ?? 'import'
  const brand = read.number('brand')
  read.check()
  return {
    source,
    ...(reason === undefined ? {} : { reason }),
    ...(senderDomain === undefined ? {} : { senderDomain }),
    ...(brand === undefined ? {} : { brand }),
  }
}

function* readJsonItems({
  suppressions,
}: {
  suppressions?: unknown[]
}): Generator<{ row: number; item: unknown }> {
  if (suppressions === undefined)
    throw validationError({ suppressions: ['must be a list of suppressions'] })
  for (const [index, item] of suppressions.entries()) yield { row: index + 1, item }
}
