import { suggest } from '../../../kit/suggest.ts'
import { DsnError, type DsnNode, labelOf, type SingleDsn } from '../grammar/dsn.ts'
import { readDsn } from '../grammar/read-dsn.ts'
import { isSameAddress } from '../policy/address-class.ts'
import { DsnReader, isLoopback } from '../providers/dsn-reader.ts'
import type { ApiScheme, Scheme, SmtpScheme } from '../providers/provider.ts'
import { findProvider, findProviderByHost, findScheme } from '../providers/registry.ts'
import { readRate } from '../providers/smtp-scheme.ts'
import { Secret, secretMask } from '../secret.ts'
import { listEndingLogins } from './ending-logins.ts'
import type {
  ParsedApiDsn,
  ParsedDsn,
  ParsedLocalDsn,
  ParsedSingleDsn,
  ParsedSmtpDsn,
} from './parsed-dsn.ts'
import { partWarnings } from './part-warnings.ts'
import { isUserSecret, leavesOf, type SecretSpan, secretSpans } from './secret-spans.ts'
import { unsupportedScheme } from './unsupported-scheme.ts'

const retryPeriodSeconds = 60

/** What replaces the option `encryption` of Swift Mailer, which Symfony ignores. */
const swiftAdvice = 'Write smtps://, or require_tls=1 for STARTTLS.'

/**
 * Options of `parseDsn`.
 * @example
 * ```ts
 * const warnings: string[] = []
 * const options: ParseDsnOptions = { sourceAddresses: ['192.0.2.10'], warnings }
 * ```
 */
export interface ParseDsnOptions {
  /** Whether a command for `sendmail://` is configured. Default: no. */
  readonly hasCommand?: boolean
  /** Whether messages can be captured, for `inbox://local`. Default: no. */
  readonly hasInbox?: boolean
  /** Whether who sends gives return paths, for `return_path=on`. Default: yes. */
  readonly hasReturnPaths?: boolean
  /** The local addresses that `source_ip` may name. Default: any. */
  readonly sourceAddresses?: readonly string[] | undefined
  /** Receives the warnings, one sentence each. */
  readonly warnings?: string[]
}

/**
 * Parses a DSN as Symfony Mailer and Mautic's plug-ins do, but refuses what is dangerous there.
 * @throws {DsnError} whose message is safe to show.
 * @see https://symfony.com/doc/current/mailer.html#transport-setup
 * @example
 * ```ts
 * const dsn = parseDsn('smtp://shop:hunter2@mail.example.com:587')
 * console.log(dsn.kind, dsn.label) // smtp smtp://mail.example.com:587
 * ```
 */
export function parseDsn(text: string, options: ParseDsnOptions = {}): ParsedDsn {
  const node = readNode(text)
  checkMembers(node)
  const parsed = parseNode(node, options)
  for (const { sentence } of listEndingLogins(parsed)) options.warnings?.push(sentence)
  return parsed
}

function readNode(text: string): DsnNode {
  try {
    return readDsn(text)
  } catch (error) {
    // A misspelt scheme is said first: what follows it may be right for another one.
    const scheme = /^[\w+.-]+(?=:\/\/)/.exec(text)?.[0]
    throw scheme === undefined || findScheme(scheme) ? error : unsupportedScheme(scheme)
  }
}

/** A message, and a test, may have to try every member. */
export const membersMax = 20

function checkMembers(node: DsnNode): void {
  const count = leavesOf(node).length
  if (count <= membersMax) return
  throw new DsnError(
    'too_many_members',
    `The DSN has ${count} transports; ${membersMax} are allowed, including those of nested lists. Split it up.`,
  )
}

function parseNode(node: DsnNode, options: ParseDsnOptions): ParsedDsn {
  if (node.type === 'single') return parseSingle(node, options)
  return {
    kind: node.type,
    members: node.members.map((member) => parseNode(member, options)),
    retryPeriodMs: (node.retryPeriodSeconds ?? retryPeriodSeconds) * 1000,
    label: labelOf(node),
  }
}

