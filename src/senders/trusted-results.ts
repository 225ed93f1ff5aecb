import ipaddr from 'ipaddr.js'
import { asciiDomain, type RawHeader } from '../mailer/index.ts'
import {
  type AuthenticationResults,
  mergeResults,
  parseAuthenticationResults,
} from './authentication-results.ts'

/** What the server that received a message says about it. */
export interface ReceivingServer {
  /** The results of the topmost server that gives any; null where there are none. */
  results: (AuthenticationResults & { isTrusted: boolean }) | null
  /** The IP address that the message was received from; null where it is not known. */
  receivedFrom: string | null
}

/** A Received field: a server that took the message over. */
interface Hop {
  index: number
  /** The server that wrote the field. */
  by: string
  /** The public address of the client that it took the message from, as the server saw it; null without one. */
  address: string | null
  /** Whether the message came from outside of the organization of the server. */
  isBorder: boolean
}

const fieldLengthMax = 4_096

/** What stands below more servers is not read. */
const hopsMax = 50

/** The servers of Microsoft, which pass a message on several times by public addresses. */
const microsoftHost =
  /(?:^|\.)(?:outlook\.com|exchangelabs\.com|outlook\.cn|office365\.us|microsoft\.com)$/

/** Those that send for the customers of Microsoft. */
const microsoftExit = /\.outbound\.protection\./

/**
 * Finds out what the server that received a message says about it.
 *
 * Each server writes its fields above those that are there, and a sender can write anything. Trusted are results above the
 * field Received of the border, which is the topmost one whose client was outside. Some servers (Gmail, and filters of Postfix)
 * write their results directly below that field. Those are trusted where they have the name of the server that wrote it, and
 * no other field Received is in between.
 */
export function readReceivingServer(all: readonly RawHeader[]): ReceivingServer {
  const isHop = all.map((header) => isNamed(header, 'received'))
  const end = isHop.flatMap((is, index) => (is ? [index] : []))[hopsMax]
  const headers = all.slice(0, end)
  const hops = headers.flatMap((header, index) =>
    isNamed(header, 'received') ? [readHop(header.value.slice(0, fieldLengthMax), index)] : [],
  )
  // In a network without public addresses the topmost server is the one that received the message.
  const border = hops.find(({ isBorder }) => isBorder) ?? hops[0]
  const borderIndex = border?.index ?? -1
  const belowEnd = hops.find(({ index }) => index > borderIndex)?.index ?? headers.length
  const above = findBlock(headers, { from: 0, to: borderIndex, hops })
  const below = findBlock(headers, { from: borderIndex + 1, to: belowEnd, hops: [] })
  const receivedFrom = border?.address ?? null
  if (above.length > 0) return { results: trust(above, true), receivedFrom }
  const ofServer = below.filter(({ server }) => isNameOf(server, border?.by))
  if (ofServer.length > 0) return { results: trust(ofServer, true), receivedFrom }
  const anywhere = findBlock(headers, { from: 0, to: headers.length, hops })
  return { results: anywhere.length > 0 ? trust(anywhere, false) : null, receivedFrom }
}

function trust(all: readonly AuthenticationResults[], isTrusted: boolean) {
  return { ...mergeResults(all), isTrusted }
}

/** The topmost fields with results in a range that no field Received separates. */
function findBlock(
  headers: readonly RawHeader[],
  { from, to, hops }: { from: number; to: number; hops: readonly Hop[] },
): AuthenticationResults[] {
  const ends = [...hops.map(({ index }) => index).filter((index) => index > from && index < to), to]
  let start = from
  for (const end of ends) {
    const block = headers
      .slice(start, Math.max(start, end))
      .filter((header) => isNamed(header, 'authentication-results'))
      .map(({ value }) => parseAuthenticationResults(value))
      .filter(({ spf, dkim, dmarc }) => spf !== null || dmarc !== null || dkim.length > 0)
    if (block.length > 0) return block
    start = end
  }
  return []
}

function isNamed(header: RawHeader, name: string): boolean {
  return header.name.toLowerCase() === name
}

/** Whether an authserv-id is that of a server: equal, or one is a domain above the other. */
function isNameOf(server: string | null, host: string | undefined): boolean {
  if (server === null || host === undefined || !host.includes('.') || !server.includes('.')) {
    return false
  }
  return server === host || host.endsWith(`.${server}`) || server.endsWith(`.${host}`)
}

function readHop(value: string, index: number): Hop {
  const [sender = '', ...rest] = value.replace(/\s+/g, ' ').split(/(?:^| )by /i)
  const by = asciiDomain(/^[^\s;()]*/.exec(rest[0] ?? '')?.[0] ?? '') ?? ''
  const hasClient = /^from /i.test(sender)
  const address = hasClient ? readAddress(sender.slice('from '.length)) : null
  const name = asciiDomain(/^from ([^\s;()]*)/i.exec(sender)?.[1] ?? '') ?? ''
  const isBorder = hasClient && isFromOutside({ name, by, address })
  return { index, by, address: address !== null && isPublic(address) ? address : null, isBorder }
}

/**
 * Whether a client is of another organization than the server. A client without a public address may be one behind a proxy:
 * then the names of both decide.
 */
function isFromOutside({
  name,
  by,
  address,
}: {
  name: string
  by: string
  address: string | null
}): boolean {
  if (microsoftHost.test(by) && microsoftHost.test(name)) return microsoftExit.test(name)
  if (address !== null && isPublic(address)) return true
  if (address !== null && ipaddr.process(address).range() === 'loopback') return false
  if (innerName.test(name) || innerName.test(by)) return false
  return lastLabels(name) !== lastLabels(by)
}

/** Names that only the network of an organization has. */
const innerName = /^[^.]*$|\.(?:internal|local|localdomain|lan|home|corp|private|arpa)$/

function lastLabels(name: string): string {
  return name.split('.').slice(-2).join('.')
}

/**
 * Reads the address of a client from `mail.example (mail.example [192.0.2.1])` and the forms of other servers. The greeting
 * of the client may name any address, and is read last.
 */
function readAddress(sender: string): string | null {
  const comments = [...sender.matchAll(/\(([^()]*)\)/g)].map(([, text = '']) =>
    text.replace(/\b(?:helo|ehlo|ident)[ =]\S*/gi, ' '),
  )
  const greeting = sender.replace(/\([^()]*\)/g, ' ')
  for (const text of [...comments, greeting]) {
    for (const word of text.split(/[\s,;()]+/)) {
      const bare = word.replace(/^\[(?:IPv6:)?([^\]]*)\](?::\d+)?$/i, '$1')
      const address = bare.replace(/%.*$/, '')
      if (ipaddr.IPv4.isValidFourPartDecimal(address)) return address
      if (address.includes(':') && ipaddr.IPv6.isValid(address)) {
        return ipaddr.process(address).toString()
      }
    }
  }
  return null
}

const innerRanges = new Set([
  'private',
  'loopback',
  'linkLocal',
  'uniqueLocal',
  'carrierGradeNat',
  'unspecified',
])

function isPublic(address: string): boolean {
  return !innerRanges.has(ipaddr.process(address).range())
}
