import { jsonRequest, testApiProvider } from '../../testing/api-provider.case.test.ts'
import { json } from '../../testing/api-server.case.test.ts'
import { sampleAttachments } from '../../testing/sample-message.case.test.ts'

const refusal = (status: number, message: string, field: string | null = null) =>
  json(status, { errors: [{ message, field, help: null }] })

testApiProvider({
  provider: 'sendgrid',
  dsn: 'sendgrid+api://SG.k-1.x_2@HOST',
  secrets: ['SG.k-1.x_2'],
  endpoints: {
    'sendgrid+api://SG.a.b@default': 'https://api.sendgrid.com',
    'sendgrid+api://SG.a.b@default?region=global': 'https://api.sendgrid.com',
    'sendgrid+api://SG.a.b@proxy.example.com:8443': 'https://proxy.example.com:8443',
  },
  incomplete: {
    'sendgrid+api://default': /API key/,
    'sendgrid+api://apikey:SG.a.b@default': /without "apikey"/,
    'sendgrid+api://K@default?region=evil.example.com%2F': /region/,
  },
  checkRequest: jsonRequest('POST /v3/mail/send', 'authorization: Bearer SG.k-1.x_2', {
    personalizations: [
      {
        to: [{ email: 'jane@example.net', name: '"Doe, Jane"' }],
        cc: [{ email: 'carl@example.net', name: 'Carl' }],
        bcc: [{ email: 'hidden@example.net' }],
      },
    ],
    from: { email: 'sender@example.com', name: 'Jürgen' },
    reply_to_list: [{ email: 'support@example.com', name: 'Support' }],
    subject: 'Grüße from the test',
    content: [
      { type: 'text/plain', value: 'Schöne Grüße\n' },
      { type: 'text/html', value: '<p>Schön <img src="cid:logo"></p>\n' },
    ],
    attachments: sampleAttachments,
    headers: {
      'List-Unsubscribe': '<https://example.com/u?id=1>',
      'X-Custom': 'kept',
      'Message-ID': '<sample@example.com>',
    },
    categories: ['welcome'],
    custom_args: { order: '42' },
  }),
  // https://www.twilio.com/docs/sendgrid/api-reference/mail-send/mail-send
  success: { status: 202, headers: { 'x-message-id': '14c5d75ce93.dfd.64b469' }, body: '' },
  messageId: '14c5d75ce93.dfd.64b469',
  // https://www.twilio.com/docs/sendgrid/api-reference/mail-send/errors
  refusals: {
    credentials_refused: [
      refusal(401, 'The provided authorization grant is invalid, expired, or revoked'),
      {
        ...refusal(403, 'access forbidden'),
        hint: /has the right "Mail Send"/,
      },
    ],
    quota_exceeded: [refusal(401, 'Maximum credits exceeded')],
    sender_refused: [
      {
        ...refusal(
          403,
          'The from address does not match a verified Sender Identity. Mail cannot be sent until this error is resolved.',
          'from',
        ),
        hint: /Sender Authentication/,
      },
    ],
    recipient_refused: [
      refusal(400, 'Does not contain a valid address.', 'personalizations.0.to.0.email'),
    ],
    message_refused: [
      refusal(
        400,
        'The content value must be a string at least one character in length.',
        'content.0.value',
      ),
    ],
    too_large: [refusal(413, 'The JSON payload you have included in your request is too large.')],
    throttled: [refusal(429, 'too many requests')],
  },
  refusal: (text) => refusal(400, text),
})