function parseSingle(dsn: SingleDsn, options: ParseDsnOptions): ParsedSingleDsn {
  const registered = findScheme(dsn.scheme)
  if (registered === undefined) throw unsupportedScheme(dsn.scheme)
  const { scheme, provider } = registered
  const reader = new DsnReader(dsn, options.warnings ?? [])
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
  const parsed = parseKind(single, scheme, { reader, options })
  if (options.hasReturnPaths === false && reader.options.boolean('return_path') === true)
    reader.warn('return_path=on changes nothing without MAILYARD_BOUNCE_ADDRESS.')
  for (const name of reader.options.unread()) {
    // A name without a value may be a secret without its name, so it is not shown.
    const option =
      dsn.options.get(name)?.value === '' ? 'An option without a value' : `The option "${name}"`
    const isOfSwift = name === 'encryption' && dsn.scheme === 'smtp'
    const advice = isOfSwift ? swiftAdvice : suggest(name, scheme.publicOptions ?? [])
    const sentence = `${option} is not known for ${dsn.scheme} and is ignored.`
    reader.warn(advice === undefined ? sentence : `${sentence} ${advice}`)
  }
  for (const sentence of partWarnings(dsn, parsed)) reader.warn(sentence)
  return parsed
}

interface Reading {
  readonly reader: DsnReader
  readonly options: ParseDsnOptions
}

type Single = Omit<ParsedSmtpDsn, 'kind' | 'settings'>

function parseKind(single: Single, scheme: Scheme, { reader, options }: Reading): ParsedSingleDsn {
  switch (scheme.kind) {
    case 'smtp':
      return parseSmtp(single, scheme, { reader, options })
    case 'api':
      return parseApi(single, scheme, reader)
    case 'null':
      return { ...single, kind: 'null', hasReturnPath: false }
    case 'inbox':
      return parseInbox(single, { reader, options })
    case 'command':
      if (options.hasCommand) {
        const hasReturnPath = reader.options.boolean('return_path') ?? false
        return { ...single, kind: 'command', hasReturnPath }
      }
      throw new DsnError(
        'forbidden',
        `${single.scheme}:// runs a command of this machine. It works only when the operator has configured that command. Use smtp://localhost:25 instead.`,
      )
  }
}

function parseSmtp(
  single: Single,
  scheme: SmtpScheme,
  { reader, options }: Reading,
): ParsedSmtpDsn {
  const read = scheme.read(reader)
  checkSourceAddress(read.sourceAddress, options.sourceAddresses)
  const providerOfHost = findProviderByHost(read.host)?.name ?? null
  const provider = single.provider ?? providerOfHost
  // Every known provider offers STARTTLS; when it is missing, the connection is being intercepted.
  const isRequired = read.tls === 'opportunistic' && providerOfHost !== null
  const isSandbox = findProvider(provider ?? '')?.isSandbox?.(reader) === true
  const settings = {
    ...read,
    tls: isRequired ? ('starttls' as const) : read.tls,
    signsDkim: read.signsDkim && !isSandbox,
  }
  const isOpen = settings.tls === 'opportunistic' || settings.tls === 'none'
  if (settings.credentials !== null && isOpen && !isLoopback(single.host))
    reader.warn(
      'The password is sent unencrypted when the server does not offer STARTTLS; add require_tls=1.',
    )
  return { ...single, kind: 'smtp', provider, settings }
}

function parseInbox(single: Single, { reader, options }: Reading): ParsedLocalDsn {
  if (!options.hasInbox)
    throw new DsnError('forbidden', 'inbox:// captures messages, and no inbox is configured.')
  if (single.host !== 'local')
    throw new DsnError('invalid_host', 'The only host of inbox:// is "local": write inbox://local.')
  reader.warn('inbox://local captures messages in Mailyard: they are captured, not sent.')
  return { ...single, kind: 'inbox', hasReturnPath: false }
}

function checkSourceAddress(address: string | null, listed: readonly string[] | undefined): void {
  if (address === null || listed === undefined) return
  if (listed.some((one) => isSameAddress(one, address))) return
  throw new DsnError(
    'forbidden',
    'The option source_ip must be one of the addresses that the operator has listed; this one is not listed.',
    'source_ip',
  )
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

/** Refuses keys that HTTP headers cannot carry. Typographic quotes and dashes come from copying formatted text. */
function refuseForeignKeys({ user = '', password = '' }: DsnReader): void {
  for (const [part, value] of Object.entries({ user, password }))
    if (!/^[\u0020-\u007e]*$/.test(value))
      throw new DsnError(
        'special_character',
        `The ${part} part contains a character that is not ASCII, which no API key has; copy the key again.`,
        part,
      )
}

/**
 * Whether to mask a value in replies. The values of unknown options are never sent to a server, so masking a short one
 * would only remove words from replies.
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
