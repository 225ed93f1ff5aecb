import Type from 'typebox'
import { AppError } from '../../../kit/app-error.ts'
import { type Caller, noBrand } from '../../../kit/caller.ts'
import type { Clock } from '../../../kit/clock.ts'
import { formatCsvLine } from '../../../kit/csv.ts'
import { formatDate } from '../../../kit/iso-date.ts'
import {
  type Callers,
  createQueryReader,
  type HttpApp,
  nullable,
  type Query,
  type QueryReader,
  text,
  validationError,
} from '../../../platform/http/index.ts'
import type { Storage } from '../../../platform/storage/index.ts'
import {
  countedOutcomes,
  defaultTransport,
  hourMs,
  isTransport,
  minuteMs,
  noTransport,
} from '../../delivery/index.ts'
import { needPermissions } from '../delivery-item.ts'
import { visibleBrands } from '../delivery-query.ts'
import type { StatsKey } from './read-counts.ts'
import {
  defaultKey,
  findLoggedTransportNames,
  noneKey,
  readStats,
  type StatsQuery,
  seriesMax,
} from './stats.ts'
import {
  chooseRange,
  findPossibleStep,
  pointsMax,
  pointsOf,
  type StatsRange,
  stepNames,
} from './stats-range.ts'
import { faultSampleMax, faultTransportsMax, readTransportRates } from './transport-rates.ts'

const keys = ['outcome', 'source', 'transport', 'brand', 'event'] as const
const dayMs = 86_400_000
/** The days of months, which have no one length, are counted and then added. */
const monthStep = 'month'
/** Rates of a longer time are those of whole hours. */
const minutesRangeMax = 6 * hourMs
/** Of the whole parameter: 100 ids. */
const textLengthMax = 2_000

const parameters = Type.Object({
  from: text('Since then, such as 2026-01-31T12:00:00Z. Default: a day before `to`.'),
  to: text('Until then, exclusive. Default: now.'),
  by: text(`What a series is: ${keys.join(', ')}. Default: ${keys[0]}.`),
  step: text(
    `The time between two points: ${stepNames.join(', ')}, month; days and months are those of UTC. The default makes at most 200 points.`,
  ),
  transport: text(
    `Only through these transports: up to ${seriesMax} ids, with commas; \`${defaultKey}\` is the configured one, ` +
      `\`${noneKey}\` stands for deliveries without any.`,
  ),
  brand: text('Only messages of this brand (id).'),
  outcome: text(`Only with these outcomes, with commas: ${countedOutcomes.join(', ')}.`),
})

const series = Type.Object({
  key: Type.String({
    description: `The outcome, the source, the event, the id of the transport or the brand, \`${defaultKey}\` or \`${noneKey}\`.`,
  }),
  id: Type.Optional(nullable(Type.Integer())),
  name: Type.Optional(nullable(Type.String())),
  total: Type.Integer(),
  counts: Type.Array(Type.Integer(), { description: 'One for each of `times`.' }),
})

const example = {
  from: '2026-01-31T14:00:00+00:00',
  to: '2026-01-31T16:00:00+00:00',
  step: '1h',
  by: 'outcome',
  times: ['2026-01-31T14:00:00+00:00', '2026-01-31T15:00:00+00:00'],
  series: countedOutcomes.map((key) =>
    key === 'accepted' ? { key, total: 42, counts: [2, 40] } : { key, total: 0, counts: [0, 0] },
  ),
  total: 42,
}

const schema = {
  operationId: 'getDeliveryStats',
  summary: 'Count deliveries by time',
  description:
    'Each delivery counts with its present outcome at the time when it started; one without an outcome is not ' +
    'counted. With `by=event`, it counts once for each type of event that its provider reported afterwards, whatever its outcome. ' +
    `\`from\` and \`to\` are extended to whole steps. At most ${pointsMax} points and ${seriesMax} series.`,
  tags: ['deliveries'],
  querystring: Type.Unsafe<Record<string, unknown>>(parameters),
  response: {
    200: Type.Object(
      {
        from: Type.String(),
        to: Type.String(),
        step: Type.Enum([...stepNames, monthStep]),
        by: Type.Enum([...keys]),
        times: Type.Array(Type.String(), { description: 'When each step starts.' }),
        series: Type.Array(series),
        total: Type.Integer(),
      },
      { title: 'DeliveryStats', examples: [example] },
    ),
  },
}

export interface StatsRouteParts {
  storage: Storage
  callers: Callers
  clock: Clock
}

const csvColumns = ['date', 'key', 'name', 'deliveries']

const csvSchema = {
  operationId: 'exportDeliveryStats',
  summary: 'Export the counts of deliveries as CSV',
  description:
    'Counts as the statistics do: with `by=brand&step=month`, what each brand has sent in each month. Counts are kept as long as deliveries.',
  tags: schema.tags,
  querystring: schema.querystring,
  response: {
    200: {
      description: 'A line for each count but 0.',
      content: {
        'text/csv': {
          schema: Type.String(),
          example: `${formatCsvLine(csvColumns)}2026-01-01T00:00:00+00:00,3,Shop,120000\r\n`,
        },
      },
    },
  },
}

