/** How a person enters the value of a field. */
type FieldType = 'text' | 'password' | 'number' | 'select' | 'boolean' | 'host'

/** A value to choose, and its name. */
interface FieldChoice {
  readonly value: string
  readonly label: string
}

/**
 * One field of a form.
 * @example
 * ```ts
 * const isMissing = ({ name, required }: FieldDescription, values: Record<string, string>) =>
 *   required && values[name] === undefined
 * ```
 */
export interface FieldDescription {
  /** `user`, `password`, `host`, `port`, or the name of an option. */
  readonly name: string
  /** The provider's word for it. */
  readonly label: string
  readonly type: FieldType
  readonly required: boolean
  /** Whether most people leave it out. */
  readonly advanced: boolean
  readonly help: string | null
  /** A value that makes a valid DSN; of a private key only its beginning. */
  readonly example: string
  /** What applies when the field is empty. */
  readonly default: string | null
  /** Common values of a `select`; others may be valid, too. */
  readonly options: readonly FieldChoice[]
}

/**
 * A step of the set-up at the provider. Its texts hold no secret.
 * @example
 * ```ts
 * const isForTerminal = ({ shell, lines }: StepDescription) => shell !== null && lines.length > 0
 * ```
 */
export interface StepDescription {
  readonly text: string
  /** The page where it is done. */
  readonly link: string | null
  /** What to copy: a command or a value each. `{name}` stands for the value of the field `name`. */
  readonly lines: readonly string[]
  /** The shell of the commands: quote the values for it. Null if the lines are values to paste. */
  readonly shell: 'powershell' | null
}

/** A step; what it lacks is null or empty. */
export type SetupStep = Pick<StepDescription, 'text'> & Partial<StepDescription>

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
  readonly fields: readonly FieldDescription[]
  /** Converts what a person pastes into a field to the value in the DSN. By the name of the field. */
  readonly encode?: Readonly<Record<string, (pasted: string) => string>>
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
  /** Those that are not of one scheme of the provider each. */
  readonly variants?: readonly FormVariant[]
}

/** Without `isOptional` and `isAdvanced` a field is required. */
interface FieldDetails
  extends Pick<FieldDescription, 'example'>,
    Partial<Pick<FieldDescription, 'help' | 'default' | 'options'>> {
  readonly isOptional?: boolean
  readonly isAdvanced?: boolean
}

/** Creates the factory of the fields of a type. */
function fieldOf(type: FieldType) {
  return (
    name: string,
    label: string,
    { isOptional = false, isAdvanced = false, ...details }: FieldDetails,
  ): FieldDescription => ({
    name,
    label,
    type,
    required: !isOptional && !isAdvanced,
    advanced: isAdvanced,
    help: null,
    default: null,
    options: [],
    ...details,
  })
}

export const textField = fieldOf('text')
export const secretField = fieldOf('password')
export const hostField = fieldOf('host')
export const numberField = fieldOf('number')

/** Creates the field of a switch, which is off unless `details` has another default. */
export function switchField(
  name: string,
  label: string,
  details: Partial<FieldDetails> = {},
): FieldDescription {
  return fieldOf('boolean')(name, label, {
    example: '1',
    isOptional: true,
    default: '0',
    ...details,
  })
}

/** Creates the field of a key or token in the user part. */
export function keyField(label: string, help: string): FieldDescription {
  return secretField('user', label, { example: 'sample-key-123', help })
}

/** Creates the two fields of an SMTP log-in. */
export function loginFields(help: string): readonly FieldDescription[] {
  return [
    textField('user', 'User name', { example: 'shop@example.com', help }),
    secretField('password', 'Password', { example: 'p@ss/word' }),
  ]
}

/** The port of a provider that speaks STARTTLS on others than its usual one. */
export const startTlsPortField = numberField('port', 'Port', {
  example: '587',
  help: '465 and 2465 mean TLS from the start, others STARTTLS.',
  isAdvanced: true,
  default: '465',
})

