import { isIP } from 'node:net'
import { parseDnsServer } from '../../kit/dns-server-address.ts'
import { emailAddressPattern } from '../../kit/email-address.ts'
import { isNetwork } from '../../kit/networks.ts'
import { asciiDomain } from '../../libraries/mailer/index.ts'

/** A network whose hosts submit mail without a log-in, and the user that they act as. */
export interface TrustedNetwork {
  /** In CIDR notation, such as `10.1.0.0/16`. */
  network: string
  username: string
}

// Each function parses the text of one setting. It throws an Error with a message such as `must be true or false`.

/** Parses an empty text as undefined. */
export function optional<Value>(parse: (text: string) => Value) {
  return (text: string): Value | undefined => (text === '' ? undefined : parse(text))
}

export function oneOf<Word extends string>(...words: readonly Word[]) {
  return (text: string): Word => {
    const word = words.find((known) => known === text)
    if (word !== undefined) return word
    throw new Error(
      `must be ${words.length > 2 ? `one of ${words.join(', ')}` : words.join(' or ')}`,
    )
  }
}

/** Parses parts with commas between them. */
export function listOf<Value>(parse: (part: string) => Value) {
  return (text: string): Value[] => parseList(text).map((part) => parse(part))
}

export function parseText(text: string): string {
  if (text === '') throw new Error('must not be empty')
  return text
}

const emailAddress = new RegExp(`^${emailAddressPattern}$`)

export function parseEmailAddress(text: string): string {
  if (emailAddress.test(text)) return text
  throw new Error('must be an email address, such as ann@example.com')
}

/** The tag of a return path is added, and a local part has 64 characters at most. */
export function parseBounceAddress(text: string): string {
  if (parseEmailAddress(text).lastIndexOf('@') <= 20) return text
  throw new Error('must have 20 characters or fewer before the @')
}

/** Parses addresses and domains with commas between them. */
export function parseRecipients(text: string): string[] {
  const entries = parseList(text)
  for (const entry of entries) {
    const isAddress = emailAddress.test(entry)
    if (asciiDomain(entry.slice(isAddress ? entry.lastIndexOf('@') + 1 : 0)) === undefined)
      throw new Error(`"${entry}" must be an address or a domain: ann@example.com or example.com`)
  }
  if (entries.length === 0) throw new Error('must name an address or a domain; empty: everybody')
  return entries
}

export function parsePassword(text: string): string {
  if (text.length < 8) throw new Error('must have 8 characters or more')
  return text
}

export function parsePublicUrl(text: string): string {
  const url = URL.parse(text)
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.search + url.hash === ''
  if (isPlain && url.username === '') return text.replace(/\/+$/, '')
  throw new Error('must be an address such as https://mail.example.com')
}

export function parsePort(text: string): number {
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new Error('must be a port from 0 to 65535')
  return port
}

export function parseWhole(text: string, least = 0): number {
  const number = Number(text)
  if (/^\d{1,6}$/.test(text) && number >= least) return number
  throw new Error(`must be a whole number of ${least} or more`)
}

export function parsePositive(text: string): number {
  return parseWhole(text, 1)
}

export function parsePem(text: string, label: string): string | undefined {
  const pem = text.trim()
  if (pem === '') return undefined
  if (!/^-----BEGIN [A-Z ]+-----\n/m.test(pem) || !pem.includes(`${label}-----`)) {
    throw new Error(`must be PEM that starts with -----BEGIN ${label}-----`)
  }
  return pem
}

export function parseBoolean(text: string): boolean {
  const value = text.toLowerCase()
  if (['true', '1', 'yes', 'on'].includes(value)) return true
  if (['false', '0', 'no', 'off'].includes(value)) return false
  throw new Error('must be true or false')
}

export function parseDatabaseUrl(text: string): string {
  if (/^sqlite:./.test(text)) return text
  if (/^postgres(ql)?:\/\/./.test(text) && URL.canParse(text)) return text
  throw new Error('must be sqlite:<path> or postgres://user:password@host:port/database')
}

export function parseSecretKey(text: string): string {
  if (text.length >= 32) return text
  throw new Error('must have 32 characters or more; `openssl rand -base64 32` makes one')
}

export function parseList(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

/** Less than the minute after which Mautic's PHP client gives up. */
const waitSecondsMax = 45

export function parseWaitSeconds(text: string): number {
  const seconds = parsePositive(text)
  if (seconds > waitSecondsMax) throw new Error(`must be at most ${waitSecondsMax}`)
  return seconds
}

export function parseCommand(text: string): [string, ...string[]] | undefined {
  const [program, ...rest] = text.split(/\s+/).filter((word) => word !== '')
  if (program === undefined) return undefined
  if (!program.startsWith('/')) throw new Error('must start with the absolute path of a program')
  // It would send to others than the recipients of the envelope.
  if (rest.some((word) => /^-[GimnUv]*t/.test(word)))
    throw new Error('must not have -t: Mailyard names the recipients of each message')
  return [program, ...rest]
}

export function parseIpAddress(text: string): string {
  if (isIP(text) !== 0) return text
  throw new Error(`"${text}" must be an IP address, such as 192.0.2.10`)
}

const dnsServersMax = 3

export function parseDnsServers(text: string): string[] {
  const parts = parseList(text)
  for (const part of parts) {
    if (parseDnsServer(part) === undefined) {
      throw new Error(`"${part}" must be an IP address with or without a port, as in 192.0.2.53:53`)
    }
  }
  if (parts.length > dnsServersMax) throw new Error(`must be at most ${dnsServersMax} servers`)
  return parts
}

export function parseTrustedNetwork(text: string): TrustedNetwork {
  const at = text.indexOf('=')
  if (at < 1 || at === text.length - 1) {
    throw new Error(`"${text}" must be network=user name, such as 10.1.0.0/16=mautic`)
  }
  return { network: parseNetwork(text.slice(0, at)), username: text.slice(at + 1) }
}

/** Parses an address, or a network in CIDR notation. */
export function parseNetwork(text: string): string {
  if (isNetwork(text)) return text
  throw new Error(`"${text}" must be an address or a network, such as 10.1.0.0/16`)
}
