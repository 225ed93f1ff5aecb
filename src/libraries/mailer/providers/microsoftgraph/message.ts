import { addressParser } from 'postal-mime'
import { base64 } from '../../api/json.ts'
import { unlessEmpty, unsupportedMessage } from '../../api/message-fields.ts'
import { encodeWords, formatMailbox, readHeaders } from '../../message/headers.ts'
import type { Message } from '../../message/message.ts'
import {
  type Attachment,
  addressKey,
  type Mailbox,
  type ParsedMessage,
} from '../../message/parse-message.ts'

/**
 * Returns a message whose header names exactly the recipients of the envelope, because Graph reads them there. Other
 * addresses are removed from To and Cc. Recipients that neither shows are added as Bcc, which Exchange removes when it
 * sends. To and Cc stay byte for byte when they name no other address.
 */
export function addressMime({ envelope, raw }: Message): Uint8Array {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
  const recipients = new Set(envelope.to.map(addressKey))
  const shown = { to: mailboxesOf(bytes, 'to'), cc: mailboxesOf(bytes, 'cc') }
  const isMeant = ({ address }: Mailbox) => recipients.has(addressKey(address))
  const isExact = [...shown.to, ...shown.cc].every(isMeant)
  const named = new Set([...shown.to, ...shown.cc].map(({ address }) => addressKey(address)))
  const hidden = envelope.to
    .filter((address) => !named.has(addressKey(address)))
    .map((address) => ({ name: '', address }))
  const lines = [
    ...(isExact ? [] : field('To', shown.to.filter(isMeant))),
    ...(isExact ? [] : field('Cc', shown.cc.filter(isMeant))),
    ...field('Bcc', hidden),
  ]
  const remainder = withoutFields(bytes, isExact ? /^bcc$/i : /^(to|cc|bcc)$/i)
  return Buffer.concat([Buffer.from(lines.join('')), remainder])
}

function mailboxesOf(raw: Uint8Array, field: string): Mailbox[] {
  return readHeaders(raw)
    .filter(({ name }) => name.toLowerCase() === field)
    .flatMap(({ value }) => addressParser(value, { flatten: true }))
    .map(({ name, address }) => ({ name, address: address ?? '' }))
}

/** Removes header fields, including their continuation lines. */
function withoutFields(bytes: Buffer, names: RegExp): Buffer {
  const end = bytes.indexOf('\r\n\r\n')
  // In Latin-1 every byte is one character, so no byte changes.
  const section = bytes.subarray(0, end === -1 ? bytes.length : end + 2).toString('latin1')
  const fields = section
    .split(/(?<=\r\n)(?![ \t])/)
    .filter((one) => !names.test(one.slice(0, Math.max(0, one.indexOf(':'))).trim()))
  return Buffer.concat([Buffer.from(fields.join(''), 'latin1'), bytes.subarray(section.length)])
}

/** Formats a field with one mailbox per line; nothing when there are none. */
function field(name: string, mailboxes: readonly Mailbox[]): string[] {
  if (mailboxes.length === 0) return []
  return [`${name}: ${mailboxes.map(encoded).join(',\r\n ')}\r\n`]
}

function encoded(mailbox: Mailbox): string {
  const words = encodeWords(mailbox.name)
  return words === mailbox.name ? formatMailbox(mailbox) : `${words} <${mailbox.address}>`
}

const headersMax = 5

/**
 * Builds the JSON body of sendMail, for a message that is not saved in Sent Items. Graph accepts either HTML or text, and
 * only headers that begin with `X-`; other headers are left out.
 * @see https://learn.microsoft.com/graph/api/resources/message
 */
export function jsonMessage(message: ParsedMessage) {
  const { html, text, attachments, replyTo } = message
  return {
    message: {
      subject: message.subject,
      body: { contentType: html === null ? 'Text' : 'HTML', content: html ?? text ?? '' },
      from: recipient(message.from),
      toRecipients: message.to.map(recipient),
      ccRecipients: unlessEmpty(message.cc.map(recipient)),
      bccRecipients: unlessEmpty(message.bcc.map(recipient)),
      replyTo: unlessEmpty(replyTo.map(recipient)),
      internetMessageId: message.messageId ?? undefined,
      internetMessageHeaders: ownHeaders(message),
      attachments: unlessEmpty(attachments.map(attachment)),
    },
    saveToSentItems: false,
  }
}

function recipient({ name, address }: Mailbox) {
  return { emailAddress: name === '' ? { address } : { address, name } }
}

function ownHeaders({ headers }: ParsedMessage) {
  const customHeaders = headers.filter(({ name }) => /^x-/i.test(name))
  if (customHeaders.length > headersMax)
    throw unsupportedMessage(
      `Microsoft Graph accepts at most ${headersMax} custom headers with noSave; this message has ${customHeaders.length}.`,
      'Leave some out, or send without noSave.',
    )
  return unlessEmpty(customHeaders)
}

function attachment({ filename, contentType, content, contentId, isInline }: Attachment) {
  return {
    '@odata.type': '#microsoft.graph.fileAttachment',
    name: filename,
    contentType,
    contentBytes: base64(content),
    contentId: contentId ?? undefined,
    isInline,
  }
}
