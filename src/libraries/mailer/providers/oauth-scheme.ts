import { createPrivateKey, type KeyObject } from 'node:crypto'
import { isMailAddress } from '../message/message.ts'
import type { TokenGrant, TokenIssuer } from '../oauth/token-grant.ts'
import { Secret } from '../secret.ts'
import type { SmtpSettings, TlsMode } from '../smtp/smtp-settings.ts'
import { asciiHost, type DsnReader, invalidOption, isLoopback } from './dsn-reader.ts'
import type { SmtpScheme } from './provider.ts'
import {
  implicitTlsPort,
  peerTrustNames,
  readPeerTrust,
  readSessionOptions,
  sessionOptionNames,
} from './smtp-scheme.ts'

/** The SMTP server and the token endpoint of a scheme with OAuth. */
interface OAuthPreset {
  readonly name: string
  /** The server, if the host of the DSN is `default`. Default: the host of the DSN. */
  readonly server?: (dsn: DsnReader) => { readonly host: string; readonly port: number }
  readonly grant: (dsn: DsnReader) => TokenGrant
  /** The options that `grant` reads and that may be shown. */
  readonly publicOptions: readonly string[]
  /** What the provider allows for one mailbox. */
  readonly limits?: { readonly connectionsMax: number; readonly maxPerMinute: number }
}

const submissionPort = 587

/** Creates an SMTP scheme whose log-in is an access token. */
export function oauthScheme({
  name,
  server,
  grant,
  publicOptions,
  limits,
}: OAuthPreset): SmtpScheme {
  return {
    kind: 'smtp',
    names: [name],
    isUserSecret: false,
    publicOptions: [
      'mailbox',
      'max_connections',
      'max_per_minute',
      ...publicOptions,
      ...peerTrustNames,
      ...sessionOptionNames,
    ],
    read(dsn) {
      const standard = dsn.hasDefaultHost ? server?.(dsn) : undefined
      if (dsn.hasDefaultHost && standard === undefined)
        dsn.warn('"default" has no special meaning for this scheme; write the name of your server.')
      const port = dsn.port ?? standard?.port ?? submissionPort
      return {
        host: standard?.host ?? asciiHost(dsn.host),
        port,
        tls: tlsOf(dsn, port),
        trust: readPeerTrust(dsn),
        credentials: null,
        oauth: { grant: grant(dsn), mailbox: readMailbox(dsn) },
        headers: [],
        ...readSessionOptions(dsn),
        maxPerMinute: readLimit(dsn, 'max_per_minute', limits?.maxPerMinute),
        connectionsMax: readLimit(dsn, 'max_connections', limits?.connectionsMax),
      } satisfies SmtpSettings
    },
  }
}

/** A token is sent encrypted, except to a server of this machine that offers no TLS. */
function tlsOf({ host }: DsnReader, port: number): TlsMode {
  if (port === implicitTlsPort) return 'implicit'
  return isLoopback(host) ? 'opportunistic' : 'starttls'
}

function readMailbox({ options }: DsnReader): string | null {
  const mailbox = options.text('mailbox') ?? ''
  if (mailbox === '') return null
  if (isMailAddress(mailbox)) return mailbox
  throw invalidOption('mailbox', 'must be an email address.')
}

/** Reads a limit of a mailbox. 0 means none. */
function readLimit({ options }: DsnReader, name: string, standard: number | undefined) {
  const limit = options.integer(name) ?? standard ?? 0
  return limit === 0 ? null : limit
}

/** `smtp+oauth://`: any server with XOAUTH2 or OAUTHBEARER, and any token endpoint. */
export const smtpOAuthScheme: SmtpScheme = oauthScheme({
  name: 'smtp+oauth',
  publicOptions: ['scope', 'tokenUrl'],
  grant(dsn) {
    const tokenUrl = readTokenUrl(dsn)
    const issuer = issuerOf(new URL(tokenUrl).hostname)
    return readSecretGrant(dsn, { tokenUrl, issuer, scope: dsn.options.text('scope') || null })
  },
})

interface GrantTarget {
  readonly tokenUrl: string
  readonly issuer: TokenIssuer | null
  readonly scope: string | null
}

