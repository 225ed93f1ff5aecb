import Type, { type Static } from 'typebox'
import { nullable } from '../../platform/http/index.ts'

/** The status of every captured message. */
export const inboxStatus = 'captured, not sent'

const example = {
  id: 1,
  date: '2026-01-31T15:54:35+00:00',
  status: inboxStatus,
  transportId: 2,
  transport: 'Try-out',
  sender: 'mailyard@localhost',
  recipients: ['ann@example.com'],
  subject: 'Test message from Mailyard',
  messageId: '<9c1b7f@localhost>',
  sizeBytes: 812,
}

/** A captured message in the list. */
export const inboxItem = Type.Object(
  {
    id: Type.Integer(),
    date: Type.String({ description: 'When it was captured.' }),
    status: Type.Enum([inboxStatus]),
    transportId: nullable(Type.Integer()),
    transport: nullable(Type.String()),
    sender: Type.String({
      description: 'The sender in the envelope; empty for the null sender of bounces.',
    }),
    recipients: Type.Array(Type.String(), { description: 'The recipients in the envelope.' }),
    subject: Type.String(),
    messageId: nullable(Type.String()),
    sizeBytes: Type.Integer(),
    brand: Type.Optional(Type.Integer({ description: 'The brand of the message, if it has one.' })),
  },
  { title: 'InboxItem', examples: [example] },
)
export type InboxItem = Static<typeof inboxItem>

/** The parsed content of a message. */
const inboxContent = Type.Object({
  headers: Type.Array(Type.Object({ name: Type.String(), value: Type.String() })),
  html: nullable(Type.String()),
  text: nullable(Type.String()),
  attachments: Type.Array(
    Type.Object({
      filename: Type.String(),
      contentType: Type.String(),
      sizeBytes: Type.Integer(),
      isInline: Type.Boolean(),
    }),
  ),
  problems: Type.Array(Type.String(), {
    description: 'What was left out of the answer, and why; the source has all of it.',
  }),
})
export type InboxContent = Static<typeof inboxContent>

/** A captured message with its content. */
export const inboxMessage = Type.Object(
  { ...inboxItem.properties, ...inboxContent.properties },
  {
    title: 'InboxMessage',
    examples: [
      {
        ...example,
        headers: [{ name: 'Subject', value: 'Test message from Mailyard' }],
        html: null,
        text: 'This message was sent to test a transport.',
        attachments: [],
        problems: [],
      },
    ],
  },
)
export type InboxMessage = Static<typeof inboxMessage>
