import { isIPv6 } from 'node:net'
import { domainToASCII } from 'node:url'
import { decodePercent, nameOf, percentOf, refuseControls } from './characters.ts'
import { DsnError, type DsnPair, type SingleDsn, type Span } from './dsn.ts'
import { readQuery } from './read-query.ts'

const schemePattern = /^[A-Za-z0-9+.-]+:/

/**
 * Reads one transport as PHP's `parse_url` does: the userinfo ends at the last `@` before `/`, `?` or `#`, the user at
 * the first `:`. Path and fragment are ignored.
 * @throws {DsnError}
 */
export function readSingle(text: string, { start, end }: Span): SingleDsn {
  const scheme = readScheme(text, start, end)
  const authority: Span = {
    start: start + scheme.length + 3,
    end: endOfAuthority(text, start + scheme.length + 3, end),
  }
  const at = lastIndexWithin(text, '@', authority)
  refuseStrayUserinfo(text, { start: authority.end, end }, at === -1)
  const { user, password } = readUserinfo(text, { start: authority.start, end: at })
  const hostStart = at === -1 ? authority.start : at + 1
  const { host, port } = readHostAndPort(text.slice(hostStart, authority.end))
  const { pathSpan, fragmentSpan, pairs } = readRest(text, { start: authority.end, end })
  return {
    type: 'single',
    scheme,
    host,
    port,
    user: decodedPart('The user name', text, user),
    password: decodedPart('The password', text, password),
    options: new Map(pairs.filter(({ name }) => name !== '').map((pair) => [pair.name, pair])),
    pairs,
    span: { start, end },
    userSpan: user,
    passwordSpan: password,
    pathSpan,
    fragmentSpan,
  }
}

function readScheme(text: string, start: number, end: number): string {
  const scheme = schemePattern.exec(text.slice(start, Math.min(end, start + 64)))?.[0].slice(0, -1)
  const after = start + (scheme ?? '').length + 1
  if (scheme !== undefined && text.startsWith('//', after) && after + 2 <= end) return scheme
  // "mail.example.com:587" has a host and a port where a scheme should be.
  if (scheme === undefined || /^\d/.test(text.slice(after, end)))
    throw new DsnError(
      'no_scheme',
      'The DSN must begin with a scheme, as in smtp://user:password@mail.example.com:587.',
    )
  // The text before the colon may be a user name, so it is not shown.
  throw new DsnError(
    'no_host',
    'The DSN needs a scheme, "://" and a host, as in smtp://user:password@mail.example.com:587.',
  )
}

