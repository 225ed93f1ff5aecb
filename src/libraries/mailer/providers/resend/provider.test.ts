import { jsonRequest, testApiProvider } from '../../testing/api-provider.case.test.ts'
import { json } from '../../testing/api-server.case.test.ts'
import { documentBase64, imageBase64 } from '../../testing/sample-message.case.test.ts'

const refusal = (statusCode: number, name: string, message: string) =>
  json(statusCode, { statusCode, name, message })

testApiProvider({
  provider: 'resend',
  dsn: 'resend+api://re_K3Y@HOST',
  secrets: ['re_K3Y'],
  endpoints: {
    'resend+api://K@default': 'https://api.resend.com',
    'resend+api://K@proxy.example.com:8443': 'https://proxy.example.com:8443',
  },
  incomplete: { 'resend+api://default': /API key/ },
  checkRequest: jsonRequest('POST /emails', 'authorization: Bearer re_K3Y', {
    from: 'Jürgen <sender@example.com>',
    to: [`=?UTF-8?B?${Buffer.from('Doe, Jane').toString('base64')}?= <jane@example.net>`],
    cc: ['Carl <carl@example.net>'],
    bcc: ['hidden@example.net'],
    reply_to: ['Support <support@example.com>'],
    subject: 'Grüße from the test',
    text: 'Schöne Grüße\n',
    html: '<p>Schön <img src="cid:logo"></p>\n',
    attachments: [
      { filename: 'logo.gif', content: imageBase64, content_type: 'image/gif', content_id: 'logo' },
      { filename: 'report.pdf', content: documentBase64, content_type: 'application/pdf' },
    ],
    headers: { 'List-Unsubscribe': '<https://example.com/u?id=1>', 'X-Custom': 'kept' },
    tags: [
      { name: 'tag', value: 'welcome' },
      { name: 'order', value: '42' },
    ],
  }),
  // https://resend.com/docs/api-reference/emails/send-email
  success: json(200, { id: '49a3999c-0ce1-4ea6-ab68-afcd6dc2e794' }),
  messageId: '49a3999c-0ce1-4ea6-ab68-afcd6dc2e794',
  // https://resend.com/docs/api-reference/errors
  refusals: {
    credentials_refused: [refusal(403, 'invalid_api_key', 'API key is invalid.')],
    sender_refused: [
      refusal(
        403,
        'validation_error',
        'The domain.com domain is not verified. Please, add and verify your domain.',
      ),
    ],
    quota_exceeded: [
      refusal(429, 'daily_quota_exceeded', 'You have reached your daily email sending quota.'),
    ],
    throttled: [refusal(429, 'rate_limit_exceeded', 'Too many requests.')],
    recipient_refused: [
      refusal(
        422,
        'validation_error',
        'Invalid `to` field. The email address needs to follow the `email@example.com` format.',
      ),
    ],
    message_refused: [refusal(422, 'missing_required_field', 'Missing `subject` field.')],
  },
  refusal: (text) => refusal(400, 'validation_error', text),
})
