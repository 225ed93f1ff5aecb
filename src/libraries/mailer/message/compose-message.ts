import type { Message } from './message.ts'
import type { Mailbox } from './parse-message.ts'

/**
 * An attachment, or an image that the HTML embeds.
 * @example
 * ```ts
 * const logo: AttachmentFields = { filename: 'logo.png', content: new Uint8Array(8), contentId: 'logo' }
 * const html = '<img src="cid:logo" alt="Logo">'
 * ```
 */
export interface AttachmentFields {
  readonly filename: string
  readonly content: Uint8Array
  /** Default: by the file name. */
  readonly contentType?: string
  /** The id by which the HTML embeds it: `<img src="cid:…">`. */
  readonly contentId?: string
}

/**
 * The fields of a message.
 * @example
 * ```ts
 * const fields: MessageFields = {
 *   from: { name: 'Shop', address: 'shop@example.com' },
 *   to: [{ name: '', address: 'jane@example.net' }],
 *   subject: 'Hello',
 *   text: 'Hello Jane!',
 *   html: '<p>Hello Jane!</p>',
 * }
 * ```
 */
export interface MessageFields {
  readonly from: Mailbox
  readonly to: readonly Mailbox[]
  readonly cc?: readonly Mailbox[]
  /** Recipients that the header does not show. */
  readonly bcc?: readonly Mailbox[]
  readonly replyTo?: readonly Mailbox[]
  readonly subject: string
  readonly text?: string
  readonly html?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly attachments?: readonly AttachmentFields[]
  /** With angle brackets. Default: a new id at the sender's domain. */
  readonly messageId?: string
  /** Default: now. */
  readonly date?: Date
  /** The return path. Default: the address of `from`. */
  readonly envelopeFrom?: string
}

/**
 * Composes a MIME message. It takes some milliseconds of CPU: for bulk email compose a template once and fill it in.
 * @example
 * ```ts
 * const message = await composeMessage({
 *   from: { name: 'Shop', address: 'shop@example.com' },
 *   to: [{ name: '', address: 'jane@example.net' }],
 *   subject: 'Hello',
 *   text: 'Hello Jane!',
 * })
 * ```
 */
export async function composeMessage(fields: MessageFields): Promise<Message> {
  const { from, to, cc = [], bcc = [], attachments = [], envelopeFrom } = fields
  // Loaded with the first message, because loading it would dominate the start time.
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer')
  const composer = new MailComposer({
    from,
    to: [...to],
    cc: [...cc],
    replyTo: [...(fields.replyTo ?? [])],
    subject: fields.subject,
    text: fields.text,
    html: fields.html,
    headers: { ...fields.headers },
    attachments: attachments.map(({ filename, content, contentType, contentId }) => ({
      filename,
      content: Buffer.from(content.buffer, content.byteOffset, content.byteLength),
      contentType,
      cid: contentId,
    })),
    messageId: fields.messageId,
    date: fields.date,
    newline: 'win',
    // No field may read a file or fetch a URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const recipients = [...to, ...cc, ...bcc].map(({ address }) => address)
  return {
    envelope: { from: envelopeFrom ?? from.address, to: [...new Set(recipients)] },
    raw: await composer.compile().build(),
  }
}
