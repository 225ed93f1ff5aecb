import type { Readable } from 'node:stream'
import Type from 'typebox'
import { formatOptionalDate } from '../../../kit/iso-date.ts'
import { eventTypes, type ProviderEvent } from '../../../libraries/mailer/index.ts'
import {
  type Callers,
  type HttpApp,
  HttpError,
  type HttpRequest,
  nullable,
} from '../../../platform/http/index.ts'
import type { ReportReceiver } from './report-receiver.ts'

export interface ReportRouteParts {
  receiver: Pick<ReportReceiver, 'receive'>
  callers: Callers
  /** The size limit of a message. */
  messageBytesMax: number
}

const event = Type.Object({
  type: Type.Unsafe<ProviderEvent['type']>({
    type: 'string',
    enum: [...eventTypes, 'ignored'],
    examples: ['bounced'],
  }),
  class: nullable(Type.Unsafe<'hard' | 'soft'>({ type: 'string', enum: ['hard', 'soft'] }), {
    description: 'For `bounced`: `hard` if the address cannot be delivered to, else `soft`.',
    examples: ['hard'],
  }),
  recipient: nullable(Type.String(), { examples: ['jane@example.net'] }),
  messageIds: Type.Array(Type.String(), {
    description: 'The ids of the message: its Message-ID, and others.',
    examples: [['<order-1@shop.example>']],
  }),
  date: nullable(Type.String({ format: 'date-time' }), { examples: ['2026-01-31T15:54:35+00:00'] }),
  reason: nullable(Type.String(), {
    description: 'The words of the server.',
    examples: ['550 5.1.1 No such user'],
  }),
})

const exampleReport = `From: MAILER-DAEMON@mx.example.net
Subject: Undelivered Mail Returned to Sender
Content-Type: multipart/report; report-type=delivery-status; boundary=b

--b
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.net
Arrival-Date: Sat, 31 Jan 2026 15:54:35 +0000

Final-Recipient: rfc822; jane@example.net
Action: failed
Status: 5.1.1
Diagnostic-Code: smtp; 550 5.1.1 No such user

--b
Content-Type: text/rfc822-headers

From: shop@shop.example
Message-ID: <order-1@shop.example>

--b--
`

const schema = {
  operationId: 'receiveReport',
  summary: 'Read a bounce or a complaint that came by mail',
  description:
    'Send a delivery status notification (RFC 3464) or a feedback report (RFC 5965) with `Content-Type: message/rfc822`. ' +
    'An event counts if a message of Mailyard has its Message-ID and was sent to its recipient.',
  tags: ['deliveries'],
  body: {
    content: {
      'message/rfc822': {
        schema: Type.Unsafe<Buffer>({
          description: 'The message, as it was received.',
          examples: [exampleReport],
        }),
      },
    },
  },
  errors: [400 as const],
  response: {
    200: Type.Object({
      events: Type.Array(event, {
        description: 'What it says of each recipient. They are applied within seconds.',
      }),
    }),
  },
}

/** Adds `POST /api/events/message`. */
export function addReportRoute(
  app: HttpApp,
  { receiver, callers, messageBytesMax }: ReportRouteParts,
): void {
  const config = { permission: ['contact:edit', 'email:send'] as const }
  void app.register(async (scope: HttpApp) => {
    const messages = new WeakMap<object, Buffer>()
    scope.addContentTypeParser(
      /^message\/(rfc822|global)\b/i,
      async (request: HttpRequest, body: Readable) => {
        const message = await scope.bodies.read(request, body)
        messages.set(request, message)
        return message
      },
    )
    const options = { schema, config, bodyLimit: messageBytesMax }
    scope.post('/api/events/message', options, async (request) => {
      const message = messages.get(request)
      if (message === undefined) throw new HttpError(415, 'Send the message as message/rfc822.')
      const events = await receiver.receive(message, callers.of(request))
      return { events: events.map(presentEvent) }
    })
  })
}

function presentEvent({ type, class: kind, recipient, otherIds, at, reason }: ProviderEvent) {
  return {
    type,
    class: kind,
    recipient,
    messageIds: [...otherIds],
    date: formatOptionalDate(at),
    reason,
  }
}
