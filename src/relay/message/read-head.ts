import { addressParser, decodeWords } from 'postal-mime'
import { decodeUndeclared } from './charset.ts'
import { type HeaderField, valuesOf } from './header-fields.ts'
import type { MessageHead } from './relayed-message.ts'

/** Headers that are meant for Mailyard, and go no further. */
export const takenOut: ReadonlySet<string> = new Set([
  'x-mailyard-transport',
  'x-email-id',
  'x-owner-id',
  'x-contact-id',
])

/** Reads what the relay goes by. Of a header that is there more than once, the first counts. */
export function readHead(fields: readonly HeaderField[]): MessageHead {
  const first = (name: string) => valuesOf(fields, name)[0]
  const emailId = readId(first('x-email-id'))
  return {
    messageId: readMessageId(first('message-id')),
    from: readAddress(first('from')),
    isBulk: first('precedence')?.toLowerCase() === 'bulk',
    transport: readText(first('x-mailyard-transport')),
    to: emailId === undefined ? undefined : readAddress(first('to')),
    emailId,
    ownerId: readId(first('x-owner-id')),
    contactId: readId(first('x-contact-id')),
  }
}

/** No honest value is longer; taking a long one apart, or writing it down for each recipient, costs far more than its length. */
const valueLengthMax = 8_192

/**
 * The text of a header's value, whose characters are bytes: UTF-8 (RFC 6532) if they can be, encoded words decoded;
 * '' for what is too long.
 */
export function decodeValue(value: string): string {
  if (value.length > valueLengthMax) return ''
  return decodeWords(decodeUndeclared(Buffer.from(value, 'latin1')))
}

function readMessageId(value = ''): string | undefined {
  if (value.length > valueLengthMax) return undefined
  const inBrackets = /<([^<>]*)>/.exec(value)?.[1]
  const id = inBrackets === undefined ? value : `<${inBrackets.replaceAll(/\s+/g, '')}>`
  return id === '' || id === '<>' ? undefined : id
}

function readAddress(value: string | undefined): string | undefined {
  if (value === undefined || value.length > valueLengthMax) return undefined
  const text = Buffer.from(value, 'latin1').toString('utf8')
  const mailboxes = addressParser(text, { flatten: true })
  return mailboxes.map(({ address = '' }) => address).find((address) => address.includes('@'))
}

function readText(value: string | undefined): string | undefined {
  const text = value === undefined ? '' : decodeValue(value).trim()
  // PostgreSQL takes no NUL, not even in a question.
  return text === '' || text.includes('\0') ? undefined : text
}

function readId(value = ''): number | undefined {
  const id = /^\d{1,15}$/.test(value) ? Number(value) : 0
  return id === 0 ? undefined : id
}
