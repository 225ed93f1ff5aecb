import type { DsnList, DsnNode, SingleDsn } from '../grammar/dsn.ts'
import { DsnError } from '../grammar/dsn-error.ts'
import { readDsn } from '../grammar/read-dsn.ts'
import { isSameAddress } from '../policy/address-bytes.ts'
import { createDsnReader, type DsnReader } from '../providers/dsn-reader.ts'
import type { ApiScheme, Scheme, SmtpScheme } from '../providers/provider.ts'
import { findProviderByHost, findScheme } from '../providers/registry.ts'
import { readRate } from '../providers/smtp-options.ts'
import { Secret, secretMask } from '../secret.ts'
import { labelOf } from './label.ts'
import type {
  ParsedApiDsn,
  ParsedDsn,
  ParsedInboxDsn,
  ParsedListDsn,
  ParsedSmtpDsn,
} from './parsed-dsn.ts'
import { isUserSecret, leavesOf, type SecretSpan, secretSpans } from './secret-spans.ts'
import { unsupportedScheme } from './unsupported-scheme.ts'

const retryPeriodSeconds = 60

/** What parsing may be told. */
export interface ParseDsnOptions {
  /** Whether the operator has named a command for `sendmail://`. Default: no. */
  readonly hasCommand?: boolean
  /** Whether messages can be captured, for `inbox://local`. Default: no. */
  readonly hasInbox?: boolean
  /** The local addresses that `source_ip` may name. Default: any, for whoever cannot know them. */
  readonly sourceAddresses?: readonly string[] | undefined
  /** Gets what the author of the DSN should know, a sentence each. */
  readonly warnings?: string[]
}

/**
 * Parses a DSN as Symfony Mailer and Mautic's plug-ins do: the same text means the same transport.
 * What is dangerous there is refused. Throws DsnError, whose message may be shown.
 */
export function parseDsn(text: string, options: ParseDsnOptions = {}): ParsedDsn {
  const node = readDsn(text)
  checkMembers(node)
  return parseNode(node, {
    hasCommand: options.hasCommand ?? false,
    hasInbox: options.hasInbox ?? false,
    sourceAddresses: options.sourceAddresses,
    warnings: options.warnings ?? [],
  })
}

/** A message may be tried at each member, and so is a test. */
const membersMax = 20

function checkMembers(node: DsnNode): void {
  const count = leavesOf(node).length
  if (count <= membersMax) return
  throw new DsnError(
    'too_many_members',
    `The DSN has ${count} transports; a list may have ${membersMax}, those of lists within it included. Split it up.`,
  )
}

function parseNode(node: DsnNode, options: Required<ParseDsnOptions>): ParsedDsn {
  return node.type === 'single' ? parseSingle(node, options) : parseList(node, options)
}

function parseList(list: DsnList, options: Required<ParseDsnOptions>): ParsedListDsn {
  return {
    kind: list.type,
    members: list.members.map((member) => parseNode(member, options)),
    retryPeriodMs: (list.retryPeriodSeconds ?? retryPeriodSeconds) * 1000,
    label: labelOf(list),
  }
}

function parseSingle(dsn: SingleDsn, options: Required<ParseDsnOptions>): ParsedDsn {
  const registered = findScheme(dsn.scheme)
  if (registered === undefined) throw unsupportedScheme(dsn.scheme)
  const { scheme, provider } = registered
  const reader = createDsnReader(dsn, options.warnings)
  const secrets = secretSpans(dsn)
  const single = {
    scheme: dsn.scheme,
    provider: provider?.name ?? null,
    host: dsn.host,
    port: dsn.port ?? null,
    username: isUserSecret(dsn, scheme) ? null : (dsn.user ?? null),
    secrets: secrets.filter(isRedacted).map(({ value }) => new Secret(value)),
    options: shownOptions(dsn, secrets),
    label: labelOf(dsn),
  }
  const parsed = parseKind(single, { scheme, reader, options })
  for (const name of reader.options.unread()) {
    // What is nothing but a name may be a secret that lost its own.
    const what =
      dsn.options.get(name)?.value === '' ? 'An option without a value' : `The option "${name}"`
    reader.warn(`${what} is not known for ${dsn.scheme} and is ignored.`)
  }
  return parsed
}

