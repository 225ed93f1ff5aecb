import { decodeXtext, escapeUnicode } from '../../kit/xtext.ts'
import type { DeliverBy } from '../../messages/index.ts'
import { createReply, type MailNotification, type Reply, type SmtpServerRules } from './session.ts'

/** The argument of MAIL or RCPT: the address ('' for the null sender) and its parameters. */
export interface Path {
  readonly address: string
  readonly parameters: ReadonlyMap<string, string>
}

/**
 * Parses `<address> KEY=VALUE …` (RFC 5321, section 4.1.2); undefined if it is malformed. It removes a source route (appendix
 * C) and accepts an address without brackets, which some clients send.
 */
export function parsePath(text: string): Path | undefined {
  const match = /^\s*(?:<([^<>\s]*)>|([^<>\s]+))((?:\s+[^\s]+)*)\s*$/.exec(text)
  if (match === null) return undefined
  const [, bracketed, bare = '', rest = ''] = match
  const address = (bracketed ?? bare).replace(/^@[^:]+:/, '')
  const parameters = parseParameters(rest.trim())
  return parameters === undefined ? undefined : { address, parameters }
}

function parseParameters(text: string): Map<string, string> | undefined {
  const parameters = new Map<string, string>()
  for (const part of text === '' ? [] : text.split(/\s+/)) {
    const at = part.indexOf('=')
    const name = (at === -1 ? part : part.slice(0, at)).toUpperCase()
    if (name === '' || parameters.has(name)) return undefined
    parameters.set(name, at === -1 ? '' : part.slice(at + 1))
  }
  return parameters
}

/** What the parameters of MAIL say of the envelope. */
export interface MailParameters {
  readonly notification: MailNotification
  readonly deliverBy: DeliverBy | undefined
}

const mailParameters = ['SIZE', 'BODY', 'SMTPUTF8', 'RET', 'ENVID', 'AUTH']

/**
 * Reads the parameters of MAIL: SIZE (RFC 1870), BODY (RFC 6152), SMTPUTF8 (RFC 6531), RET and ENVID (RFC 3461), and BY (RFC
 * 2852) if there is a queue. AUTH (RFC 4954, section 5) is accepted and ignored. Returns a reply if one is invalid.
 */
export function readMailParameters(
  { parameters }: Path,
  { sizeMax, hasQueue }: Pick<SmtpServerRules, 'sizeMax' | 'hasQueue'>,
): MailParameters | Reply {
  const unknown = findUnknown(parameters, hasQueue ? [...mailParameters, 'BY'] : mailParameters)
  if (unknown !== undefined) return unknown
  const size = parameters.get('SIZE')
  if (size !== undefined && !/^\d{1,20}$/.test(size)) return invalid('SIZE')
  if (Number(size) > sizeMax) return tooLarge(sizeMax)
  const body = parameters.get('BODY')
  if (body !== undefined && !/^(7bit|8bitmime)$/i.test(body)) return invalid('BODY')
  if ((parameters.get('SMTPUTF8') ?? '') !== '') return invalid('SMTPUTF8')
  const notification = readMailNotification(parameters)
  if ('code' in notification) return notification
  const deliverBy = readDeliverBy(parameters.get('BY'))
  if (deliverBy !== undefined && 'code' in deliverBy) return deliverBy
  return { notification, deliverBy }
}

/** Reads RET and ENVID. ENVID is xtext of printable characters, at most 100 (RFC 3461, section 4.4); it stays encoded. */
function readMailNotification(parameters: Path['parameters']): MailNotification | Reply {
  const format = parameters.get('RET')?.toUpperCase()
  if (format !== undefined && format !== 'FULL' && format !== 'HDRS') return invalid('RET')
  const envelopeId = parameters.get('ENVID')
  const isValid = envelopeId === undefined || isPrintableXtext(envelopeId, 100)
  if (!isValid) return invalid('ENVID')
  return {
    ...(format === undefined ? {} : { return: format }),
    ...(envelopeId === undefined ? {} : { envelopeId }),
  }
}

/** Reads `BY=120;R`: seconds, `R` for return or `N` for notify, and optionally `T` for trace (RFC 2852, section 4). */
function readDeliverBy(value: string | undefined): DeliverBy | Reply | undefined {
  if (value === undefined) return undefined
  const match = /^([+-]?\d{1,9});([RN])(T?)$/i.exec(value)
  if (match === null) return invalid('BY')
  const [, time, mode = '', trace] = match
  const seconds = Number(time)
  const isReturned = mode.toUpperCase() === 'R'
  if (isReturned && seconds <= 0)
    return createReply(
      501,
      '5.5.4',
      'The time of BY has passed already; with R it has to be positive',
    )
  return { seconds, mode: isReturned ? 'return' : 'notify', isTraced: trace !== '' }
}

const recipientParameters = ['NOTIFY', 'ORCPT']

/**
 * Reads NOTIFY and ORCPT of RCPT (RFC 3461, sections 4.1 and 4.2), as they are passed on: unchanged, except that Unicode
 * characters in an ORCPT of the type `utf-8` (RFC 6533, section 3) get their 7-bit form.
 */
export function readRecipientParameters({
  parameters,
}: Path): { notify?: string; originalRecipient?: string } | Reply {
  const unknown = findUnknown(parameters, recipientParameters)
  if (unknown !== undefined) return unknown
  const notify = parameters.get('NOTIFY')
  const reasons = /^(never|(success|failure|delay)(,(success|failure|delay)){0,2})$/i
  if (notify !== undefined && !reasons.test(notify)) return invalid('NOTIFY')
  const orcpt = parameters.get('ORCPT')
  const originalRecipient = orcpt === undefined ? undefined : readOriginalRecipient(orcpt)
  if (orcpt !== undefined && originalRecipient === undefined) return invalid('ORCPT')
  return {
    ...(notify === undefined ? {} : { notify }),
    ...(originalRecipient === undefined ? {} : { originalRecipient }),
  }
}

function readOriginalRecipient(value: string): string | undefined {
  const [, type = '', encoded = ''] = /^([a-z\d-]{1,50});(.+)$/i.exec(value) ?? []
  const address = type.toLowerCase() === 'utf-8' ? escapeUnicode(encoded) : encoded
  return isPrintableXtext(address, 500 - type.length - 1) ? `${type};${address}` : undefined
}

/** The reply to a message above the size limit. */
export function tooLarge(sizeMax: number): Reply {
  return createReply(552, '5.3.4', `The message is larger than ${sizeMax} bytes`)
}

function findUnknown(
  parameters: ReadonlyMap<string, string>,
  known: readonly string[],
): Reply | undefined {
  for (const name of parameters.keys()) {
    if (!known.includes(name))
      return createReply(555, '5.5.4', `Parameter ${name} is not supported`)
  }
  return undefined
}

/** Whether a text is xtext that holds no control character, which could end a line of a notification. */
function isPrintableXtext(text: string, lengthMax: number): boolean {
  const decoded = text.length > lengthMax ? undefined : decodeXtext(text)
  return decoded !== undefined && !/\p{Cc}/u.test(decoded)
}

function invalid(name: string): Reply {
  return createReply(501, '5.5.4', `The value of ${name} is invalid`)
}
