import Type from 'typebox'
import type { DsnForm, FieldValue } from '../../libraries/mailer/index.ts'
import { nullable, recordId, text } from '../../platform/http/index.ts'
import { endingLogin } from './login-end.ts'

export const dsnLengthMax = 16_000

const nullableText = (options?: Type.TSchemaOptions) => nullable(Type.String(), options)

/** The values of a form: text, numbers and Booleans by the name of the field. */
const fieldValues = Type.Unsafe<Record<string, FieldValue>>({
  type: 'object',
  additionalProperties: { type: ['string', 'number', 'boolean'] },
  maxProperties: 100,
  description: 'By the name of the field. Options that the form does not have are included.',
  examples: [{ user: 'KEY', password: 'mg.example.com', region: 'eu' }],
})

const formParts = {
  provider: Type.String({
    maxLength: 100,
    description: 'The name of a provider.',
    examples: ['mailgun'],
  }),
  variant: Type.Optional(
    Type.String({ maxLength: 100, description: 'Default: the first variant of the provider.' }),
  ),
  fields: Type.Optional(fieldValues),
}

const innerMember = Type.Object(formParts)
const membersOf = <Member extends Type.TSchema>(member: Member) =>
  Type.Optional(
    Type.Array(member, { maxItems: 20, description: 'The members of a list, in order.' }),
  )
const outerMember = Type.Object({ ...formParts, members: membersOf(innerMember) })

/** The values of a form in a request. Lists may have lists as members. */
export const dsnFormInput = Type.Object(
  {
    ...formParts,
    members: membersOf(outerMember),
    id: Type.Optional(recordId('The transport whose secrets stand behind the masks.')),
  },
  {
    examples: [
      { provider: 'mailgun', fields: { user: 'KEY', password: 'mg.example.com', region: 'eu' } },
    ],
  },
)

const inspectedTransport = Type.Unsafe<object>({
  type: 'object',
  additionalProperties: true,
  description: 'What it means, without secrets.',
  examples: [
    {
      kind: 'smtp',
      scheme: 'smtp',
      provider: null,
      host: 'localhost',
      port: 2525,
      tls: 'opportunistic',
      username: null,
      options: {},
      members: [],
    },
  ],
})

/** What a DSN means, or its faults. */
export const inspectionAnswer = Type.Object({
  valid: Type.Boolean({ examples: [true] }),
  mailerDsn: nullableText({
    description: 'The DSN that was explained or built; null if none could be built.',
    examples: ['smtp://localhost:2525'],
  }),
  maskedDsn: nullableText({
    description: 'The same with masks for its secrets, to be shown.',
    examples: ['smtp://localhost:2525'],
  }),
  provider: nullableText({
    description: 'Null if the scheme is not known.',
    examples: ['smtp'],
  }),
  variant: nullableText({ examples: ['smtp'] }),
  fields: Type.Unsafe<Record<string, FieldValue>>({
    ...fieldValues,
    examples: [{ host: 'localhost', port: 2525 }],
  }),
  members: Type.Array(
    Type.Unsafe<DsnForm>({
      type: 'object',
      additionalProperties: true,
      description: '`provider`, `variant`, `fields` and `members` of a member of a list.',
    }),
    { examples: [[]] },
  ),
  transport: Type.Optional(inspectedTransport),
  warnings: Type.Optional(Type.Array(Type.String(), { examples: [[]] })),
  endingLogins: Type.Optional(
    Type.Array(endingLogin, { description: 'The log-ins that stop working.', examples: [[]] }),
  ),
  error: text('What is wrong, and what to do.'),
  details: Type.Optional(
    Type.Record(Type.String(), Type.Array(Type.String()), {
      description: 'The faults of a form by the name of the field.',
    }),
  ),
})

const field = Type.Object({
  name: Type.String({ description: '`user`, `password`, `host`, `port`, or an option.' }),
  label: Type.String(),
  type: Type.Enum(['text', 'password', 'number', 'select', 'boolean', 'host']),
  required: Type.Boolean(),
  advanced: Type.Boolean({ description: 'Whether most people leave it out.' }),
  help: nullableText(),
  example: Type.String(),
  default: nullableText({ description: 'What applies when it is empty.' }),
  options: Type.Array(Type.Object({ value: Type.String(), label: Type.String() }), {
    description: 'Common values of a `select`. Others may be valid, too.',
  }),
})

const step = Type.Object({
  text: Type.String(),
  link: nullableText({ description: 'The page where it is done.' }),
  lines: Type.Array(Type.String(), {
    description:
      'What to copy: a command or a value each. `{name}` stands for the value of the field `name`.',
  }),
  shell: nullable(Type.Enum(['powershell']), {
    description:
      'The shell of the commands: quote the values for it. Null if the lines are values to paste.',
  }),
})

const exampleField = {
  name: 'user',
  label: 'Server API token',
  type: 'password',
  required: true,
  advanced: false,
  help: 'From "Server", "API Tokens".',
  example: 'sample-key-123',
  default: null,
  options: [],
}

const nullableCount = nullable(Type.Integer())

const accountLimits = Type.Object(
  {
    title: Type.String({ description: 'The kind of account.' }),
    perSecond: nullableCount,
    perMinute: nullableCount,
    perDay: nullableCount,
    perMonth: nullableCount,
    connectionsMax: nullableCount,
    link: Type.String({ description: 'The page of the provider with these numbers.' }),
  },
  { title: 'AccountLimits' },
)

/** Every provider and general form. */
export const providerList = Type.Array(
  Type.Object({
    name: Type.String(),
    title: Type.String(),
    kind: Type.Enum(['provider', 'general', 'list']),
    link: nullableText({ description: 'Where the credentials are found.' }),
    membersMax: Type.Integer({
      description: 'How many members a list may have; 0 for a single transport.',
    }),
    variants: Type.Array(
      Type.Object({
        name: Type.String({
          description: '`api`, `smtp`, `sandbox`, `oauth`, `serviceAccount`, or a general scheme.',
        }),
        title: Type.String(),
        scheme: Type.String(),
        schemes: Type.Array(Type.String(), { description: 'Its scheme and the aliases.' }),
        link: nullableText(),
        note: nullableText({
          description: 'What to know before choosing it, such as until when it works.',
        }),
        fields: Type.Array(field),
        steps: Type.Array(step, {
          description: 'What to set up at the provider, in order.',
        }),
      }),
    ),
    accountLimits: Type.Array(accountLimits, {
      description:
        'What it lets its kinds of accounts send, as it publishes: values for a limit. Null is not limited or not published.',
    }),
  }),
  {
    examples: [
      [
        {
          name: 'postmark',
          title: 'Postmark',
          kind: 'provider',
          link: 'https://account.postmarkapp.com/servers',
          membersMax: 0,
          variants: [
            {
              name: 'api',
              title: 'HTTPS API',
              scheme: 'postmark+api',
              schemes: ['postmark+api', 'mautic+postmark+api'],
              link: 'https://account.postmarkapp.com/servers',
              note: null,
              fields: [exampleField],
              steps: [],
            },
          ],
          accountLimits: [],
        },
      ],
    ],
  },
)
