import PostalMime, { decodeWords, type Email, type Attachment as RawAttachment } from 'postal-mime'
import { assignRecipients } from './assign-recipients.ts'
import type { Message } from './message.ts'
import type { Attachment, Mailbox, ParsedMessage } from './parsed-message.ts'

/** Headers that the other members hold, that a provider writes itself, or that belong to MIME. */
const ownHeaders = new Set([
  'from',
  'sender',
  'to',
  'cc',
  'bcc',
  'reply-to',
  'subject',
  'date',
  'message-id',
  'mime-version',
  'return-path',
  'received',
  'dkim-signature',
  'x-tag',
])
const metadataPrefix = 'x-metadata-'

/** Takes a message apart. Attached messages stay attachments. */
export async function parseMessage({ envelope, raw }: Message): Promise<ParsedMessage> {
  const email = await PostalMime.parse(raw, { forceRfc822Attachments: true })
  const [from = { name: '', address: envelope.from }] = mailboxes(email.from ? [email.from] : [])
  const all = (key: string) => email.headers.filter((header) => header.key === key)
  return {
    from,
    replyTo: mailboxes(email.replyTo),
    ...assignRecipients(envelope.to, { to: mailboxes(email.to), cc: mailboxes(email.cc) }),
    subject: oneLine(email.subject ?? ''),
    text: email.text ?? null,
    html: email.html ?? null,
    attachments: email.attachments.map(attachment),
    tags: all('x-tag').map(({ value }) => decoded(value)),
    metadata: readMetadata(email),
    headers: email.headers
      .filter(({ key }) => !ownHeaders.has(key) && !/^(content-|x-metadata-)/.test(key))
      .map(({ originalKey, value }) => ({ name: originalKey, value: decoded(value) })),
    messageId: all('message-id')[0]?.value.trim() ?? null,
  }
}

function mailboxes(addresses: Email['to']): Mailbox[] {
  return (addresses ?? [])
    .flatMap((entry) => entry.group ?? [entry])
    .map(({ name, address }) => ({ name: oneLine(name), address: oneLine(address) }))
}

function decoded(value: string): string {
  return oneLine(decodeWords(value))
}

/** An encoded word may hide a line end, which could begin another header at a careless provider. */
function oneLine(text: string): string {
  return text.replace(/[\r\n]+/g, ' ')
}

function readMetadata({ headers }: Email): Record<string, string> {
  return Object.fromEntries(
    headers
      .filter(({ key }) => key.startsWith(metadataPrefix))
      .map(({ originalKey, value }) => [originalKey.slice(metadataPrefix.length), decoded(value)]),
  )
}

function attachment(raw: RawAttachment): Attachment {
  const { filename, mimeType, content, contentId, disposition, related } = raw
  return {
    filename: oneLine(filename ?? (mimeType === 'message/rfc822' ? 'message.eml' : 'attachment')),
    contentType: mimeType,
    content: typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content),
    contentId: contentId === undefined ? null : contentId.replace(/^<(.*)>$/, '$1'),
    isInline: disposition === 'inline' || (related ?? false),
  }
}
