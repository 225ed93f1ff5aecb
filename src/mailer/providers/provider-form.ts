/** How a person enters the value of a field. */
export type FieldType = 'text' | 'password' | 'number' | 'select' | 'boolean' | 'host'

/** One field of a form. Its name is the part of the DSN: `user`, `password`, `host`, `port`, or an option. */
export interface FormField {
  readonly name: string
  /** The provider's word for it. */
  readonly label: string
  readonly type: FieldType
  /** A value that makes a valid DSN; of a private key only its beginning. */
  readonly example: string
  readonly help?: string
  /** Default: it is required. */
  readonly isOptional?: boolean
  /** Whether most people leave it out. */
  readonly isAdvanced?: boolean
  /** What applies when the field is empty. */
  readonly default?: string
  /** Common values, of a `select`. Other values may be valid, too. */
  readonly choices?: readonly FieldChoice[]
  /** Converts what a person pastes to the value in the DSN. */
  readonly encode?: (pasted: string) => string
}

/** A value to choose, and its name. */
export interface FieldChoice {
  readonly value: string
  readonly label: string
}

/** A step of the set-up at the provider. Its texts hold no secret. */
export interface SetupStep {
  readonly text: string
  /** The page where it is done. */
  readonly link?: string
  /** What to copy: a command or a value each. `{name}` stands for the value of the field `name`. */
  readonly lines?: readonly string[]
  /** The shell of the commands, for which values are quoted. Default: the lines are values to paste. */
  readonly shell?: 'powershell' | 'sh'
}

/** One way to send through a provider: its scheme and the fields of its DSN. */
export interface FormVariant {
  /** The scheme that a DSN from this form has. */
  readonly scheme: string
  /** Default: the last part of the scheme. */
  readonly name?: string
  /** Default: the words for the name. */
  readonly title?: string
  /** The option that a DSN of this variant has, where another variant has the same scheme. */
  readonly distinctOption?: string
  readonly fields: readonly FormField[]
  /** What to set up at the provider, in order. */
  readonly steps?: readonly SetupStep[]
  /** Where its credentials are found, if it differs from that of the provider. */
  readonly link?: string
  /** The user part, where it is always the same. */
  readonly fixedUser?: string
  /** The fields of options that only the scheme of a Mautic plug-in has; null for an option without effect. */
  readonly pluginOptions?: Readonly<Record<string, string | null>>
  /** Whether the scheme of the plug-in uses the host of the DSN. */
  readonly hasPluginHost?: boolean
}

/** What a person fills in to send through a provider. */
export interface ProviderForm {
  /** Default: the name of the provider. */
  readonly title?: string
  /** The page of the provider where the credentials are found. */
  readonly link: string
  readonly variants: readonly FormVariant[]
}

/** Creates the field of a key or token in the user part. */
export function keyField(label: string, help: string): FormField {
  return { name: 'user', label, type: 'password', example: 'sample-key-123', help }
}

/** Creates the two fields of an SMTP log-in. */
export function loginFields(help: string): readonly FormField[] {
  return [
    { name: 'user', label: 'User name', type: 'text', example: 'shop@example.com', help },
    { name: 'password', label: 'Password', type: 'password', example: 'p@ss/word' },
  ]
}

/** An access token instead of a password, for those who renew it by a program. */
export const accessTokenField: FormField = {
  name: 'accessToken',
  label: 'OAuth access token',
  type: 'password',
  example: 'ya29.sample',
  help: 'Instead of a password (XOAUTH2). It expires within the hour and is not renewed.',
  isOptional: true,
  isAdvanced: true,
}

/** The mailbox that all messages are sent through, of a transport with OAuth. */
export const mailboxField: FormField = {
  name: 'mailbox',
  label: 'Mailbox',
  type: 'text',
  example: 'shop@example.com',
  help: "All messages are sent through it. Empty: each message through its sender's own mailbox.",
  isOptional: true,
}

/** Creates the fields of the limits of a mailbox, with what applies without them. */
export function mailboxLimitFields(limits?: {
  readonly connectionsMax: number
  readonly maxPerMinute: number
}): readonly FormField[] {
  return [
    {
      name: 'max_per_minute',
      label: 'Messages per minute',
      type: 'number',
      example: '20',
      help: 'For each mailbox; 0 for no limit.',
      isOptional: true,
      isAdvanced: true,
      ...(limits === undefined ? {} : { default: String(limits.maxPerMinute) }),
    },
    {
      name: 'max_connections',
      label: 'Connections',
      type: 'number',
      example: '2',
      help: 'For each mailbox; 0 for the usual limit.',
      isOptional: true,
      isAdvanced: true,
      ...(limits === undefined ? {} : { default: String(limits.connectionsMax) }),
    },
  ]
}

/** Creates the field of an account's region from its codes. */
export function regionField(choices: readonly FieldChoice[], standard: string): FormField {
  const example = choices.find(({ value }) => value !== standard)?.value ?? standard
  return {
    name: 'region',
    label: 'Region',
    type: 'select',
    example,
    isOptional: true,
    default: standard,
    choices,
  }
}

const rateField: FormField = {
  name: 'max_per_second',
  label: 'Messages per second',
  type: 'number',
  example: '5',
  help: 'Empty or 0 for no limit.',
  isOptional: true,
  isAdvanced: true,
}

const ownHostFields: readonly FormField[] = [
  {
    name: 'host',
    label: 'API host',
    type: 'host',
    example: 'api.example.com',
    help: "Empty for the provider's own host.",
    isOptional: true,
    isAdvanced: true,
  },
  {
    name: 'port',
    label: 'API port',
    type: 'number',
    example: '8443',
    help: 'Only with a host of your own.',
    isOptional: true,
    isAdvanced: true,
  },
]

const sessionFields: readonly FormField[] = [
  rateField,
  {
    name: 'local_domain',
    label: 'EHLO name',
    type: 'text',
    example: 'mail.example.com',
    help: 'The name that this machine gives in EHLO.',
    isOptional: true,
    isAdvanced: true,
  },
  {
    name: 'ping_threshold',
    label: 'Seconds until a connection is checked',
    type: 'number',
    example: '30',
    help: 'A connection that was idle for longer is checked by NOOP before it is used.',
    isOptional: true,
    isAdvanced: true,
    default: '100',
  },
  {
    name: 'restart_threshold',
    label: 'Messages per connection',
    type: 'number',
    example: '50',
    help: '0 for no limit.',
    isOptional: true,
    isAdvanced: true,
    default: '100',
  },
  {
    name: 'restart_threshold_sleep',
    label: 'Seconds between connections',
    type: 'number',
    example: '1',
    help: 'Only with a number of messages per connection.',
    isOptional: true,
    isAdvanced: true,
    default: '0',
  },
  {
    name: 'source_ip',
    label: 'Local address',
    type: 'text',
    example: '192.0.2.10',
    help: 'One of the addresses that the operator has listed.',
    isOptional: true,
    isAdvanced: true,
  },
]

/** Returns the fields that every variant of a kind has, after its own. */
export function commonFields(kind: 'smtp' | 'api'): readonly FormField[] {
  return kind === 'smtp' ? sessionFields : [...ownHostFields, rateField]
}