/** Adds `/api/deliveries/stats`, the same as CSV, and `/api/deliveries/transports`. */
export function addStatsRoutes(app: HttpApp, parts: StatsRouteParts): void {
  addStatsRoute(app, parts)
  addRatesRoute(app, parts)
}

function addStatsRoute(app: HttpApp, { storage, callers, clock }: StatsRouteParts): void {
  const config = { permission: 'email:view' as const }
  const count = async (asked: Query, reader: Caller) => {
    const query = readQuery(asked, { now: clock.now(), reader })
    const { range, by, transportIds, isMonthly } = query
    const namesTransports = by === 'transport' || transportIds !== undefined
    needPermissions(namesTransports ? ['multipleTransports:view'] : [], reader)
    needPermissions(by === 'brand' ? ['brand:view'] : [], reader)
    const found = await readStats(storage, query)
    if (found === undefined) throw tooManySeries(by)
    const { from, to, stepMs } = range
    const points = Array.from({ length: pointsOf(range) }, (_, index) => from + index * stepMs)
    const starts = isMonthly ? points.map(monthOf) : points
    const times = [...new Set(starts)]
    const sumOf = (time: number, counts: readonly number[]) =>
      counts.reduce((sum, count, index) => (starts[index] === time ? sum + count : sum), 0)
    return {
      from: formatDate(from),
      to: formatDate(to),
      step: isMonthly ? monthStep : range.step,
      by,
      times: times.map(formatDate),
      series: isMonthly
        ? found.map((each) => ({ ...each, counts: times.map((time) => sumOf(time, each.counts)) }))
        : found,
      total: found.reduce((sum, { total }) => sum + total, 0),
    } as const
  }
  app.get('/api/deliveries/stats', { schema, config }, (request) =>
    count(request.query, callers.of(request)),
  )
  app.get('/api/deliveries/stats.csv', { schema: csvSchema, config }, async (request, reply) => {
    const { times, series: counted } = await count(request.query, callers.of(request))
    const lines = times.flatMap((time, index) =>
      counted.map(({ key, name = null, counts }) => [time, key, name, counts[index] ?? 0] as const),
    )
    const body = [csvColumns, ...lines.filter(([, , , deliveries]) => deliveries !== 0)]
    void reply.header('content-disposition', 'attachment; filename="delivery-stats.csv"')
    return reply
      .type('text/csv; charset=utf-8; header=present')
      .send(body.map(formatCsvLine).join(''))
  })
}

/** When the month of a time starts, in UTC. */
function monthOf(at: number): number {
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
}

const rateParameters = Type.Object({
  from: parameters.properties.from,
  to: parameters.properties.to,
  brand: parameters.properties.brand,
  transport: text(
    `Only these transports: up to ${seriesMax} ids, with commas; \`${defaultKey}\` is the configured one. Default: all.`,
  ),
})

const rateExample = {
  from: '2026-01-31T14:12:00+00:00',
  to: '2026-01-31T15:12:00+00:00',
  transports: [
    {
      id: 2,
      name: 'Old relay',
      attempted: 310,
      accepted: 6,
      deferred: 298,
      refused: 6,
      uncertain: 0,
      failing: { since: '2026-01-31T14:40:00+00:00', attempted: 304, failed: 304 },
      faults: [
        {
          text: 'The server refused the sender for now (451 4.7.1 try again later).',
          outcome: 'deferred',
          count: 298,
          lastDate: '2026-01-31T15:11:58+00:00',
        },
      ],
    },
  ],
}

const rate = Type.Object({
  id: nullable(Type.Integer(), { description: 'Null for the configured one.' }),
  name: nullable(Type.String(), {
    description: `\`${defaultKey}\` for the configured one; null for one that is deleted and has no deliveries any more.`,
  }),
  attempted: Type.Integer({ description: 'Recipients, once for each attempt.' }),
  accepted: Type.Integer(),
  deferred: Type.Integer(),
  refused: Type.Integer(),
  uncertain: Type.Integer(),
  failing: nullable(
    Type.Object({
      since: Type.String({ format: 'date-time' }),
      attempted: Type.Integer(),
      failed: Type.Integer(),
    }),
    {
      description:
        'Since which minute of the 24 hours before `to` a fifth or more of the attempts fail. Null with less than five, unless no attempt of this time succeeded.',
    },
  ),
  faults: Type.Array(
    Type.Object({
      text: Type.String({
        description:
          'What failed. Addresses, ids and the like are `…`, so that equal faults are one.',
      }),
      outcome: Type.Enum(['deferred', 'refused', 'uncertain']),
      count: Type.Integer(),
      lastDate: Type.String({ format: 'date-time' }),
    }),
    {
      description: `The five most frequent faults among the newest ${faultSampleMax} attempts, for the first ${faultTransportsMax} transports. Empty without \`contact:view\`.`,
    },
  ),
})

