import type { Message } from './message.ts'
import type { Mailbox } from './parsed-message.ts'

/** A part that is neither text nor HTML. */
export interface AttachmentFields {
  readonly filename: string
  readonly content: Uint8Array
  /** Default: by the file name. */
  readonly contentType?: string
  /** What the HTML calls it by: `<img src="cid:…">`. */
  readonly contentId?: string
}

/** A message in fields. */
export interface MessageFields {
  readonly from: Mailbox
  readonly to: readonly Mailbox[]
  readonly cc?: readonly Mailbox[]
  /** Recipients whom the message does not show. */
  readonly bcc?: readonly Mailbox[]
  readonly replyTo?: readonly Mailbox[]
  readonly subject: string
  readonly text?: string
  readonly html?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly attachments?: readonly AttachmentFields[]
  /** With angle brackets. Default: a fresh one at the sender's domain. */
  readonly messageId?: string
  /** Default: now. */
  readonly date?: Date
  /** The return path. Default: the address of `from`. */
  readonly envelopeFrom?: string
}

/**
 * Composes a message as MIME. For test messages and one-offs: it takes some milliseconds of CPU, so
 * bulk jobs that send one template to many compose it once and fill the places.
 */
export async function composeMessage(fields: MessageFields): Promise<Message> {
  const { from, to, cc = [], bcc = [], attachments = [], envelopeFrom } = fields
  // Loaded with the first message: it is the largest part of a start otherwise.
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
    // A message is what its fields say; none of them may read a file or a page.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const recipients = [...to, ...cc, ...bcc].map(({ address }) => address)
  return {
    envelope: { from: envelopeFrom ?? from.address, to: [...new Set(recipients)] },
    raw: await composer.compile().build(),
  }
}
