import {
  accessTokenField,
  type FormVariant,
  mailboxField,
  mailboxLimitFields,
} from './provider-form.ts'

/** A form that belongs to no provider: a server of your own, a list, or a transport that sends nothing. */
export interface GeneralForm {
  readonly name: string
  readonly title: string
  readonly variants: readonly FormVariant[]
  /** Whether it is a list of other transports. */
  readonly isList?: boolean
  /** What must be configured for it. */
  readonly needs?: 'command' | 'inbox'
}

const serverFields: FormVariant['fields'] = [
  { name: 'host', label: 'Server', type: 'host', example: 'mail.example.com' },
  {
    name: 'port',
    label: 'Port',
    type: 'number',
    example: '587',
    help: 'Usually 587. Without a port: 465 with TLS from the start; 25 for localhost.',
    isOptional: true,
  },
  { name: 'user', label: 'User name', type: 'text', example: 'shop@example.com', isOptional: true },
  {
    name: 'password',
    label: 'Password',
    type: 'password',
    example: 'p@ss/word',
    isOptional: true,
  },
]

const startTlsFields: FormVariant['fields'] = [
  {
    name: 'require_tls',
    label: 'Require encryption',
    type: 'boolean',
    example: '1',
    help: 'Sends nothing if the server does not offer STARTTLS.',
    isOptional: true,
    default: '0',
  },
  {
    name: 'auto_tls',
    label: 'Use encryption where it is offered',
    type: 'boolean',
    example: '1',
    isOptional: true,
    isAdvanced: true,
    default: '1',
  },
]

const trustFields: FormVariant['fields'] = [
  {
    name: 'verify_peer',
    label: 'Check the certificate',
    type: 'boolean',
    example: '1',
    help: 'Without the check the connection can be intercepted.',
    isOptional: true,
    isAdvanced: true,
    default: '1',
  },
  {
    name: 'peer_fingerprint',
    label: 'Fingerprint of the certificate',
    type: 'text',
    example: 'ab'.repeat(32),
    help: 'Its md5, sha1 or sha256 in hexadecimal.',
    isOptional: true,
    isAdvanced: true,
  },
  accessTokenField,
]

const oauthFields: FormVariant['fields'] = [
  { name: 'host', label: 'Server', type: 'host', example: 'mail.example.com' },
  {
    name: 'port',
    label: 'Port',
    type: 'number',
    example: '465',
    isOptional: true,
    default: '587',
  },
  { name: 'user', label: 'Client id', type: 'text', example: 'mailyard' },
  {
    name: 'password',
    label: 'Client secret',
    type: 'password',
    example: 'sample-secret',
  },
  {
    name: 'tokenUrl',
    label: 'Token URL',
    type: 'text',
    example: 'https://login.example.com/oauth2/token',
    help: 'The token endpoint of the provider. It starts with https://.',
  },
  {
    name: 'scope',
    label: 'Scope',
    type: 'text',
    example: 'mail.send',
    isOptional: true,
  },
  {
    name: 'refreshToken',
    label: 'Refresh token',
    type: 'password',
    example: 'sample-token',
    help: 'Without it the application logs in as itself (client credentials).',
    isOptional: true,
  },
  mailboxField,
  ...mailboxLimitFields(),
]

const retryPeriod: FormVariant['fields'][number] = {
  name: 'retry_period',
  label: 'Seconds until a failed member is tried again',
  type: 'number',
  example: '30',
  isOptional: true,
  default: '60',
}

/** The forms of the general schemes and of lists, in the order in which they are offered. */
export const generalForms: readonly GeneralForm[] = [
  {
    name: 'smtp',
    title: 'SMTP server',
    variants: [
      { scheme: 'smtp', fields: [...serverFields, ...startTlsFields, ...trustFields] },
      { scheme: 'smtps', fields: [...serverFields, ...trustFields] },
      { scheme: 'smtp+oauth', title: 'SMTP with OAuth', fields: oauthFields },
    ],
  },
  {
    name: 'failover',
    title: 'Failover: the next member when one fails',
    variants: [{ scheme: 'failover', fields: [retryPeriod] }],
    isList: true,
  },
  {
    name: 'roundrobin',
    title: 'Round robin: the members in turn',
    variants: [{ scheme: 'roundrobin', fields: [retryPeriod] }],
    isList: true,
  },
  {
    name: 'inbox',
    title: 'Inbox: captures messages, sends none',
    variants: [{ scheme: 'inbox', fields: [] }],
    needs: 'inbox',
  },
  {
    name: 'null',
    title: 'Null: accepts and discards messages',
    variants: [{ scheme: 'null', fields: [] }],
  },
  {
    name: 'sendmail',
    title: 'Sendmail command of this machine',
    variants: [
      { scheme: 'sendmail', fields: [] },
      { scheme: 'native', fields: [] },
    ],
    needs: 'command',
  },
]
