import { nameOf, refuseControls } from './character.ts'
import type { DsnPair, SingleDsn, Span } from './dsn.ts'
import { DsnError } from './dsn-error.ts'
import { decodePercent, percentOf } from './percent.ts'
import { checkHost } from './read-host.ts'
import { readQuery } from './read-query.ts'

const schemePattern = /^[A-Za-z0-9+.-]+:/

/**
 * Reads one DSN, `text` from `start` to `end`, as PHP's `parse_url` reads it: the userinfo ends at
 * the last `@` before `/`, `?` or `#`, the user at the first `:`; path and fragment are dropped.
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
  // What stands before the colon may be a user name, so it is not shown.
  throw new DsnError(
    'no_host',
    'The DSN needs a scheme, "://" and a host, as in smtp://user:password@mail.example.com:587.',
  )
}

function endOfAuthority(text: string, start: number, end: number): number {
  const found = text.slice(start, end).search(/[/?#]/)
  return found === -1 ? end : start + found
}

/** -1 where the character is not within. */
function lastIndexWithin(text: string, character: string, { start, end }: Span): number {
  const found = text.slice(start, end).lastIndexOf(character)
  return found === -1 ? -1 : start + found
}

/**
 * A `/`, `?` or `#` in a password ends the authority early: what follows still holds the `@` that
 * was meant. Symfony connects `smtp://user:8080/x@mail.example.com` to a host named `user`.
 */
function refuseStrayUserinfo(text: string, rest: Span, isWithoutUser: boolean): void {
  if (!isWithoutUser) return
  const at = indexWithin(text, '@', rest)
  if (at >= rest.end) return
  const before = text.slice(rest.start, at)
  // An "@" in the value of an option is in its right place.
  if (before.startsWith('?') && before.includes('=') && !/[/#]/.test(before)) return
  throw specialCharacter(before.charAt(0))
}

/** The refusal of a character that has a meaning of its own in a DSN. */
export function specialCharacter(character: string): DsnError {
  return new DsnError(
    'special_character',
    `The user name or password contains ${nameOf(character)}, which has a meaning of its own in a DSN; write it percent-encoded, as ${percentOf(character)}.`,
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

function decodedPart(what: string, text: string, span: Span | undefined): string | undefined {
  if (span === undefined || span.start === span.end) return undefined
  const raw = text.slice(span.start, span.end)
  const value = decodePercent(raw)
  // Raw ones were refused for the whole text.
  if (value !== raw) refuseControls(what, value)
  return value
}

function readHostAndPort(text: string): { host: string; port: number | undefined } {
  const isAddress = text.startsWith('[') && text.endsWith(']')
  const colon = isAddress ? -1 : text.lastIndexOf(':')
  const host = colon === -1 ? text : text.slice(0, colon)
  if (host === '')
    throw new DsnError(
      'no_host',
      'The DSN must name a host, as in smtp://user:password@mail.example.com:587; where the provider has its own, write "default".',
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
    'The port must be a number from 1 to 65535. Where a password follows the colon, "@" and the host are missing, as in smtp://user:password@mail.example.com:587.',
  )
}

interface Rest {
  readonly pathSpan: Span
  readonly fragmentSpan: Span
  readonly pairs: readonly DsnPair[]
}

const noPairs: readonly DsnPair[] = []

/** Reads what stands after the authority: a path, a query, a fragment. */
function readRest(text: string, { start, end }: Span): Rest {
  const hash = indexWithin(text, '#', { start, end })
  const question = indexWithin(text, '?', { start, end: hash })
  return {
    pathSpan: { start: Math.min(start + 1, question), end: question },
    fragmentSpan: { start: Math.min(hash + 1, end), end },
    pairs: question === hash ? noPairs : readQuery(text.slice(question + 1, hash), question + 1),
  }
}

/** The end where the character is not within. */
function indexWithin(text: string, character: string, { start, end }: Span): number {
  const found = text.slice(start, end).indexOf(character)
  return found === -1 ? end : start + found
}