/** An access token instead of a password, for those who renew it by a program. */
export const accessTokenField = secretField('accessToken', 'OAuth access token', {
  example: 'ya29.sample',
  help: 'Instead of a password (XOAUTH2). It expires within the hour and is not renewed.',
  isAdvanced: true,
})

/** The mailbox that all messages are sent through, of a transport with OAuth. */
export const mailboxField = textField('mailbox', 'Mailbox', {
  example: 'shop@example.com',
  help: "All messages are sent through it. Empty: each message through its sender's own mailbox.",
  isOptional: true,
})

/** Creates the fields of the limits of a mailbox, with what applies without them. */
export function mailboxLimitFields(limits?: {
  readonly connectionsMax: number
  readonly maxPerMinute: number
}): readonly FieldDescription[] {
  return [
    numberField('max_per_minute', 'Messages per minute', {
      example: '20',
      help: 'For each mailbox; 0 for no limit.',
      isAdvanced: true,
      default: limits === undefined ? null : String(limits.maxPerMinute),
    }),
    numberField('max_connections', 'Connections', {
      example: '2',
      help: 'For each mailbox; 0 for the usual limit.',
      isAdvanced: true,
      default: limits === undefined ? null : String(limits.connectionsMax),
    }),
  ]
}

/** Creates the field of an account's region. */
export function regionField(
  labels: Readonly<Record<string, string>>,
  details: Partial<FieldDetails>,
): FieldDescription {
  const options = Object.entries(labels).map(([value, label]): FieldChoice => ({ value, label }))
  const example =
    options.find(({ value }) => value !== details.default)?.value ?? details.default ?? ''
  return fieldOf('select')('region', 'Region', { example, isOptional: true, options, ...details })
}

const rateField = numberField('max_per_second', 'Messages per second', {
  example: '5',
  help: 'Empty or 0 for no limit.',
  isAdvanced: true,
})

const ownHostFields: readonly FieldDescription[] = [
  hostField('host', 'API host', {
    example: 'api.example.com',
    help: "Empty for the provider's own host.",
    isAdvanced: true,
  }),
  numberField('port', 'API port', {
    example: '8443',
    help: 'Only with a host of your own.',
    isAdvanced: true,
  }),
]

export const returnPathField = switchField('return_path', 'Bounces come back to Mailyard', {
  example: '1',
  help: 'Each recipient gets a message of their own, whose bounces prove themselves. It needs MAILYARD_BOUNCE_ADDRESS.',
  isAdvanced: true,
})

const sessionFields: readonly FieldDescription[] = [
  rateField,
  switchField('dkim', 'Sign messages (DKIM)', {
    example: '0',
    help: 'Messages of domains that have a key are signed.',
    isAdvanced: true,
    default: '1',
  }),
  returnPathField,
  textField('local_domain', 'EHLO name', {
    example: 'mail.example.com',
    help: 'The name that this machine gives in EHLO.',
    isAdvanced: true,
  }),
  numberField('ping_threshold', 'Seconds until a connection is checked', {
    example: '30',
    help: 'A connection that was idle for longer is checked by NOOP before it is used.',
    isAdvanced: true,
    default: '100',
  }),
  numberField('restart_threshold', 'Messages per connection', {
    example: '50',
    help: '0 for no limit.',
    isAdvanced: true,
    default: '100',
  }),
  numberField('restart_threshold_sleep', 'Seconds between connections', {
    example: '1',
    help: 'Only with a number of messages per connection.',
    isAdvanced: true,
    default: '0',
  }),
  textField('source_ip', 'Local address', {
    example: '192.0.2.10',
    help: 'One of the addresses that the operator has listed.',
    isAdvanced: true,
  }),
]

/** Returns the fields that every variant of a kind has, after its own. */
export function commonFields(kind: 'smtp' | 'api'): readonly FieldDescription[] {
  return kind === 'smtp' ? sessionFields : [...ownHostFields, rateField]
}
