import { isIP } from 'node:net'
import { secretMask } from '../../libraries/mailer/index.ts'

/** Why an address cannot be the receiver of a webhook; undefined if it can. */
export function findAddressFault(text: string): string | undefined {
  const isAddress = /^https?:\/\/[^\s\\#]+$/i.test(text) && URL.canParse(text)
  if (isAddress) return undefined
  return 'must be an http or https URL without fragment, such as https://example.com/hooks'
}

/**
 * Returns an address without all that may be a secret: the addresses of chats have theirs in the path. What is left are scheme, host and
 * port.
 */
export function maskAddress(text: string): string {
  const { protocol, host, pathname, search, username, password } = new URL(text)
  const hasMore = pathname !== '/' || search !== '' || username !== '' || password !== ''
  return `${protocol}//${host}/${hasMore ? secretMask : ''}`
}

/** The host of an address, as searches find it. */
export function hostOf(text: string): string {
  return URL.parse(text)?.host ?? ''
}

/** Whether messages to an address can be read on their way. Names without a dot are of a private network. */
export function isUnencrypted(text: string): boolean {
  const { protocol, hostname } = new URL(text)
  return protocol === 'http:' && hostname.includes('.') && isIP(hostname) === 0
}

/** What a request is sent to: an address without credentials, and the header that has them. */
export interface RequestAddress {
  url: string
  headers: Record<string, string>
}

/** Moves the credentials of an address to a header: requests have none in their URL. */
export function splitCredentials(text: string): RequestAddress {
  const url = new URL(text)
  const { username, password } = url
  if (username === '' && password === '') return { url: url.href, headers: {} }
  url.username = ''
  url.password = ''
  const pair = `${decode(username)}:${decode(password)}`
  return {
    url: url.href,
    headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` },
  }
}

/** Shorter parts of a path are words, such as `hooks`. */
const segmentMin = 8

/** Returns a text without the secrets of an address. */
export function withoutSecrets(text: string, address: string): string {
  const { pathname, search, searchParams, username, password } = new URL(address)
  const segments = pathname.split('/').filter(({ length }) => length >= segmentMin)
  const secrets = [address, pathname + search, pathname, search, username, password]
  secrets.push(...segments, ...searchParams.values())
  return [...new Set(secrets.flatMap((secret) => [secret, decode(secret)]))]
    .filter((secret) => secret.length > 3)
    .sort((one, other) => other.length - one.length)
    .reduce((masked, secret) => masked.replaceAll(secret, secretMask), text)
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