function endOfAuthority(text: string, start: number, end: number): number {
  const index = text.slice(start, end).search(/[/?#]/)
  return index === -1 ? end : start + index
}

/** Returns the last position of a character in a span, or -1. */
function lastIndexWithin(text: string, character: string, { start, end }: Span): number {
  const index = text.slice(start, end).lastIndexOf(character)
  return index === -1 ? -1 : start + index
}

/**
 * Refuses a `/`, `?` or `#` in a password, which ends the authority early. Symfony connects
 * `smtp://user:8080/x@mail.example.com` to a host named `user`.
 */
function refuseStrayUserinfo(text: string, rest: Span, isWithoutUser: boolean): void {
  if (!isWithoutUser) return
  const at = indexWithin(text, '@', rest)
  if (at >= rest.end) return
  const before = text.slice(rest.start, at)
  // An "@" in the value of an option is allowed.
  if (before.startsWith('?') && before.includes('=') && !/[/#]/.test(before)) return
  throw specialCharacter(before.charAt(0))
}

/** Creates the error for a reserved character in the userinfo. */
export function specialCharacter(character: string): DsnError {
  return new DsnError(
    'special_character',
    `The user name or password contains ${nameOf(character)}, which is reserved in a DSN; write it percent-encoded, as ${percentOf(character)}.`,
  )
}

interface Userinfo {
  readonly user: Span | undefined
  readonly password: Span | undefined
}

function readUserinfo(text: string, { start, end }: Span): Userinfo {
  if (end === -1) return { user: undefined, password: undefined }
  const colon = indexWithin(text, ':', { start, end })
  if (colon === end) return { user: { start, end }, password: undefined }
  return { user: { start, end: colon }, password: { start: colon + 1, end } }
}

function decodedPart(part: string, text: string, span: Span | undefined): string | undefined {
  if (span === undefined || span.start === span.end) return undefined
  const raw = text.slice(span.start, span.end)
  const value = decodePercent(raw)
  // Unencoded control characters were refused for the whole text.
  if (value !== raw) refuseControls(part, value)
  return value
}

function readHostAndPort(text: string): { host: string; port: number | undefined } {
  const isAddress = text.startsWith('[') && text.endsWith(']')
  const colon = isAddress ? -1 : text.lastIndexOf(':')
  const host = colon === -1 ? text : text.slice(0, colon)
  if (host === '')
    throw new DsnError(
      'no_host',
      'The DSN must name a host, as in smtp://user:password@mail.example.com:587; for the host of a provider, write "default".',
    )
  checkHost(host)
  return { host, port: colon === -1 ? undefined : readPort(text.slice(colon + 1)) }
}

function readPort(text: string): number | undefined {
  if (text === '') return undefined
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (port >= 1 && port <= 65535) return port
  throw new DsnError(
    'invalid_port',
    'The port must be a number from 1 to 65535. If a password follows the colon, "@" and the host are missing, as in smtp://user:password@mail.example.com:587.',
  )
}

interface Rest {
  readonly pathSpan: Span
  readonly fragmentSpan: Span
  readonly pairs: readonly DsnPair[]
}

const noPairs: readonly DsnPair[] = []

/** Reads the text after the authority: path, query and fragment. */
function readRest(text: string, { start, end }: Span): Rest {
  const hash = indexWithin(text, '#', { start, end })
  const question = indexWithin(text, '?', { start, end: hash })
  return {
    pathSpan: { start: Math.min(start + 1, question), end: question },
    fragmentSpan: { start: Math.min(hash + 1, end), end },
    pairs: question === hash ? noPairs : readQuery(text.slice(question + 1, hash), question + 1),
  }
}

/** Returns the first position of a character in a span, or the end of the span. */
function indexWithin(text: string, character: string, { start, end }: Span): number {
  const index = text.slice(start, end).indexOf(character)
  return index === -1 ? end : start + index
}

/**
 * The maximum length of a host name.
 * @see RFC 1035, section 2.3.4
 */
const hostLengthMax = 253
const plainHost = /^[A-Za-z0-9._-]+$/
const asciiOutsideHost = /[^A-Za-z0-9._\-\u0080-\uffff]/

/**
 * Refuses an invalid host. Symfony accepts any byte here, so that a comma between two members of a list becomes part of
 * a host name that does not exist.
 * @throws {DsnError}
 */
function checkHost(host: string): void {
  if (host.length > hostLengthMax)
    throw invalid(
      `The host has ${host.length} characters, and no host name has more than ${hostLengthMax}.`,
    )
  if (plainHost.test(host)) return
  if (host.includes(','))
    throw invalid(
      'The host contains "," (%2C); the members of a list are separated by one space, not by a comma.',
    )
  if (host.startsWith('[')) {
    if (host.endsWith(']') && isIPv6(host.slice(1, -1))) return
    throw invalid('The host is not an IPv6 address; write it like [2001:db8::1].')
  }
  const character = asciiOutsideHost.exec(host)?.[0]
  if (character === undefined) {
    if (domainToASCII(host) !== '') return
    throw invalid('The host is not a name that can be looked up.')
  }
  if (character === ':' && isIPv6(host))
    throw invalid('Write an IPv6 address in brackets, like [2001:db8::1].')
  if (character === '%')
    throw invalid(
      'The host contains "%" (%25). A host is never percent-encoded; write it unencoded.',
    )
  throw invalid(
    `The host contains ${nameOf(character)} (${percentOf(character)}), which no host name has.`,
  )
}

function invalid(message: string): DsnError {
  return new DsnError('invalid_host', message)
}
