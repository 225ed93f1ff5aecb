import type { Message } from '../../mailer/index.ts'
import { formatDate } from './notification.ts'

/** An email of Mailyard itself, in plain text. */
export interface Notice {
  /** The address in From. */
  from: string
  to: string
  subject: string
  text: string
  /** The Message-ID without its domain. The same id makes the same Message-ID, so that a repetition is recognized. */
  id: string
  /** In milliseconds since the epoch. */
  now: number
}

/** Composes a notice to a person. It asks for no notification, so that none is ever sent about it. */
export async function composeNotice({
  from,
  to,
  subject,
  text,
  id,
  now,
}: Notice): Promise<Message> {
  // Loaded with the first notice, because loading it would dominate the start time.
  const { default: MimeNode } = await import('nodemailer/lib/mime-node')
  const root = new MimeNode('text/plain; charset=utf-8').setContent(text)
  root.setHeader('Date', formatDate(now))
  root.setHeader('From', { name: 'Mailyard', address: from })
  root.setHeader('To', { name: '', address: to })
  root.setHeader('Subject', subject)
  root.setHeader('Message-ID', `<${id}@${from.slice(from.lastIndexOf('@') + 1).toLowerCase()}>`)
  root.setHeader('Auto-Submitted', 'auto-generated')
  return {
    envelope: { from, to: [to], notification: { recipients: { [to]: { notify: 'NEVER' } } } },
    raw: await root.build(),
  }
}
