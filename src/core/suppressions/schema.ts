import Type, { type Static } from 'typebox'
import { emailKey } from '../../kit/normalize-for-search.ts'
import { emailAddress, nullable, readDate } from '../../platform/http/index.ts'
import {
  brandField,
  type ListParameter,
  namedStamps,
  oneOf,
  plainField,
  type ResourceShape,
  recordFields,
  textField,
} from '../../platform/resource/index.ts'
import { normalizeDomain, type SuppressionReason, scopeOf, suppressionReasons } from './scope.ts'

const reason = Type.Enum([...suppressionReasons], {
  description:
    '`bounced` and `complained` stop every email to the address. `unsubscribed` and `manual` stop bulk email.',
})

const domainFault = 'must be a domain, such as example.com'

export const suppressionRecord = recordFields(namedStamps, ['address', 'senderDomain', 'source'], {
  address: {
    ...plainField(emailAddress('The address that gets no emails.'), Type.String(), {
      fallback: '',
    }),
    toColumn: (address: string | undefined = '') => address.trim(),
  },
  reason: plainField(
    Type.Optional(Type.Unsafe<SuppressionReason>({ ...reason, default: 'manual' })),
    reason,
    { fallback: 'manual' },
  ),
  senderDomain: {
    ...plainField(
      Type.Optional(
        nullable(Type.String(), {
          maxLength: 253,
          pattern: '^[^\\s@/]*$',
          fault: domainFault,
          description:
            'Only email from this domain is stopped; null (the default) for every sender.',
        }),
      ),
      nullable(Type.String()),
      { fallback: null },
    ),
    toColumn: scopeOf,
  },
  source: {
    ...textField('Where it comes from, such as the name of an old system.', 255),
    toColumn: (source: string | null | undefined) => source?.trim() || null,
  },
  brand: brandField,
  transportId: {
    item: nullable(Type.Integer(), {
      description: 'The transport that found a bounce; null for the configured default.',
    }),
  },
  deliveryId: {
    item: nullable(Type.Integer(), { description: 'The delivery that found a bounce.' }),
  },
})

const carla = {
  address: 'carla@example.net',
  reason: 'complained' as const,
  source: 'Old newsletter system',
}

export const suppressionInput = Type.Object(suppressionRecord.input, {
  title: 'SuppressionInput',
  examples: [
    carla,
    { address: 'dan@example.net', reason: 'unsubscribed', senderDomain: 'example.com' },
  ],
})
export type SuppressionInput = Static<typeof suppressionInput>

export const suppressionItem = Type.Object(suppressionRecord.item, {
  title: 'Suppression',
  examples: [
    suppressionRecord.example(1, {
      ...carla,
      senderDomain: null,
      transportId: null,
      deliveryId: null,
    }),
  ],
})
export type SuppressionItem = Static<typeof suppressionItem>

export const suppressionFields = {
  ...suppressionRecord.listFields('reason', 'senderDomain', 'source'),
  address: { column: 'address_key', type: 'text' },
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

/** A parameter that is an id. */
const byId = (field: 'brand' | 'transportId' | 'deliveryId', fault: string): ListParameter => ({
  fault: `must be the id of ${fault} are listed`,
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
    brand: byId('brand', 'a brand; its suppressions'),
    transportId: byId('transportId', 'a transport; the bounces that it found'),
    transport: oneOf({ default: foundByDefault }),
    deliveryId: byId('deliveryId', 'a delivery; the bounces that it found'),
  },
  item: suppressionItem,
  input: suppressionInput,
  exampleChange: { source: 'Imported in 2026' },
}