/** Reads client id and client secret, and the refresh token if there is one. */
export function readSecretGrant(dsn: DsnReader, target: GrantTarget): TokenGrant {
  const clientId = dsn.requireUser('the client id')
  const refreshToken = readBase64Text(dsn, 'refreshToken')
  if (refreshToken !== '') {
    const clientSecret = dsn.password ? new Secret(dsn.password) : null
    return {
      ...target,
      type: 'refresh_token',
      clientId,
      clientSecret,
      refreshToken: new Secret(refreshToken),
    }
  }
  const clientSecret = new Secret(dsn.requirePassword('the client secret'))
  return { ...target, type: 'client_credentials', clientId, clientSecret }
}

/** Reads an option whose alphabet has "+", which a query decodes as a blank unless it is written as %2B. */
function readBase64Text({ options }: DsnReader, name: string): string {
  return (options.text(name) ?? '').replaceAll(' ', '+')
}

/**
 * Reads `tokenUrl`.
 * @throws {DsnError}
 */
export function readTokenUrl({ options }: DsnReader, standard?: string): string {
  const description = 'the token endpoint of the provider: tokenUrl=https://….'
  const text =
    options.text('tokenUrl') || (standard ?? options.requireText('tokenUrl', description))
  const url = URL.parse(text)
  if (url === null || url.username !== '' || url.password !== '' || url.hash !== '')
    throw invalidOption(
      'tokenUrl',
      'must be a URL such as https://login.example.com/oauth2/token, percent-encoded.',
    )
  const isAllowed =
    url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))
  if (isAllowed) return url.href
  throw invalidOption(
    'tokenUrl',
    'must start with https://; http:// is allowed for this machine only.',
  )
}

/** Finds the issuer whose errors are known. */
function issuerOf(host: string): TokenIssuer | null {
  if (/^login\.(microsoftonline\.(com|us)|partner\.microsoftonline\.cn|live\.com)$/.test(host))
    return 'entra'
  return /^(oauth2|accounts|www)\.(googleapis|google)\.com$/.test(host) ? 'google' : null
}

/**
 * Reads the private key of a service account: the base64 of its PEM or DER form or of Google's key file, or `private_key` as
 * it stands in that file.
 * @throws {DsnError}
 */
export function readPrivateKey(dsn: DsnReader): Secret {
  const text = dsn.options.text('key') ?? ''
  const key = isPem(text)
    ? decodePrivateKey(Buffer.from(text))
    : decodePrivateKey(Buffer.from(readBase64Text(dsn, 'key'), 'base64'))
  if (key === undefined)
    throw invalidOption(
      'key',
      'must be the private key of the service account: "private_key" of its key file, or the whole file, in base64.',
    )
  if (
    key.asymmetricKeyType === 'rsa' &&
    (key.asymmetricKeyDetails?.modulusLength ?? 0) >= keyBitsMin
  )
    return new Secret(key.export({ type: 'pkcs8', format: 'pem' }).toString())
  throw invalidOption('key', `must be an RSA key of ${keyBitsMin} bits or more.`)
}

/** For RS256 (RFC 7518, section 3.3). */
const keyBitsMin = 2048

const isPem = (text: string) => text.includes('-----BEGIN')

function decodePrivateKey(bytes: Buffer): KeyObject | undefined {
  const text = bytes.toString('utf8')
  try {
    if (isPem(text)) return createPrivateKey(pemOf(text))
    return createPrivateKey({ key: bytes, format: 'der', type: 'pkcs8' })
  } catch {
    return undefined
  }
}

/** Returns the key of Google's key file or of a PEM text, whose line ends may be missing or written as `\n`. */
function pemOf(text: string): string {
  if (text.trimStart().startsWith('{'))
    return String((JSON.parse(text) as { private_key?: unknown }).private_key)
  return text.replace(
    /^\s*(-----BEGIN [A-Z ]+-----)(.*)(-----END [A-Z ]+-----).*/s,
    (_, begin, body, end) => `${begin}\n${String(body).replace(/\\n|\s/g, '')}\n${end}`,
  )
}

/** Encodes a pasted private key for the DSN: a PEM text, Google's key file, or what is base64 already. */
export function encodePrivateKey(pasted: string): string {
  return isPem(pasted) ? Buffer.from(pasted).toString('base64') : pasted.replace(/\s/g, '')
}
