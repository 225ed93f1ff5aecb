import { sql } from 'kysely'
import Type, { type Static } from 'typebox'
import { stages } from '../../libraries/mailer/index.ts'
import { nullable, text } from '../../platform/http/index.ts'
import {
  addressField,
  brandField,
  isPublishedField,
  namedStamps,
  nameField,
  oneOf,
  type ResourceShape,
  recordFields,
  textField,
} from '../../platform/resource/index.ts'
import { dsnLengthMax } from './dsn-schema.ts'

export const dsnText = Type.String({
  minLength: 1,
  maxLength: dsnLengthMax,
  description: '`<scheme>://<user>:<password>@<host>`, with an optional port and options.',
})

const newsletter = {
  name: 'Newsletter',
  description: 'Newsletters of all brands.',
  mailerDsn: 'smtp://mailyard:app-password@smtp.example.com:587',
  testedEmailFrom: 'news@example.com',
}

/** The fields of a transport. A plain one is described here and has a column; see `recordFields`. */
export const transportRecord = recordFields(
  namedStamps,
  ['name', 'description', 'testedEmailFrom'],
  {
    name: nameField('The name of the transport.'),
    description: textField('Its purpose.'),
    mailerDsn: {
      input: dsnText,
      item: Type.String({
        description:
          'As it was saved. Callers without permission to edit the transport see ******** for its secrets. ' +
          '`unreadable://********`: it cannot be decrypted, because its key is missing; save it again.',
      }),
    },
    testedEmailFrom: addressField('The sender of test messages.'),
    brand: brandField,
    isPublished: isPublishedField,
  },
)

export const transportInput = Type.Object(transportRecord.input, {
  title: 'TransportInput',
  examples: [newsletter, { name: 'Try-out', mailerDsn: 'inbox://local' }],
})
export type TransportInput = Static<typeof transportInput>

export const transportItem = Type.Object(
  {
    ...transportRecord.item,
    warnings: Type.Optional(
      Type.Array(Type.String(), {
        description: 'About its DSN, another transport of the same name, or ignored fields.',
      }),
    ),
  },
  { title: 'Transport', examples: [transportRecord.example(1, newsletter)] },
)
export type TransportItem = Static<typeof transportItem>

/** What depends on a transport. */
export const usageSchema = Type.Object(
  {
    emails: Type.Integer(),
    users: Type.Integer(),
    mautics: Type.Integer({
      description: 'The connected Mautics whose default transport it is.',
    }),
  },
  {
    description:
      'How many emails and users it is assigned to, and how many Mautics depend on it. In a list only with `?with=usage`.',
  },
)

const testExample = {
  success: false,
  message: 'The server refused the log-in (535 5.7.8 Authentication failed).',
  stages: [
    {
      stage: 'auth',
      outcome: 'failed',
      durationMs: 41.3,
      detail: '535 5.7.8 Authentication failed',
      hint: 'Check user name and password of the DSN.',
    },
  ],
  alignment: null,
}

const alignmentFields = {
  verdict: Type.Enum(['aligned', 'likely', 'notAligned', 'cannotTell']),
  sentence: Type.String({ description: 'The verdict and its reason.' }),
  missing: Type.Union(
    [
      Type.Object({
        step: Type.String(),
        sentence: Type.String(),
        record: Type.Union([
          Type.Object({ type: Type.String(), name: Type.String(), value: Type.String() }),
          Type.Null(),
        ]),
        link: nullable(Type.String()),
      }),
      Type.Null(),
    ],
    { description: 'The one record or step that is missing.' },
  ),
}

/** Whether receivers will believe the sender of a test message. */
export const testAlignment = Type.Object({
  domain: Type.String({ description: 'The domain of the sender.' }),
  ...alignmentFields,
  members: Type.Array(
    Type.Object({
      member: Type.String(),
      provider: nullable(Type.String()),
      ...alignmentFields,
    }),
    { description: 'The servers and APIs of the DSN, in order.' },
  ),
})

/** The report on a test. */
export const testAnswer = Type.Object(
  {
    success: Type.Boolean(),
    message: Type.String({ description: 'What failed, and what to do.' }),
    stages: Type.Array(
      Type.Object({
        stage: Type.Enum([...stages]),
        outcome: Type.Enum(['ok', 'failed', 'skipped']),
        durationMs: Type.Number(),
        detail: Type.String(),
        hint: nullable(Type.String()),
        member: text('The member of a list.'),
      }),
    ),
    alignment: nullable(testAlignment, {
      description:
        'Whether receivers will believe the sender through this transport, as `GET /api/senders/{domain}` does. It does not change ' +
        '`success`; for `notAligned` and `cannotTell`, `message` has one more sentence. Null where nothing is sent to a server, and for `ifTestPasses`.',
    }),
    transcript: Type.Optional(Type.Array(Type.String(), { description: 'With `?transcript=1`.' })),
  },
  { title: 'TransportTest', examples: [testExample] },
)

export const transportFields = {
  ...transportRecord.listFields('name', 'description', 'testedEmailFrom'),
  lastTest: {
    column: 'last_test',
    type: 'text',
    expression: sql`(select case when success then 'passed' else 'failed' end
      from transport_tests where transport_id = transports.id)`,
  },
  lastTestDate: {
    column: 'last_test_date',
    type: 'date',
    expression: sql`(select tested_at from transport_tests where transport_id = transports.id)`,
  },
} as const

const state = (value: boolean) => ({ op: 'eq', field: 'isPublished', value }) as const
const lastTest = (value: string) => ({ op: 'eq', field: 'lastTest', value }) as const

/** The API of transports: as the contract asks, a bare array and bare objects. */
export const transportShape: ResourceShape = {
  path: '/api/multipleTransports',
  one: 'transport',
  many: 'multipleTransports',
  label: 'Transport',
  area: 'multipleTransports',
  isBare: true,
  fields: transportFields,
  parameters: {
    state: oneOf({ published: state(true), unpublished: state(false) }),
    lastTest: oneOf({
      passed: lastTest('passed'),
      failed: lastTest('failed'),
      none: lastTest(''),
    }),
  },
  item: transportItem,
  input: transportInput,
  exampleChange: { description: 'Newsletters of the winter campaign.' },
  testReport: testAnswer,
}
