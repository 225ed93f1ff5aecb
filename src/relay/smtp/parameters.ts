import type { Path } from './address.ts'
import { createReply, type Reply } from './reply.ts'
import type { DoorRules, MailNotification } from './session.ts'

const mailParameters = new Set(['SIZE', 'BODY', 'SMTPUTF8', 'RET', 'ENVID', 'AUTH'])

/**
 * The parameters of MAIL: SIZE (RFC 1870), BODY (RFC 6152), SMTPUTF8 (RFC 6531), RET and ENVID (RFC 3461),
 * AUTH, which nobody here believes (RFC 4954, section 5). A refusal where one is wrong.
 */
export function readMailParameters(
  { parameters }: Path,
  { sizeMax }: Pick<DoorRules, 'sizeMax'>,
): MailNotification | Reply {
  const unknown = findUnknown(parameters, mailParameters)
  if (unknown !== undefined) return unknown
  const size = parameters.get('SIZE')
  if (size !== undefined && !/^\d{1,20}$/.test(size)) return wrong('SIZE')
  if (Number(size) > sizeMax) return tooLarge(sizeMax)
  const body = parameters.get('BODY')
  if (body !== undefined && !/^(7bit|8bitmime)$/i.test(body)) return wrong('BODY')
  if ((parameters.get('SMTPUTF8') ?? '') !== '') return wrong('SMTPUTF8')
  const format = parameters.get('RET')?.toUpperCase()
  if (format !== undefined && format !== 'FULL' && format !== 'HDRS') return wrong('RET')
  const envelopeId = parameters.get('ENVID')
  if (envelopeId !== undefined && !isXtext(envelopeId, 100)) return wrong('ENVID')
  return {
    ...(format === undefined ? {} : { return: format }),
    ...(envelopeId === undefined ? {} : { envelopeId }),
  }
}

const recipientParameters = new Set(['NOTIFY', 'ORCPT'])

/** NOTIFY and ORCPT of RCPT (RFC 3461, sections 4.1 and 4.2), as they are written. */
export function readRecipientParameters({
  parameters,
}: Path): { notify?: string; originalRecipient?: string } | Reply {
  const unknown = findUnknown(parameters, recipientParameters)
  if (unknown !== undefined) return unknown
  const notify = parameters.get('NOTIFY')
  const reasons = /^(never|(success|failure|delay)(,(success|failure|delay)){0,2})$/i
  if (notify !== undefined && !reasons.test(notify)) return wrong('NOTIFY')
  const originalRecipient = parameters.get('ORCPT')
  const isOriginal = originalRecipient === undefined || /^[\w-]+;/.test(originalRecipient)
  if (!isOriginal || !isXtext(originalRecipient ?? 'x', 500)) return wrong('ORCPT')
  return {
    ...(notify === undefined ? {} : { notify }),
    ...(originalRecipient === undefined ? {} : { originalRecipient }),
  }
}

/** The answer to a message that is larger than what is taken. */
export function tooLarge(sizeMax: number): Reply {
  return createReply(552, '5.3.4', `The message is larger than ${sizeMax} bytes`)
}

function findUnknown(
  parameters: ReadonlyMap<string, string>,
  known: ReadonlySet<string>,
): Reply | undefined {
  for (const name of parameters.keys()) {
    if (!known.has(name)) return createReply(555, '5.5.4', `${name} is not known here`)
  }
  return undefined
}

function isXtext(text: string, lengthMax: number): boolean {
  return /^[\x21-\x7e]+$/.test(text) && text.length <= lengthMax
}

function wrong(name: string): Reply {
  return createReply(501, '5.5.4', `The value of ${name} is wrong`)
}