const rateSchema = {
  operationId: 'getTransportRates',
  summary: 'Count what happened to the attempts of each transport',
  description:
    'One entry for each transport with attempts in this time, first those that fail since the latest minute. It is as fast with ' +
    'millions of deliveries. `from` and `to` are extended to whole minutes; where they are more than 6 hours apart, to whole hours.',
  tags: ['deliveries'],
  querystring: Type.Unsafe<Record<string, unknown>>(rateParameters),
  response: {
    200: Type.Object(
      { from: Type.String(), to: Type.String(), transports: Type.Array(rate) },
      { title: 'TransportRates', examples: [rateExample] },
    ),
  },
}

function addRatesRoute(app: HttpApp, { storage, callers, clock }: StatsRouteParts): void {
  const config = { permission: ['email:view' as const, 'multipleTransports:view' as const] }
  app.get('/api/deliveries/transports', { schema: rateSchema, config }, async (request) => {
    // Replies repeat addresses of recipients.
    const reader = callers.of(request)
    const seesReplies = reader.can('contact:view')
    const { range, ...only } = readRatesQuery(request.query, { now: clock.now(), reader })
    const rates = await readTransportRates(storage, range, only)
    const ids = rates.map(({ transportId }) => transportId)
    const names = await findLoggedTransportNames(storage, ids, reader)
    return {
      from: formatDate(range.from),
      to: formatDate(range.to),
      transports: rates.map(({ transportId, failing, faults, ...counts }) => ({
        id: isTransport(transportId) ? transportId : null,
        name: isTransport(transportId) ? (names.get(transportId) ?? null) : defaultKey,
        ...counts,
        failing: failing && { ...failing, since: formatDate(failing.since) },
        faults: seesReplies
          ? faults.map(({ lastAt, ...fault }) => ({ ...fault, lastDate: formatDate(lastAt) }))
          : [],
      })),
    }
  })
}

interface Reading {
  now: number
  reader: Caller
}

function readRatesQuery(query: Query, { now, reader }: Reading) {
  const read = createQueryReader(query, { lengthMax: textLengthMax })
  const transportIds = readTransports(read)
  const brands = readBrand(read, reader)
  const { from, to } = readSpan(read, now, hourMs)
  // Sums of hours are far fewer.
  const spanMs = to - from > minutesRangeMax ? hourMs : minuteMs
  const range = {
    from: Math.floor(from / spanMs) * spanMs,
    to: Math.ceil(to / spanMs) * spanMs,
  }
  return { range, transportIds, brands }
}

function readQuery(
  query: Query,
  { now, reader }: Reading,
): StatsQuery & { range: StatsRange; isMonthly: boolean } {
  const read = createQueryReader(query, { lengthMax: textLengthMax })
  const step = read.word('step', [...stepNames, monthStep])
  const wanted = {
    by: read.word<StatsKey>('by', keys) ?? keys[0],
    transportIds: readTransports(read),
    brands: readBrand(read, reader),
    reader,
    outcomes: read.words('outcome', countedOutcomes),
  }
  const { from, to } = readSpan(read, now, dayMs)
  const isMonthly = step === monthStep
  const range = isMonthly
    ? chooseRange(monthOf(from), monthOf(monthOf(to - 1) + 31 * dayMs), '1d')
    : chooseRange(from, to, step)
  if (pointsOf(range) > pointsMax) throw tooManyPoints(range)
  return { ...wanted, range, isMonthly }
}

function readBrand(read: QueryReader, reader: Caller) {
  const brand = read.number('brand')
  if (brand === noBrand) read.addFault('brand', 'must be the id of a brand')
  return visibleBrands(reader, brand === undefined ? undefined : [brand])
}

/** Reads the last parameters, and throws if one is wrong. */
function readSpan(read: QueryReader, now: number, spanMs: number) {
  const to = read.time('to') ?? now
  const from = read.time('from') ?? to - spanMs
  if (from >= to) read.addFault('from', 'must be before "to", or the present time')
  read.check()
  return { from, to }
}

function readTransports(read: QueryReader): number[] | undefined {
  const names = read.text('transport')?.split(',') ?? []
  if (names.length > seriesMax) read.addFault('transport', `must have ${seriesMax} ids or fewer`)
  const ids = names.map((name) => {
    if (name === defaultKey) return defaultTransport
    if (name === noneKey) return noTransport
    return /^[1-9]\d{0,14}$/.test(name) ? Number(name) : undefined
  })
  const known = ids.filter((id) => id !== undefined)
  if (known.length < ids.length)
    read.addFault('transport', `must be ids such as 3,7, or ${defaultKey}, or ${noneKey}`)
  return names.length === 0 ? undefined : [...new Set(known)]
}

function tooManyPoints(range: StatsRange): AppError {
  const step = findPossibleStep(range)
  const advice = step === undefined ? 'choose a shorter time' : `use ${step}, or a shorter time`
  return validationError({
    step: [
      `makes ${pointsOf(range)} points with ${range.step}, and at most ${pointsMax} are possible: ${advice}`,
    ],
  })
}

function tooManySeries(by: StatsKey): AppError {
  const message =
    by === 'brand'
      ? `There are more than ${seriesMax} brands. Name one, such as brand=3.`
      : `More than ${seriesMax} transports have deliveries in these hours. List up to ${seriesMax} of them, such as transport=3,7.`
  return new AppError('invalid', 'too_many_series', message)
}
