import { AppError } from '../../kit/app-error.ts'
import { messageBytesMax } from '../schema.ts'

const shownLines = 30
const headerLine = /^[!-9;-~]{1,76}[ \t]*:/
const quotedLine = /^\s*>/
const encodedLine = /^[A-Za-z0-9+/]{40,}={0,2}$/

/**
 * Reads the source of a message that a person pasted: blank lines before it and the line of an mbox are left out, and line ends become
 * those of mail.
 *
 * @throws AppError: `too_large` above 1 MB, `invalid` for what is not the source of a message, with what to paste instead.
 */
export function readPastedSource(text: string): Buffer {
  if (Buffer.byteLength(text) > messageBytesMax) throw tooLarge()
  const start = text.search(/\S/)
  const source = start === -1 ? '' : text.slice(start).replace(/^From [^\r\n]*(?:\r\n|\n|\r)/, '')
  checkSource(source)
  return Buffer.from(source.replace(/\r\n|\n|\r/g, '\r\n'))
}

function checkSource(source: string): void {
  const lines = source.slice(0, shownLines * 1_000).split(/\r\n|\n|\r/, shownLines)
  const [first = ''] = lines
  if (/^<(?:!doctype|html|\?xml|div|table|body)\b/i.test(first)) throw notSource(isPage)
  if (/^(?:Original Message|Message ID\b)/i.test(first)) throw notSource(isOriginalPage)
  const filled = lines.filter((line) => line.trim() !== '')
  if (filled.filter((line) => quotedLine.test(line)).length * 2 > filled.length)
    throw notSource(isQuoted)
  if (encodedLine.test(first.trim())) throw notSource(isEncoded)
  if (!headerLine.test(first)) throw notSource(hasNoHeader)
}

const isPage = 'It is a web page.'
const isOriginalPage =
  'It is the page "Show original", with more than the source: use "Copy to clipboard" on that page.'
const isQuoted = 'Its lines begin with ">", so it is a reply or a forwarded copy.'
const isEncoded = 'It is base64.'
const hasNoHeader = 'Its first line is not a header, such as "Delivered-To: you@example.com".'

function notSource(why: string): AppError {
  const message = `This is not the source of a received message. ${why} Open the message in your mailbox, choose "Show original" or "View source", and paste all of it.`
  return new AppError('invalid', 'message_malformed', message, { details: { message: [message] } })
}

function tooLarge(): AppError {
  const message =
    'The message has more than 1 MB. Send a test without attachments, and paste its source.'
  return new AppError('too_large', 'message_too_large', message)
}