interface SchemeReading {
  readonly scheme: Scheme
  readonly reader: DsnReader
  readonly options: Required<ParseDsnOptions>
}

type Single = Omit<ParsedSmtpDsn, 'kind' | 'settings'>

function parseKind(single: Single, { scheme, reader, options }: SchemeReading): ParsedDsn {
  switch (scheme.kind) {
    case 'smtp':
      return parseSmtp(single, scheme, { reader, options })
    case 'api':
      return parseApi(single, scheme, reader)
    case 'null':
      return { ...single, kind: 'null' }
    case 'inbox':
      return parseInbox(single, { reader, options })
    case 'command':
      if (options.hasCommand) return { ...single, kind: 'command' }
      throw new DsnError(
        'forbidden',
        `${single.scheme}:// runs a command of this machine; it works only where the operator has named that command. Use smtp://localhost:25 instead.`,
      )
  }
}

function parseSmtp(
  single: Single,
  scheme: SmtpScheme,
  { reader, options }: Pick<SchemeReading, 'reader' | 'options'>,
): ParsedSmtpDsn {
  const read = scheme.read(reader)
  checkSourceAddress(read.sourceAddress, options.sourceAddresses)
  const provider = single.provider ?? findProviderByHost(read.host)?.name ?? null
  // A known provider always has STARTTLS; a session without it has somebody in the middle.
  const isRequired = read.tls === 'opportunistic' && provider !== null
  const settings = isRequired ? { ...read, tls: 'starttls' as const } : read
  const isOpen = settings.tls === 'opportunistic' || settings.tls === 'none'
  if (settings.credentials !== null && isOpen && !isLoopback(single.host))
    reader.warn(
      'The password is sent unencrypted where the server offers no STARTTLS; add require_tls=1.',
    )
  return { ...single, kind: 'smtp', provider, settings }
}

function parseInbox(
  single: Single,
  { reader, options }: Pick<SchemeReading, 'reader' | 'options'>,
): ParsedInboxDsn {
  if (!options.hasInbox)
    throw new DsnError('forbidden', 'inbox:// captures messages, and there is no inbox here.')
  if (single.host !== 'local')
    throw new DsnError('invalid_host', 'inbox:// has one host, "local": write inbox://local.')
  reader.warn('inbox://local captures messages in Mailyard: they are captured, not sent.')
  return { ...single, kind: 'inbox' }
}

function checkSourceAddress(address: string | null, listed: readonly string[] | undefined): void {
  if (address === null || listed === undefined) return
  if (listed.some((one) => isSameAddress(one, address))) return
  throw new DsnError(
    'forbidden',
    'The option source_ip may be one of the addresses that the operator has listed, and this is none of them.',
  )
}

function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(host)
}

function parseApi(single: Single, scheme: ApiScheme, reader: DsnReader): ParsedApiDsn {
  refuseForeignKeys(reader)
  const adapter = scheme.read(reader)
  return {
    ...single,
    kind: 'api',
    adapter,
    maxPerSecond: readRate(reader.options) ?? adapter.maxPerSecond ?? null,
  }
}

/** Keys travel in HTTP headers. One with other characters was pasted from where quotes and dashes are set. */
function refuseForeignKeys({ user = '', password = '' }: DsnReader): void {
  for (const [part, value] of Object.entries({ user, password }))
    if (!/^[\u0020-\u007e]*$/.test(value))
      throw new DsnError(
        'special_character',
        `The ${part} part holds a character that is not ASCII, which no API key has; copy the key once more.`,
      )
}

/**
 * Whether a server may repeat it: what is masked for being unknown is never sent, and as short as a word of its
 * own it would make holes in every reply.
 */
function isRedacted({ part, value }: SecretSpan): boolean {
  if (part === 'user' || part === 'password') return true
  return value.length >= 8 || /secret|token|password|key$/i.test(part)
}

function shownOptions(dsn: SingleDsn, secrets: readonly SecretSpan[]): Record<string, string> {
  const shown: Record<string, string> = {}
  const secretParts = new Set(secrets.map(({ part }) => part))
  for (const [name, { value }] of dsn.options)
    if (value !== '' || !secretParts.has('name'))
      shown[name] = secretParts.has(`?${name}`) ? secretMask : value
  return shown
}
