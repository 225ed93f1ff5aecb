import PostalMime, { decodeWords, type Email, type Attachment as RawAttachment } from 'postal-mime'
import type { Message } from './message.ts'

/** A mailbox of a header. `name` is '' when there is none. */
export interface Mailbox {
  readonly name: string
  readonly address: string
}

/** An attachment or an inline image. */
export interface Attachment {
  readonly filename: string
  /** Lower case, without parameters. */
  readonly contentType: string
  readonly content: Uint8Array
  /** Without angle brackets; null when the part has none. */
  readonly contentId: string | null
  readonly isInline: boolean
  /** The content id of an inline part, by which the HTML embeds it; undefined for every other. */
  readonly embeddedId: string | undefined
}

/** The fields of a parsed message, for APIs without raw MIME. */
export interface ParsedMessage {
  readonly from: Mailbox
  readonly replyTo: readonly Mailbox[]
  /**
   * The recipients of the envelope, each in one of `to`, `cc` and `bcc`: where the header shows them, otherwise in `bcc`.
   * Addresses that are only in the header are left out. `to` is never empty.
   */
  readonly to: readonly Mailbox[]
  readonly cc: readonly Mailbox[]
  readonly bcc: readonly Mailbox[]
  readonly subject: string
  readonly text: string | null
  readonly html: string | null
  readonly attachments: readonly Attachment[]
  /** `X-Tag` headers, as Symfony Mailer writes tags. */
  readonly tags: readonly string[]
  /** `X-Metadata-*` headers. */
  readonly metadata: Readonly<Record<string, string>>
  /** Unfolded and decoded, in order, without MIME headers and those that other properties hold. */
  readonly headers: readonly { readonly name: string; readonly value: string }[]
  /** With its angle brackets. */
  readonly messageId: string | null
}

/** Headers that other properties hold, that a provider writes itself, or that belong to MIME. */
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

/** Parses a message into its fields. Attached messages stay attachments. */
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

/** Replaces line ends, which an encoded word may contain: they could start another header at a provider. */
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
  const { filename, mimeType, content, disposition, related } = raw
  const contentId = raw.contentId === undefined ? null : raw.contentId.replace(/^<(.*)>$/, '$1')
  const isInline = disposition === 'inline' || (related ?? false)
  return {
    filename: oneLine(filename ?? (mimeType === 'message/rfc822' ? 'message.eml' : 'attachment')),
    contentType: mimeType,
    content: typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content),
    contentId,
    isInline,
    embeddedId: isInline ? (contentId ?? undefined) : undefined,
  }
}

interface Recipients {
  readonly to: Mailbox[]
  readonly cc: Mailbox[]
  readonly bcc: Mailbox[]
}

/**
 * Assigns the recipients of the envelope to `to`, `cc` and `bcc`, where the header shows them. An API sends to all
 * addresses of its fields, so addresses that are only in the header are left out. APIs require a `to`; when it would be
 * empty, the first recipient is moved there.
 */
export function assignRecipients(
  envelope: readonly string[],
  header: { readonly to: readonly Mailbox[]; readonly cc: readonly Mailbox[] },
): Recipients {
  const left = new Map(envelope.map((address) => [addressKey(address), address]))
  const take = (mailboxes: readonly Mailbox[]) =>
    mailboxes.flatMap(({ name, address }) => {
      const recipient = left.get(addressKey(address))
      left.delete(addressKey(address))
      return recipient === undefined ? [] : [{ name, address: recipient }]
    })
  const to = take(header.to)
  const cc = take(header.cc)
  const bcc = [...left.values()].map((address) => ({ name: '', address }))
  if (to.length > 0) return { to, cc, bcc }
  return cc.length > 0
    ? { to: cc.slice(0, 1), cc: cc.slice(1), bcc }
    : { to: bcc.slice(0, 1), cc, bcc: bcc.slice(1) }
}

/** Returns what two writings of an address have in common. The parser leaves out the quotes of some. */
export function addressKey(address: string): string {
  return address.trim().toLowerCase().replaceAll(/["\\]/g, '')
}
