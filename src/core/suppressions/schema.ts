import Type, { type Static } from 'typebox'
import { emailKey } from '../../kit/normalize-for-search.ts'
import {
  emailAddress,
  nullable,
  optionalText,
  readDate,
  stampExample,
  stampFields,
  stampSchema,
} from '../../platform/http/index.ts'
import { type ListParameter, oneOf, type ResourceShape } from '../../platform/resource/index.ts'
import { normalizeDomain } from './scope.ts'
import { type SuppressionReason, suppressionReasons } from './table.ts'

const reason = Type.Enum([...suppressionReasons], {
  description:
    '`bounced` and `complained` stop every email to the address. `unsubscribed` and `manual` stop bulk email.',
})

const domainFault = 'must be a domain, such as example.com'

export const suppressionInput = Type.Object(
  {
    address: emailAddress('The address that gets no emails.'),
    reason: Type.Optional(Type.Unsafe<SuppressionReason>({ ...reason, default: 'manual' })),
    senderDomain: Type.Optional(
      nullable(Type.String(), {
        maxLength: 253,
        pattern: '^[^\\s@/]*$',
        fault: domainFault,
        description: 'Only email from this domain is stopped; null (the default) for every sender.',
      }),
    ),
    source: optionalText('Where it comes from, such as the name of an old system.', 255),
  },
  {
    title: 'SuppressionInput',
    examples: [
      { address: 'carla@example.net', reason: 'complained', source: 'Old newsletter system' },
      { address: 'dan@example.net', reason: 'unsubscribed', senderDomain: 'example.com' },
    ],
  },
)
export type SuppressionInput = Static<typeof suppressionInput>

const { isPublished: _, ...stamps } = stampSchema
const { isPublished: __, ...exampleStamps } = stampExample

export const suppressionItem = Type.Object(
  {
    id: Type.Integer(),
    address: Type.String(),
    reason,
    senderDomain: nullable(Type.String()),
    source: nullable(Type.String()),
    transportId: nullable(Type.Integer(), {
      description: 'The transport that found a bounce; null for the configured default.',
    }),
    deliveryId: nullable(Type.Integer(), { description: 'The delivery that found a bounce.' }),
    ...stamps,
  },
  {
    title: 'Suppression',
    examples: [
      {
        id: 1,
        address: 'carla@example.net',
        reason: 'complained',
        senderDomain: null,
        source: 'Old newsletter system',
        transportId: null,
        deliveryId: null,
        ...exampleStamps,
      },
    ],
  },
)
export type SuppressionItem = Static<typeof suppressionItem>

const { isPublished: ___, ...stampColumns } = stampFields

export const suppressionFields = {
  ...stampColumns,
  address: { column: 'address_key', type: 'text' },
  reason: { column: 'reason', type: 'text' },
  senderDomain: { column: 'sender_domain', type: 'text' },
  source: { column: 'source', type: 'text' },
  transportId: { column: 'transport_id', type: 'number' },
  deliveryId: { column: 'delivery_id', type: 'number' },
} as const

const ofReason = (value: SuppressionReason) => ({ op: 'eq', field: 'reason', value }) as const

const address: ListParameter = {
  fault: 'must be an address; all suppressions of it are listed',
  toFilter: (text) =>
    text.trim() === '' ? undefined : { op: 'eq', field: 'address', value: emailKey(text) },
}
const senderDomain: ListParameter = {
  fault: domainFault,
  toFilter: (text) =>
    text.trim() === ''
      ? undefined
      : { op: 'eq', field: 'senderDomain', value: normalizeDomain(text) },
}

const source: ListParameter = {
  fault: 'must be a source; all suppressions that have exactly this one are listed',
  toFilter: (text) => ({ op: 'eq', field: 'source', value: text }),
}
const addedSince: ListParameter = {
  fault: 'must be a time, such as 2026-01-31T12:00:00Z; those added since then are listed',
  toFilter(text) {
    const value = readDate(text)
    return value === undefined ? undefined : { op: 'gte', field: 'dateAdded', value }
  },
}

/** A parameter that lists the bounces that something with this id has found. */
const foundBy = (field: 'transportId' | 'deliveryId', noun: string): ListParameter => ({
  fault: `must be the id of a ${noun}; the bounces that it found are listed`,
  toFilter: (text) =>
    /^\d{1,15}$/.test(text.trim()) ? { op: 'eq', field, value: Number(text) } : undefined,
})

/** The bounces that the configured transport has found: they have a delivery, and no transport. */
const foundByDefault = {
  op: 'and',
  of: [
    { op: 'null', field: 'transportId' },
    { op: 'not', of: { op: 'null', field: 'deliveryId' } },
  ],
} as const

export const suppressionShape: ResourceShape = {
  path: '/api/suppressions',
  one: 'suppression',
  many: 'suppressions',
  label: 'Suppression',
  area: 'contact',
  updatesExisting: true,
  listLimit: 30,
  fields: suppressionFields,
  parameters: {
    reason: oneOf(Object.fromEntries(suppressionReasons.map((each) => [each, ofReason(each)]))),
    address,
    senderDomain,
    source,
    addedSince,
    transportId: foundBy('transportId', 'transport'),
    transport: oneOf({ default: foundByDefault }),
    deliveryId: foundBy('deliveryId', 'delivery'),
  },
  item: suppressionItem,
  input: suppressionInput,
  exampleChange: { source: 'Imported in 2026' },
}
