import Type, { type TSchema } from 'typebox'
import { recordId, recordIdOrNull } from '../../platform/http/index.ts'
import { type ListParameter, oneOf } from '../../platform/resource/index.ts'
import { transportItem } from '../transports/index.ts'

/** What a transport is assigned to. */
export type AssignedKind = 'email' | 'user'

/** One email or user. */
export interface AssignedTarget {
  kind: AssignedKind
  id: number
}

/** The transport of an email or a user, as a request has it. */
export interface AssignmentInput {
  transportId: number | null
  /** Whether the transport of the contact's owner goes first. Only emails have it. Default: unchanged. */
  useOwnerTransport?: boolean
}

/** What differs between emails and users. */
interface TargetFacts {
  kind: AssignedKind
  label: 'Email' | 'User'
  /** As in a sentence: `an email`. */
  one: string
  /** An example of the record: its id, and the texts that it is shown by. Their columns have the same names. */
  example: { id: number } & Readonly<Record<string, string | number>>
  /** What an assignment has besides its transport: as requests, answers and examples have it. */
  options?: {
    input: Record<string, TSchema>
    item: Record<string, TSchema>
    example: Record<string, unknown>
  }
}

const flag = (field: string, value: boolean) => ({ op: 'eq', field, value }) as const

const transportParameter: ListParameter = {
  fault: 'must be the id of a transport, or default for those without one',
  toFilter(text) {
    const id = text === 'default' ? 0 : /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined
    return id === undefined ? undefined : { op: 'eq', field: 'transportId', value: id }
  },
}

const briefTransport = Type.Union(
  [
    Type.Object({ id: Type.Integer(), name: Type.String(), isPublished: Type.Boolean() }),
    Type.Null(),
  ],
  { description: 'Null for none: the default is used.' },
)

/** The names, schemas, list fields and query parameters of emails, or of users. */
function describeTarget({ kind, label, one, example, options }: TargetFacts) {
  const { id, ...texts } = example
  const names = Object.keys(texts)
  const record = {
    id: Type.Integer(),
    ...Object.fromEntries(names.map((name) => [name, Type.String()])),
  }
  const input = {
    transportId: recordIdOrNull('Id of the transport; null unassigns.'),
    ...options?.input,
  }
  const inputExample = { transportId: 2, ...options?.example }
  const itemExample = {
    [kind]: { ...example, isPublished: true },
    transport: { id: 2, name: 'Try-out', isPublished: true },
    ...options?.example,
  }
  const answer = {
    [kind]: Type.Object(record, { examples: [example] }),
    transport: Type.Union([transportItem, Type.Null()]),
    ...options?.item,
  }
  return {
    kind,
    label,
    one,
    idName: `${kind}Id`,
    path: `/api/multipleTransport/transport${label}`,
    /** The texts that a record is shown by. */
    names,
    input: Type.Object(input, { examples: [inputExample] }),
    answer: Type.Object({ [`transport${label}`]: Type.Object(answer) }),
    /** A record and its transport in a list. */
    item: Type.Object(
      {
        [kind]: Type.Object({ ...record, isPublished: Type.Boolean() }),
        transport: briefTransport,
        ...options?.item,
      },
      { title: `${label}Assignment`, examples: [itemExample] },
    ),
    /** The assignment of one record in a batch. */
    entry: Type.Object(
      { [`${kind}Id`]: recordId(`Id of the ${kind}.`), ...input },
      { examples: [{ [`${kind}Id`]: id, ...inputExample }] },
    ),
    fields: {
      id: { column: 'id', type: 'number' },
      isPublished: { column: 'is_published', type: 'boolean' },
      transportId: { column: 'transport_id', type: 'number' },
      transportName: { column: 'transport_name', type: 'text' },
      ...Object.fromEntries(names.map((name) => [name, { column: name, type: 'text' as const }])),
      ...(options && {
        useOwnerTransport: { column: 'use_owner_transport', type: 'boolean' as const },
      }),
    } as const,
    parameters: {
      transport: transportParameter,
      state: oneOf({
        published: flag('isPublished', true),
        unpublished: flag('isPublished', false),
      }),
      ...(options && {
        useOwnerTransport: oneOf({
          '1': flag('useOwnerTransport', true),
          '0': flag('useOwnerTransport', false),
        }),
      }),
    },
  }
}

/** What the routes, lists and answers of emails or users have of their own. */
export type TargetShape = ReturnType<typeof describeTarget>

export const targets: Readonly<Record<AssignedKind, TargetShape>> = {
  email: describeTarget({
    kind: 'email',
    label: 'Email',
    one: 'an email',
    example: { id: 1, name: 'Sample email' },
    options: {
      input: {
        useOwnerTransport: Type.Optional(
          Type.Boolean({
            description:
              "Whether the transport of the contact's owner goes first. Default: unchanged.",
          }),
        ),
      },
      item: { useOwnerTransport: Type.Boolean({ examples: [false] }) },
      example: { useOwnerTransport: false },
    },
  }),
  user: describeTarget({
    kind: 'user',
    label: 'User',
    one: 'a user',
    example: { id: 1, username: 'admin', email: 'admin@localhost' },
  }),
}
