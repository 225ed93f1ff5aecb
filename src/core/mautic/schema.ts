import Type, { type Static } from 'typebox'
import { type SmtpMode, smtpModes } from '../../kit/smtp-mode.ts'
import {
  isPublishedFlag,
  nullable,
  optionalText,
  recordIdOrNull,
  stampExample,
  stampFields,
  stampSchema,
} from '../../platform/http/index.ts'
import type { ResourceShape } from '../../platform/resource/index.ts'
import { checkAnswer } from './check/check-report.ts'
import { mauticStatus } from './status.ts'

const textMax = 2_000
const hostsMax = 50
const rolesMax = 200

const smtpModeSchema = {
  type: ['string', 'null'],
  enum: [...smtpModes, null],
  description:
    'What 250 means to it over SMTP: `hybrid`, `queue` (default) or `direct`; null: the setting MAILYARD_SMTP_MODE.',
}

const shop = {
  name: 'shop',
  url: 'https://mautic.example.com',
  username: 'mailyard',
  transportId: null,
  smtpMode: 'queue' as const,
  hosts: ['mautic-api.example.com'],
  roleMap: { Marketing: 1 },
  isReporting: true,
  isTagging: false,
}

export const mauticInput = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 63,
      pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$',
      fault: 'must have lower case letters, digits and hyphens only, such as shop-1',
      description: 'Part of its addresses: `/mautic/{name}`. Unique.',
    }),
    url: Type.String({
      minLength: 1,
      maxLength: textMax,
      description: 'Where you open Mautic in a browser, such as `https://mautic.example.com`.',
    }),
    username: optionalText(
      'A user of Mautic whose role has only the rights that are needed. Each request takes Mautic half a second more.',
      textMax,
    ),
    password: optionalText('The password of this user.', textMax),
    clientId: optionalText(
      'Instead of a user: the public key of API credentials that an administrator of Mautic has created. They may do everything there.',
      textMax,
    ),
    clientSecret: optionalText('Their secret key.', textMax),
    transportId: Type.Optional(
      recordIdOrNull('The transport of everything that comes from it, unless it is assigned one.'),
    ),
    smtpMode: Type.Optional(Type.Unsafe<SmtpMode | null>(smtpModeSchema)),
    hosts: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 253 }), {
        maxItems: hostsMax,
        description:
          'Host names for API clients, which lead to Mailyard: it serves the API of this Mautic under them, and only the API. Never the name of Mautic itself, which keeps its pages, tracking pixel, links and unsubscribe pages. Unique over all Mautics.',
      }),
    ),
    roleMap: Type.Optional(
      Type.Record(Type.String(), Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), {
        maxProperties: rolesMax,
        description:
          'The role here (id) of users with a role of Mautic (name). Others get what their role in Mautic allows.',
      }),
    ),
    isReporting: Type.Optional(
      Type.Boolean({
        description:
          'Whether refused and suppressed addresses are put on its Do not contact list. Default: true.',
      }),
    ),
    isTagging: Type.Optional(
      Type.Boolean({
        description:
          'Whether contacts get the tag `mailyard-refused` when a message to them is refused, expires or is withheld, and it is no bounce. Default: false.',
      }),
    ),
    isPublished: isPublishedFlag,
    newPassword: Type.Optional(
      Type.Boolean({
        description: 'Whether it gets a new SMTP password: `mailerDsn` of the answer has it.',
      }),
    ),
  },
  {
    title: 'MauticInput',
    examples: [
      { ...shop, password: 'a long password' },
      {
        name: 'blog',
        url: 'https://blog.example.com/mautic',
        clientId: '1_4q0c1n2p8xs0kkgk',
        clientSecret: '3u8kq1m7tz40o4cw',
        isPublished: false,
      },
    ],
  },
)
export type MauticInput = Static<typeof mauticInput>

const text = nullable(Type.String())

export const mauticItem = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    url: Type.String(),
    clientId: text,
    clientSecret: nullable(Type.String(), {
      description: 'Masked. An edit that sends the mask keeps it.',
    }),
    username: text,
    password: nullable(Type.String(), {
      description: 'Masked. An edit that sends the mask keeps it.',
    }),
    transportId: nullable(Type.Integer()),
    smtpMode: Type.Unsafe<SmtpMode | null>(smtpModeSchema),
    hosts: Type.Array(Type.String()),
    roleMap: Type.Record(Type.String(), Type.Integer()),
    isReporting: Type.Boolean(),
    isTagging: Type.Boolean(),
    smtpLogin: Type.String({ description: 'The user name of its SMTP log-in.' }),
    mailerDsn: Type.Optional(
      Type.String({
        description:
          'The DSN to enter in Mautic. Shown only once: when it is created, and when it gets a new password.',
      }),
    ),
    ...stampSchema,
    warnings: Type.Optional(Type.Array(Type.String())),
    status: Type.Optional(mauticStatus),
  },
  {
    title: 'Mautic',
    examples: [
      {
        id: 1,
        ...shop,
        password: '********',
        clientId: null,
        clientSecret: null,
        smtpLogin: '5d0f2a9be3c741868a1c7f60d2b394e5',
        ...stampExample,
      },
    ],
  },
)
export type MauticItem = Static<typeof mauticItem>

export const mauticFields = {
  ...stampFields,
  name: { column: 'name', type: 'text' },
  url: { column: 'url', type: 'text' },
} as const

export const mauticShape: ResourceShape = {
  path: '/api/mautics',
  one: 'mautic',
  many: 'mautics',
  label: 'Mautic',
  area: 'api',
  testReport: checkAnswer,
  fields: mauticFields,
  item: mauticItem,
  input: mauticInput,
  exampleChange: { smtpMode: 'hybrid' },
}
