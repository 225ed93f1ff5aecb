import { isIP } from 'node:net'
import { parseDnsServer } from '../kit/dns-server-address.ts'
import { emailAddressPattern } from '../kit/email-address.ts'
import { type LogLevel, logLevels } from '../kit/log.ts'
import { type SmtpMode, smtpModes } from '../kit/smtp-mode.ts'
import type { TrustedNetwork } from './config.ts'

// Each function parses the text of one setting. It throws an Error with a message such as `must be true or false`.

export function parseText(text: string): string {
  if (text === '') throw new Error('must not be empty')
  return text
}

export function parseOptionalText(text: string): string | undefined {
  return text === '' ? undefined : text
}

const emailAddress = new RegExp(`^${emailAddressPattern}$`)

export function parseEmailAddress(text: string): string {
  if (emailAddress.test(text)) return text
  throw new Error('must be an email address, such as ann@example.com')
}

export function parseOptionalEmailAddress(text: string): string | undefined {
  return text === '' ? undefined : parseEmailAddress(text)
}

export function parsePassword(text: string): string | undefined {
  if (text !== '' && text.length < 8) throw new Error('must have 8 characters or more')
  return parseOptionalText(text)
}

export function parsePublicUrl(text: string): string | undefined {
  if (text === '') return undefined
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

export function parseOptionalPort(text: string): number | undefined {
  return text === '' ? undefined : parsePort(text)
}

export function parseWhole(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new Error('must be a whole number of 0 or more')
  return Number(text)
}

export function parsePem(text: string, label: string): string | undefined {
  const pem = text.trim()
  if (pem === '') return undefined
  if (!/^-----BEGIN [A-Z ]+-----\n/m.test(pem) || !pem.includes(`${label}-----`)) {
    throw new Error(`must be PEM that starts with -----BEGIN ${label}-----`)
  }
  return pem
}

export function parsePositive(text: string): number {
  const number = Number(text)
  if (!/^\d{1,6}$/.test(text) || number < 1) throw new Error('must be a whole number of 1 or more')
  return number
}

export function parseOptionalPositive(text: string): number | undefined {
  return text === '' ? undefined : parsePositive(text)
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

export function parseSecretKey(text: string): string | undefined {
  if (text !== '' && text.length < 32) {
    throw new Error('must have 32 characters or more; `openssl rand -base64 32` makes one')
  }
  return parseOptionalText(text)
}

export function parseLogLevel(text: string): LogLevel {
  const level = logLevels.find((known) => known === text)
  if (level === undefined) throw new Error(`must be one of ${logLevels.join(', ')}`)
  return level
}

export function parseLogFormat(text: string): 'pretty' | 'json' | undefined {
  if (text === '') return undefined
  if (text === 'pretty' || text === 'json') return text
  throw new Error('must be pretty or json')
}

export function parseList(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

export function parseSmtpMode(text: string): SmtpMode {
  const mode = smtpModes.find((known) => known === text)
  if (mode === undefined) throw new Error(`must be one of ${smtpModes.join(', ')}`)
  return mode
}

export function parseUncertain(text: string): 'hold' | 'retry' {
  if (text === 'hold' || text === 'retry') return text
  throw new Error('must be hold or retry')
}

/** Less than the minute after which Mautic's PHP client gives up. */
const waitSecondsMax = 45

export function parseWaitSeconds(text: string): number {
  const seconds = parsePositive(text)
  if (seconds > waitSecondsMax) throw new Error(`must be at most ${waitSecondsMax}`)
  return seconds
}

export function parsePolicy(text: string): 'open' | 'public' {
  if (text === 'open' || text === 'public') return text
  throw new Error('must be open or public')
}

export function parseCommand(text: string): [string, ...string[]] | undefined {
  const [program, ...rest] = text.split(/\s+/).filter((word) => word !== '')
  if (program === undefined) return undefined
  if (!program.startsWith('/')) throw new Error('must start with the absolute path of a program')
  return [program, ...rest]
}

export function parseAddresses(text: string): string[] {
  const parts = parseList(text)
  for (const part of parts) checkNetwork(part)
  return parts
}

export function parseSourceAddresses(text: string): string[] {
  const parts = parseList(text)
  for (const part of parts) {
    if (isIP(part) === 0) throw new Error(`"${part}" must be an IP address, such as 192.0.2.10`)
  }
  return parts
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

export function parseTrustedNetworks(text: string): TrustedNetwork[] {
  return parseList(text).map((part) => {
    const at = part.indexOf('=')
    if (at < 1 || at === part.length - 1) {
      throw new Error(`"${part}" must be network=user name, such as 10.1.0.0/16=mautic`)
    }
    const network = part.slice(0, at)
    checkNetwork(network)
    return { network, username: part.slice(at + 1) }
  })
}

function checkNetwork(text: string): void {
  const [address = '', prefix, ...rest] = text.split('/')
  const family = isIP(address)
  const longest = family === 6 ? 128 : 32
  const isPrefixRight =
    prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= longest)
  if (family === 0 || !isPrefixRight || rest.length > 0) {
    throw new Error(`"${text}" must be an address or a network, such as 10.1.0.0/16`)
  }
}
