import {
  accessTokenField,
  type FormVariant,
  hostField,
  mailboxField,
  mailboxLimitFields,
  numberField,
  returnPathField,
  secretField,
  switchField,
  textField,
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

const serverFields = [
  hostField('host', 'Server', { example: 'mail.example.com' }),
  numberField('port', 'Port', {
    example: '587',
    help: 'Usually 587. Without a port: 465 with TLS from the start; 25 for localhost.',
    isOptional: true,
  }),
  textField('user', 'User name', { example: 'shop@example.com', isOptional: true }),
  secretField('password', 'Password', { example: 'p@ss/word', isOptional: true }),
]

const startTlsFields = [
  switchField('require_tls', 'Require encryption', {
    help: 'Sends nothing if the server does not offer STARTTLS.',
  }),
  switchField('auto_tls', 'Use encryption where it is offered', { isAdvanced: true, default: '1' }),
]

const trustFields = [
  switchField('verify_peer', 'Check the certificate', {
    help: 'Without the check the connection can be intercepted.',
    isAdvanced: true,
    default: '1',
  }),
  textField('peer_fingerprint', 'Fingerprint of the certificate', {
    example: 'ab'.repeat(32),
    help: 'Its md5, sha1 or sha256 in hexadecimal.',
    isAdvanced: true,
  }),
  accessTokenField,
]

const oauthFields = [
  hostField('host', 'Server', { example: 'mail.example.com' }),
  numberField('port', 'Port', { example: '465', isOptional: true, default: '587' }),
  textField('user', 'Client id', { example: 'mailyard' }),
  secretField('password', 'Client secret', { example: 'sample-secret' }),
  textField('tokenUrl', 'Token URL', {
    example: 'https://login.example.com/oauth2/token',
    help: 'The token endpoint of the provider. It starts with https://.',
  }),
  textField('scope', 'Scope', { example: 'mail.send', isOptional: true }),
  secretField('refreshToken', 'Refresh token', {
    example: 'sample-token',
    help: 'Without it the application logs in as itself (client credentials).',
    isOptional: true,
  }),
  mailboxField,
  ...mailboxLimitFields(),
]

const retryPeriod = numberField('retry_period', 'Seconds until a failed member is tried again', {
  example: '30',
  isOptional: true,
  default: '60',
})

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
      { scheme: 'sendmail', fields: [returnPathField] },
      { scheme: 'native', fields: [returnPathField] },
    ],
    needs: 'command',
  },
]
