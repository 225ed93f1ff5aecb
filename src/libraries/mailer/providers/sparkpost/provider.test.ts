import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  jsonBody,
  jsonRequest,
  messageWith,
  requestOf,
  testApiProvider,
} from '../../testing/api-provider.case.test.ts'
import { json } from '../../testing/api-server.case.test.ts'
import {
  documentBase64,
  imageBase64,
  sampleMessage,
} from '../../testing/sample-message.case.test.ts'

const refusal = (status: number, code: string, message: string, description?: string) =>
  json(status, { errors: [{ message, description, code }] })

testApiProvider({
  provider: 'sparkpost',
  dsn: 'sparkpost+api://K3Y-1@HOST',
  secrets: ['K3Y-1'],
  endpoints: {
    'sparkpost+api://K@default': 'https://api.sparkpost.com',
    'mautic+sparkpost+api://:K@default?region=us': 'https://api.sparkpost.com',
    'mautic+sparkpost+api://:K@sparkpost.example.com:25?region=eu': 'https://api.eu.sparkpost.com',
  },
  incomplete: {
    'mautic+sparkpost+api://default': /API key/,
    'sparkpost+api://K@default?region=evil.example.com%2F': /region/,
  },
  checkRequest: jsonRequest('POST /api/v1/transmissions', 'authorization: K3Y-1', {
    metadata: { order: '42' },
    options: { open_tracking: false, click_tracking: false },
    recipients: sampleMessage.envelope.to.map((email) => ({
      address: { email },
      tags: ['welcome'],
    })),
    content: { email_rfc822: Buffer.from(sampleMessage.raw).toString() },
  }),
  // https://developers.sparkpost.com/api/transmissions/#transmissions-post-send-rfc822-content
  success: json(200, {
    results: {
      total_rejected_recipients: 0,
      total_accepted_recipients: 1,
      id: '11668787484950529',
    },
  }),
  messageId: '11668787484950529',
  // https://support.sparkpost.com/docs/tech-resources/extended-error-codes
  refusals: {
    sender_refused: [
      refusal(400, '7001', 'Invalid domain', 'Unconfigured or unverified sending domain.'),
    ],
    quota_exceeded: [refusal(420, '2101', 'Exceed Sending Limit (hourly)')],
    credentials_refused: [refusal(403, '1100', 'permission denied')],
    recipient_refused: [
      refusal(
        400,
        '1902',
        'Message generation rejected',
        'recipient address suppressed due to customer policy',
      ),
      json(200, {
        errors: [{ message: 'transmission created, but with validation errors', code: '2000' }],
        results: {
          rcpt_to_errors: [{ message: 'required field is missing', code: '1400' }],
          total_rejected_recipients: 1,
          total_accepted_recipients: 0,
          id: '11668787484950530',
        },
      }),
    ],
    server_fault: [refusal(400, '1502', 'Server resources unavailable')],
    message_refused: [
      refusal(422, '1400', 'required field is missing', 'content object or template_id required'),
    ],
  },
  refusal: (text) => refusal(422, '1300', 'invalid data format/type/length', text),
})

test('sparkpost: what looks like its template language is sent in parts, with that language off', async () => {
  const raw = Buffer.from(
    Buffer.from(sampleMessage.raw).toString().replace('from the', '{{ name }}'),
  )
  const request = await requestOf('sparkpost+api://K@default', { ...sampleMessage, raw })
  const header_to = '"Doe, Jane" <jane@example.net>'
  assert.deepEqual(jsonBody(request), {
    metadata: { order: '42' },
    options: { open_tracking: false, click_tracking: false, perform_substitutions: false },
    recipients: sampleMessage.envelope.to.map((email) => ({
      address: { email, header_to },
      tags: ['welcome'],
    })),
    content: {
      from: { email: 'sender@example.com', name: 'Jürgen' },
      reply_to: 'Support <support@example.com>',
      subject: 'Grüße {{ name }} test',
      text: 'Schöne Grüße\n',
      html: '<p>Schön <img src="cid:logo"></p>\n',
      headers: {
        'List-Unsubscribe': '<https://example.com/u?id=1>',
        'X-Custom': 'kept',
        Cc: 'Carl <carl@example.net>',
      },
      attachments: [{ name: 'report.pdf', type: 'application/pdf', data: documentBase64 }],
      inline_images: [{ name: 'logo', type: 'image/gif', data: imageBase64 }],
    },
  })
})

test('sparkpost: a message that JSON would change is refused before it is sent', async () => {
  const message = messageWith('Content-Type: text/plain; charset=iso-8859-1')
  const raw = Buffer.concat([Buffer.from(message.raw), Buffer.from([0xe9])])
  await assert.rejects(requestOf('sparkpost+api://K@default', { ...message, raw }), {
    name: 'FaultError',
    message: /UTF-8 only/,
  })
})
