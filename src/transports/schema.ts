import Type, { type Static } from 'typebox'
import {
  isPublishedFlag,
  nameText,
  nullable,
  optionalEmailAddress,
  optionalText,
  type ResourceShape,
  stampExample,
  stampFields,
  stampSchema,
} from '../http/index.ts'

export const dsnLengthMax = 16_000

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

/** What the API takes. */
export const transportInput = Type.Object(
  {
    name: nameText('The name of the transport.'),
    description: optionalText('What it is for.'),
    mailerDsn: dsnText,
    testedEmailFrom: optionalEmailAddress('The sender of test messages.'),
    isPublished: isPublishedFlag,
  },
  {
    title: 'TransportInput',
    examples: [newsletter, { name: 'Try-out', mailerDsn: 'inbox://local' }],
  },
)
export type TransportInput = Static<typeof transportInput>

/** What the API gives. */
export const transportItem = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    description: nullable<string>('string'),
    mailerDsn: Type.String({
      description:
        'As it was given; who may not edit transports sees ******** for its secrets. `unreadable://********`: it ' +
        'cannot be read with the keys that there are; save it anew.',
    }),
    testedEmailFrom: nullable<string>('string'),
    ...stampSchema,
    warnings: Type.Optional(
      Type.Array(Type.String(), {
        description: 'What to know of its DSN, another transport of the same name, ignored fields.',
      }),
    ),
  },
  { title: 'Transport', examples: [{ id: 1, ...newsletter, ...stampExample }] },
)
export type TransportItem = Static<typeof transportItem>

export const transportFields = {
  ...stampFields,
  name: { column: 'name', type: 'text' },
  description: { column: 'description', type: 'text' },
  testedEmailFrom: { column: 'tested_email_from', type: 'text' },
} as const

/** How transports look from outside: as the contract has them, a bare array and bare objects. */
export const transportShape: ResourceShape = {
  path: '/api/multipleTransports',
  one: 'transport',
  many: 'multipleTransports',
  label: 'Transport',
  area: 'multipleTransports',
  isBare: true,
  listLimit: undefined,
  fields: transportFields,
  item: transportItem,
  input: transportInput,
  exampleChange: { description: 'Newsletters of the winter campaign.' },
}
