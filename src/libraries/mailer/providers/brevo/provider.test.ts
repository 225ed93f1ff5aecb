import { jsonRequest, testApiProvider } from '../../testing/api-provider.case.test.ts'
import { json } from '../../testing/api-server.case.test.ts'
import { documentBase64, imageBase64 } from '../../testing/sample-message.case.test.ts'

const refusal = (status: number, code: string, message: string) => json(status, { code, message })

testApiProvider({
  provider: 'brevo',
  dsn: 'brevo+api://xkeysib-1@HOST',
  secrets: ['xkeysib-1'],
  endpoints: {
    'brevo+api://K@default': 'https://api.brevo.com',
    'sendinblue+api://K@default': 'https://api.brevo.com',
    'brevo+api://K@proxy.example.com:8443': 'https://proxy.example.com:8443',
  },
  incomplete: { 'brevo+api://default': /API key/ },
  checkRequest: jsonRequest('POST /v3/smtp/email', 'api-key: xkeysib-1', {
    sender: { email: 'sender@example.com', name: 'Jürgen' },
    to: [{ email: 'jane@example.net', name: 'Doe, Jane' }],
    cc: [{ email: 'carl@example.net', name: 'Carl' }],
    bcc: [{ email: 'hidden@example.net' }],
    replyTo: { email: 'support@example.com', name: 'Support' },
    subject: 'Grüße from the test',
    textContent: 'Schöne Grüße\n',
    htmlContent: '<p>Schön <img src="cid:logo"></p>\n',
    attachment: [
      { name: 'logo.gif', content: imageBase64 },
      { name: 'report.pdf', content: documentBase64 },
    ],
    headers: {
      'List-Unsubscribe': '<https://example.com/u?id=1>',
      'X-Custom': 'kept',
      'X-Mailin-Order': '42',
    },
    tags: ['welcome'],
  }),
  // https://developers.brevo.com/reference/sendtransacemail
  success: json(201, { messageId: '<202601311554.12345678910@smtp-relay.mailin.fr>' }),
  messageId: '<202601311554.12345678910@smtp-relay.mailin.fr>',
  // https://developers.brevo.com/docs/how-it-works#error-codes
  refusals: {
    credentials_refused: [refusal(401, 'unauthorized', 'Key not found')],
    quota_exceeded: [
      refusal(402, 'not_enough_credits', 'You have insufficient credits'),
      refusal(403, 'account_under_validation', 'Your account is under validation'),
    ],
    sender_refused: [
      refusal(
        400,
        'invalid_parameter',
        'Sending has been rejected because the sender you used sender@example.com is not valid. Validate your sender or authenticate your domain',
      ),
    ],
    recipient_refused: [refusal(400, 'invalid_parameter', 'email is not valid in to')],
    message_refused: [refusal(400, 'missing_parameter', 'subject is missing')],
    throttled: [refusal(429, 'too_many_requests', 'API rate limit exceeded')],
  },
  refusal: (text) => refusal(400, 'bad_request', text),
})
