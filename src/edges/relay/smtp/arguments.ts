import { createReply } from '../../../core/delivery/index.ts'
import type { CommandReply } from './session.ts'

/** The argument of MAIL or RCPT: the address ('' for the null sender) and its parameters. */
export interface Path {
  readonly address: string
  readonly parameters: ReadonlyMap<string, string>
}

/**
 * Parses `<address> KEY=VALUE …` (RFC 5321, section 4.1.2); undefined if it is malformed. A quoted local part may have blanks
 * and brackets. It removes a source route (appendix C) and accepts an address without brackets, which some clients send.
 */
export function parsePath(text: string): Path | undefined {
  const match =
    /^\s*(?:<((?:"(?:[^"\\]|\\.)*"|[^<>\s"])*)>|((?:"(?:[^"\\]|\\.)*"|[^<>\s"])+))((?:\s+[^\s]+)*)\s*$/.exec(
      text,
    )
  if (match === null) return undefined
  const [, bracketed, bare = '', rest = ''] = match
  const address = (bracketed ?? bare).replace(/^@[^:"]+:/, '')
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

const mailParameters = ['SIZE', 'BODY', 'SMTPUTF8', 'AUTH']

/**
 * Checks the parameters of MAIL: SIZE (RFC 1870), BODY (RFC 6152) and SMTPUTF8 (RFC 6531). AUTH (RFC 4954, section 5) is
 * accepted and ignored. Returns a reply if one is invalid or unknown.
 */
export function checkMailParameters(path: Path, sizeMax: number): CommandReply | undefined {
  const { parameters } = path
  const unknown = refuseUnknown(path, mailParameters)
  if (unknown !== undefined) return unknown
  const size = parameters.get('SIZE')
  if (size !== undefined && !/^\d{1,20}$/.test(size)) return invalid('SIZE')
  if (Number(size) > sizeMax) return tooLarge(sizeMax)
  const body = parameters.get('BODY')
  if (body !== undefined && !/^(7bit|8bitmime)$/i.test(body)) return invalid('BODY')
  return (parameters.get('SMTPUTF8') ?? '') === '' ? undefined : invalid('SMTPUTF8')
}

/** The reply to a message above the size limit. */
export function tooLarge(sizeMax: number): CommandReply {
  return createReply(552, '5.3.4', `The message is larger than ${sizeMax} bytes`)
}

/** Returns a reply if a parameter is none of these. */
export function refuseUnknown(
  { parameters }: Path,
  known: readonly string[],
): CommandReply | undefined {
  for (const name of parameters.keys()) {
    if (!known.includes(name))
      return createReply(555, '5.5.4', `Parameter ${name} is not supported`)
  }
  return undefined
}

function invalid(name: string): CommandReply {
  return createReply(501, '5.5.4', `The value of ${name} is invalid`)
}
