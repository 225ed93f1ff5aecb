import Type, { type Static } from 'typebox'
import { nullable, recordId } from '../../platform/http/index.ts'
import {
  brandField,
  isPublishedField,
  jsonField,
  namedStamps,
  nameField,
  optionalJsonField,
  plainField,
  type ResourceShape,
  recordFields,
  textField,
} from '../../platform/resource/index.ts'
import type { WarmUp } from './warm-up.ts'

const countMax = 1_000_000_000
const transportsMax = 1_000

const countField = (description: string) =>
  plainField(
    Type.Optional(nullable(Type.Integer(), { minimum: 1, maximum: countMax, description })),
    nullable(Type.Integer()),
    { type: 'number', fallback: null },
  )

const warmUpSchema = {
  type: ['object', 'null'],
  required: ['startDate', 'firstDay', 'growthPercent'],
  properties: {
    startDate: {
      type: 'string',
      pattern: '^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$',
      fault: 'must be a date, such as 2026-01-31',
      description: 'The first day (UTC).',
    },
    firstDay: {
      type: 'integer',
      minimum: 1,
      maximum: countMax,
      description: 'How many recipients the first day allows.',
    },
    growthPercent: {
      type: 'number',
      minimum: 0,
      maximum: 1_000,
      description: 'How many percent more each day allows than the day before.',
    },
  },
  description:
    'A slow start. Day n allows `firstDay * (1 + growthPercent / 100) ^ (n - 1)` recipients, at most `perDay`.',
}

const overflow = Type.Enum(['queue', 'next', 'refuse'], {
  description:
    'What happens to a message for which no token is free in time: `queue` waits until one is, `next` is sent through the ' +
    'next transport of its route, `refuse` is refused for now. Default: `queue`.',
})

const account = {
  name: 'SES account',
  description: 'Shared by both newsletter transports.',
  transports: [],
  perSecond: 14,
  perMinute: null,
  perHour: null,
  perDay: 50_000,
  perMonth: null,
  connectionsMax: null,
  warmUp: { startDate: '2026-01-31', firstDay: 200, growthPercent: 50 },
  overflow: 'queue' as const,
}

export const limitRecord = recordFields(namedStamps, ['name', 'description'], {
  name: nameField('The name of the provider account.'),
  description: textField('Its purpose.'),
  perSecond: countField('Recipients in any span of one second, not only of the clock.'),
  perMinute: countField('Recipients in a minute of the clock.'),
  perHour: countField('Recipients in an hour of the clock.'),
  perDay: countField('Recipients in a day (UTC).'),
  perMonth: countField('Recipients in a month (UTC).'),
  connectionsMax: countField(
    'Connections that are open at a time, idle ones included; for an HTTP API, requests.',
  ),
  transports: {
    ...jsonField(
      Type.Optional(
        Type.Array(recordId('A transport.'), {
          maxItems: transportsMax,
          description:
            'The transports that share the limit, of its brand where it has one. A transport may have several limits. A limit with a brand and no transports is the budget of this brand: it counts all of its messages, and only callers with all brands change it.',
        }),
      ),
      Type.Array(Type.Integer()),
      [],
    ),
    toColumn: (ids: number[] = []) =>
      JSON.stringify([...new Set(ids)].sort((one, other) => one - other)),
  },
  warmUp: optionalJsonField(
    Type.Optional(Type.Unsafe<WarmUp | null>(warmUpSchema)),
    Type.Unsafe<WarmUp | null>({ ...warmUpSchema, additionalProperties: false }),
  ),
  overflow: plainField(Type.Optional(overflow), overflow, { fallback: 'queue' }),
  brand: brandField,
  isPublished: isPublishedField,
})

export const limitInput = Type.Object(limitRecord.input, {
  title: 'LimitInput',
  examples: [account, { name: 'Office server', perMinute: 30, overflow: 'next' }],
})
export type LimitInput = Static<typeof limitInput>

const windowUsage = Type.Object(
  {
    window: Type.Enum(['second', 'minute', 'hour', 'day', 'month']),
    max: Type.Integer({ description: 'In this window; on a warm-up day, its allowance.' }),
    used: Type.Integer({
      description:
        'Tokens that were given to processes and did not come back. A few may be unused.',
    }),
    left: Type.Integer(),
    freeAt: nullable(Type.String(), { description: 'When more is free, if nothing is left.' }),
  },
  { title: 'LimitWindow' },
)

/** What is used of a limit. */
export const usageSchema = Type.Object(
  {
    windows: Type.Array(windowUsage),
    connections: Type.Unsafe<{ max: number; used: number } | null>({
      type: ['object', 'null'],
      description: 'The connections that processes have leased; null if they are not limited.',
      properties: { max: { type: 'integer' }, used: { type: 'integer' } },
      required: ['max', 'used'],
    }),
    warmUp: Type.Unsafe<{ day: number; allowance: number } | null>({
      type: ['object', 'null'],
      properties: {
        day: { type: 'integer', description: '1 on the start date, 0 before it.' },
        allowance: { type: 'integer', description: 'How many recipients today allows.' },
      },
      required: ['day', 'allowance'],
    }),
  },
  {
    title: 'LimitUsage',
    description: 'What is used and left, and when more is free.',
    examples: [
      {
        windows: [{ window: 'day', max: 300, used: 120, left: 180, freeAt: null }],
        connections: { max: 10, used: 4 },
        warmUp: { day: 2, allowance: 300 },
      },
    ],
  },
)
export type LimitUsage = Static<typeof usageSchema>

export const limitItem = Type.Object(
  {
    ...limitRecord.item,
    usage: Type.Optional(usageSchema),
  },
  { title: 'Limit', examples: [limitRecord.example(1, account)] },
)
export type LimitItem = Static<typeof limitItem>

export const limitFields = limitRecord.listFields('name', 'description', 'overflow')

export const limitShape: ResourceShape = {
  path: '/api/limits',
  one: 'limit',
  many: 'limits',
  label: 'Limit',
  area: 'multipleTransports',
  listLimit: undefined,
  fields: limitFields,
  item: limitItem,
  input: limitInput,
  exampleChange: { perSecond: 28 },
}
