import Type from 'typebox'
import { type SmtpMode, smtpModes } from '../../kit/smtp-mode.ts'
import { loginRuleFields } from '../../platform/auth/index.ts'
import { nullable, optionalText, recordIdOrNull } from '../../platform/http/index.ts'
import {
  brandField,
  flagField,
  isPublishedField,
  jsonField,
  namedStamps,
  plainField,
  recordFields,
} from '../../platform/resource/index.ts'
import { readBaseUrl, readHostName } from './mautic-values.ts'

const textMax = 2_000
const hostsMax = 50
const rolesMax = 200

const smtpMode = Type.Unsafe<SmtpMode | null>({
  type: ['string', 'null'],
  enum: [...smtpModes, null],
  description:
    'What 250 means to it over SMTP: `hybrid`, `queue` (default) or `direct`; null: the setting MAILYARD_SMTP_MODE.',
})
const text = nullable(Type.String())
const masked = nullable(Type.String(), {
  description: 'Masked. An edit that sends the mask keeps it.',
})
const roleMap = Type.Record(
  Type.String(),
  Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  {
    maxProperties: rolesMax,
    description:
      'The role here (id) of users with a role of Mautic (name). Others get what their role in Mautic allows.',
  },
)

/** The fields of a connected Mautic. */
export const mauticRecord = recordFields(namedStamps, ['name', 'url'], {
  name: plainField(
    Type.String({
      minLength: 1,
      maxLength: 63,
      pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$',
      fault: 'must have lower case letters, digits and hyphens only, such as shop-1',
      description: 'Part of its addresses: `/mautic/{name}`. Unique.',
    }),
    Type.String(),
    { fallback: '' },
  ),
  url: {
    ...plainField(
      Type.String({
        minLength: 1,
        maxLength: textMax,
        description: 'Where you open Mautic in a browser, such as `https://mautic.example.com`.',
      }),
      Type.String(),
      { fallback: '' },
    ),
    toColumn: (url: string | undefined = '') => readBaseUrl(url) ?? url,
  },
  username: {
    input: optionalText(
      'A user of Mautic whose role has only the rights that are needed. Each request takes Mautic half a second more.',
      textMax,
    ),
    item: text,
  },
  password: { input: optionalText('The password of this user.', textMax), item: masked },
  clientId: {
    input: optionalText(
      'Instead of a user: the public key of API credentials that an administrator of Mautic has created. They may do everything there.',
      textMax,
    ),
    item: text,
  },
  clientSecret: { input: optionalText('Their secret key.', textMax), item: masked },
  transportId: plainField(
    Type.Optional(
      recordIdOrNull('The transport of everything that comes from it, unless it is assigned one.'),
    ),
    nullable(Type.Integer()),
    { type: 'number', fallback: null },
  ),
  smtpMode: {
    ...plainField(Type.Optional(smtpMode), smtpMode, { fallback: null }),
    // Mautic loses what is answered 4yz, and is slowed down by each answer that waits for its own API.
    toColumn: (mode: SmtpMode | null = 'queue') => mode,
  },
  hosts: {
    ...jsonField(
      Type.Optional(
        Type.Array(Type.String({ minLength: 1, maxLength: 253 }), {
          maxItems: hostsMax,
          description:
            'Host names for API clients, which lead to Mailyard: it serves the API of this Mautic under them, and only the API. Never the name of Mautic itself, which keeps its pages, tracking pixel, links and unsubscribe pages. Unique over all Mautics.',
        }),
      ),
      Type.Array(Type.String()),
      [],
    ),
    toColumn(hosts: readonly string[] = []) {
      const names = hosts.flatMap((host) => readHostName(host) ?? [])
      return JSON.stringify([...new Set(names)].sort())
    },
  },
  roleMap: {
    ...jsonField(Type.Optional(roleMap), Type.Record(Type.String(), Type.Integer()), {}),
    toColumn(roles: Readonly<Record<string, number>> = {}) {
      const entries = Object.entries(roles).sort(([one], [other]) => (one < other ? -1 : 1))
      return JSON.stringify(Object.fromEntries(entries))
    },
  },
  isReporting: flagField(
    Type.Optional(
      Type.Boolean({
        description:
          'Whether refused and suppressed addresses are put on its Do not contact list. Default: true.',
      }),
    ),
    true,
  ),
  isTagging: flagField(
    Type.Optional(
      Type.Boolean({
        description:
          'Whether contacts get the tag `mailyard-refused` when a message to them is refused, expires or is withheld, and it is no bounce. Default: false.',
      }),
    ),
    false,
  ),
  brand: brandField,
  ...loginRuleFields,
  isPublished: isPublishedField,
  newPassword: {
    input: Type.Optional(
      Type.Boolean({
        description: 'Whether it gets a new SMTP password: `mailerDsn` of the answer has it.',
      }),
    ),
  },
  smtpLogin: { item: Type.String({ description: 'The user name of its SMTP log-in.' }) },
  mailerDsn: {
    item: Type.Optional(
      Type.String({
        description:
          'The DSN to enter in Mautic. Shown only once: when it is created, and when it gets a new password.',
      }),
    ),
  },
})
