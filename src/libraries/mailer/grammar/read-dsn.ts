import { nameOf, percentOf } from './characters.ts'
import { DsnError, type DsnList, type DsnNode, type SingleDsn } from './dsn.ts'

import { readSingle, specialCharacter } from './read-single.ts'

const keyword = /([\w-]+) ?\(/y
const memberEnd = /[ )]/g
const retryPeriod = /[^ )]retry_period=([^ )]*)/y
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const control = /[\u0000-\u001f\u007f]/

/** A list has at most 20 transports, so deeper nesting is useless. */
const depthMax = 20

/**
 * Reads the grammar of a DSN as Symfony Mailer does: one transport, or nested lists. It refuses what is dangerous there.
 * Schemes and providers are not checked here.
 * @throws {DsnError}
 */
export function readDsn(text: string): DsnNode {
  // A DSN read from a file ends with a line feed, which Symfony ignores too.
  const source = text.endsWith('\n') ? text.slice(0, -1) : text
  refuseRawControls(source)
  refuseWrapping(source)
  const node = readNode(source, 0, 0)
  if (node.span.end === source.length) return node
  throw node.type === 'single' ? cutShort(source, node) : trailing(source, node.span.end)
}

function refuseRawControls(text: string): void {
  const character = control.exec(text)?.[0]
  if (character === undefined) return
  throw new DsnError(
    'control_character',
    `The DSN contains ${nameOf(character)}; remove it, or write it percent-encoded, as ${percentOf(character)}.`,
  )
}

/** Refuses quotes and a variable name, which come from the file or shell that the DSN was copied from. */
function refuseWrapping(text: string): void {
  if (/^["'`\u2018\u201c<]/.test(text))
    throw new DsnError(
      'no_scheme',
      `The DSN begins with ${nameOf(text.charAt(0))}; remove the quotes around it.`,
    )
  if (/^(?:export )?[A-Z_]{1,64}=/.test(text))
    throw new DsnError(
      'no_scheme',
      'The DSN begins with the name of a variable; remove everything before the scheme.',
    )
}

function readNode(text: string, start: number, depth: number): DsnNode {
  keyword.lastIndex = start
  const name = keyword.exec(text)?.[1]
  if (name === undefined) return readMember(text, start)
  const isPlain = text.startsWith('(', start + name.length)
  if (isPlain && (name === 'failover' || name === 'roundrobin'))
    return readList(text, start, { type: name, depth })
  throw new DsnError(
    'unknown_keyword',
    'A list begins with failover( or roundrobin(, in lower case and without a space or hyphen.',
  )
}

function readMember(text: string, start: number): SingleDsn {
  const end = endOfMember(text, start)
  if (end === start)
    throw new DsnError(
      'no_scheme',
      text[start] === ' '
        ? 'There is a space where a scheme is expected; write exactly one space between members and none elsewhere.'
        : 'A transport is missing here; write one as in smtp://user:password@mail.example.com:587.',
    )
  try {
    return readSingle(text, { start, end })
  } catch (error) {
    throw cutInUserinfo(text, start, end) ?? error
  }
}

/**
 * Finds the end of a member. The regular expression stops there, so that a long list is not scanned again and again.
 */
function endOfMember(text: string, start: number): number {
  memberEnd.lastIndex = start
  return memberEnd.exec(text)?.index ?? text.length
}

/** Explains a password that a reserved character ended early: the "@" of the DSN comes later. */
function cutInUserinfo(text: string, start: number, end: number): DsnError | undefined {
  const scheme = text.indexOf('://', start)
  if (scheme === -1 || scheme > end) return undefined
  const rest = text.slice(scheme + 3)
  const cut = rest.search(/[ )/?#]/)
  if (cut === -1) return undefined
  const at = rest.indexOf('@')
  if (at < cut) return undefined
  const between = rest.slice(cut, at)
  return between.includes('://') ? undefined : specialCharacter(rest.charAt(cut))
}

interface ListPlace {
  readonly type: DsnList['type']
  /** How many lists contain it. */
  readonly depth: number
}

function readList(text: string, start: number, { type, depth }: ListPlace): DsnList {
  if (depth >= depthMax)
    throw new DsnError(
      'too_many_members',
      `The lists of the DSN are nested more than ${depthMax} deep; nest ${depthMax} at most.`,
    )
  const members: DsnNode[] = []
  let offset = start + type.length + 1
  while (true) {
    refuseComma(text, offset, type)
    const member = readNode(text, offset, depth + 1)
    refuseBracket(text, member)
    members.push(member)
    offset = member.span.end
    const separator = text[offset]
    offset += 1
    if (separator === ')') break
    if (separator === ' ') continue
    if (separator === ',') throw commaInList(type)
    if (separator !== undefined) throw trailing(text, offset - 1)
    throw new DsnError('unbalanced', `The ")" that ends ${type}(…) is missing.`)
  }
  const suffix = readRetryPeriod(text, offset)
  return {
    type,
    members,
    retryPeriodSeconds: suffix.seconds,
    span: { start, end: suffix.end },
  }
}

/** Refuses a comma between members. Symfony reads it as part of the first member's host, port or options. */
function refuseComma(text: string, start: number, type: DsnList['type']): void {
  const member = text.slice(start, endOfMember(text, start))
  if (member.endsWith(',') || /,[A-Za-z][A-Za-z0-9+.-]*(?::\/\/|\()/.test(member))
    throw commaInList(type)
}

function commaInList(type: DsnList['type']): DsnError {
  return new DsnError(
    'comma_in_list',
    `There is a comma between the members of ${type}(…); members are separated by spaces, as in ${type}(smtp://a.example.com smtp://b.example.com).`,
  )
}

/**
 * Refuses "(" in a member. Symfony counts brackets before it reads a list, so that one in a password breaks the list.
 */
function refuseBracket(text: string, { type, span }: DsnNode): void {
  if (type === 'single' && text.slice(span.start, span.end).includes('('))
    throw new DsnError(
      'special_character',
      'A member of a list contains "(", which is reserved there; write it percent-encoded, as %28.',
    )
}

function readRetryPeriod(text: string, offset: number): { seconds?: number; end: number } {
  retryPeriod.lastIndex = offset
  const match = retryPeriod.exec(text)
  if (match === null) return { end: offset }
  if (!/^\d{1,9}$/.test(match[1] ?? '') || Number(match[1]) === 0)
    throw new DsnError(
      'invalid_option',
      'The retry_period of a list must be a whole number of seconds above 0, and its only option.',
    )
  return { seconds: Number(match[1]), end: offset + match[0].length }
}

function cutShort(text: string, { span }: SingleDsn): DsnError {
  return cutInUserinfo(text, span.start, span.end) ?? trailing(text, span.end)
}

function trailing(text: string, offset: number): DsnError {
  const rest = text.slice(offset)
  if (/^ (\|\||&&) /.test(rest))
    return new DsnError(
      'trailing_text',
      'Write lists as failover(first second) or roundrobin(first second), not with || or &&.',
    )
  return new DsnError(
    'trailing_text',
    `There is text after the end of the DSN, from ${nameOf(rest.charAt(0))} on. Remove it, or write the character percent-encoded, as ${percentOf(rest.charAt(0))}.`,
  )
}
