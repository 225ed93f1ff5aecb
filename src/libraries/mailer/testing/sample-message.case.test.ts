import type { DeliveryResult } from '../delivery/delivery-result.ts'
import { createMailer } from '../mailer.ts'
import type { MailerOptions } from '../mailer-options.ts'
import type { Message } from '../message/message.ts'

const boundary = (name: string) => `=_${name}`

/** A 1 x 1 GIF. */
export const sampleImage = Buffer.from(
  'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7',
  'base64',
)
export const sampleDocument = Buffer.from('%PDF-1.4 not really')
export const imageBase64 = sampleImage.toString('base64')
export const documentBase64 = sampleDocument.toString('base64')

const lines = [
  'From: =?utf-8?Q?J=C3=BCrgen?= <sender@example.com>',
  'To: "Doe, Jane" <jane@example.net>, Not Meant <other@example.net>',
  'Cc: Carl <carl@example.net>',
  'Reply-To: Support <support@example.com>',
  'Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?= from the',
  ' test',
  'Message-ID: <sample@example.com>',
  'Date: Sat, 31 Jan 2026 15:54:35 +0000',
  'List-Unsubscribe: <https://example.com/u?id=1>',
  'X-Custom: kept',
  'X-Tag: welcome',
  'X-Metadata-order: 42',
  'MIME-Version: 1.0',
  `Content-Type: multipart/mixed; boundary="${boundary('mixed')}"`,
  '',
  `--${boundary('mixed')}`,
  `Content-Type: multipart/related; boundary="${boundary('related')}"`,
  '',
  `--${boundary('related')}`,
  `Content-Type: multipart/alternative; boundary="${boundary('alternative')}"`,
  '',
  `--${boundary('alternative')}`,
  'Content-Type: text/plain; charset=utf-8',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  'Sch=C3=B6ne Gr=C3=BC=C3=9Fe',
  `--${boundary('alternative')}`,
  'Content-Type: text/html; charset=utf-8',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  '<p>Sch=C3=B6n <img src=3D"cid:logo"></p>',
  `--${boundary('alternative')}--`,
  `--${boundary('related')}`,
  'Content-Type: image/gif; name="logo.gif"',
  'Content-Transfer-Encoding: base64',
  'Content-ID: <logo>',
  'Content-Disposition: inline; filename="logo.gif"',
  '',
  imageBase64,
  `--${boundary('related')}--`,
  `--${boundary('mixed')}`,
  'Content-Type: application/pdf; name="report.pdf"',
  'Content-Transfer-Encoding: base64',
  'Content-Disposition: attachment; filename="report.pdf"',
  '',
  documentBase64,
  `--${boundary('mixed')}--`,
  '',
]

/**
 * One message with all that an API has a field for. `jane` is in To, `carl` in Cc, `hidden` in neither;
 * `other@example.net` is in the header but not in the envelope, so it must not get the message.
 */
export const sampleMessage: Message = {
  envelope: {
    from: 'bounce@example.com',
    to: ['jane@example.net', 'carl@example.net', 'hidden@example.net'],
  },
  raw: Buffer.from(lines.join('\r\n')),
}

/** Its addresses as most providers' APIs name them. */
export const sampleAddresses = {
  from: { email: 'sender@example.com', name: 'Jürgen' },
  to: [{ email: 'jane@example.net', name: 'Doe, Jane' }],
  cc: [{ email: 'carl@example.net', name: 'Carl' }],
  bcc: [{ email: 'hidden@example.net' }],
}

/** Its addresses and texts as several of them name them. */
export const sampleFields = {
  ...sampleAddresses,
  subject: 'Grüße from the test',
  text: 'Schöne Grüße\n',
  html: '<p>Schön <img src="cid:logo"></p>\n',
}

/** Its attachments as some of them name their fields. */
export const sampleAttachments = [
  {
    filename: 'logo.gif',
    type: 'image/gif',
    content: imageBase64,
    disposition: 'inline',
    content_id: 'logo',
  },
  {
    filename: 'report.pdf',
    type: 'application/pdf',
    content: documentBase64,
    disposition: 'attachment',
  },
]

/** The smallest message with one recipient. */
export const shortMessage: Message = {
  envelope: { from: 'sender@example.com', to: ['jane@example.net'] },
  raw: Buffer.from(
    'From: sender@example.com\r\nTo: jane@example.net\r\nSubject: short\r\n\r\nHello\r\n',
  ),
}

/** A `ready` that says no. */
export function rejected(reason: string): Promise<never> {
  const promise = Promise.reject(new Error(reason))
  promise.catch(() => undefined)
  return promise
}

/** Sends a message through a transport of its own. */
export async function sendOnce(
  dsn: string,
  options?: MailerOptions,
  message: Message = shortMessage,
): Promise<DeliveryResult> {
  const transport = createMailer(options).open(dsn)
  try {
    return await transport.send(message)
  } finally {
    await transport.close()
  }
}

/** The short message to these recipients. */
export function messageTo(...to: string[]): Message {
  return { ...shortMessage, envelope: { from: 'sender@example.com', to } }
}
