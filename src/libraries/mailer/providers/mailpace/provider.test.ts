import { jsonRequest, testApiProvider } from '../../testing/api-provider.case.test.ts'
import { json } from '../../testing/api-server.case.test.ts'
import { documentBase64, imageBase64 } from '../../testing/sample-message.case.test.ts'

const refusal = (status: number, error: string) => json(status, { error })
const fields = (errors: object) => json(400, { errors })

testApiProvider({
  provider: 'mailpace',
  dsn: 'mailpace+api://T0KEN-1@HOST',
  secrets: ['T0KEN-1'],
  endpoints: {
    'mailpace+api://T@default': 'https://app.mailpace.com',
    'ohmysmtp+api://T@default': 'https://app.mailpace.com',
  },
  incomplete: { 'mailpace+api://default': /API token/ },
  checkRequest: jsonRequest('POST /api/v1/send', 'mailpace-server-token: T0KEN-1', {
    from: 'Jürgen <sender@example.com>',
    to: '"Doe, Jane" <jane@example.net>',
    cc: 'Carl <carl@example.net>',
    bcc: 'hidden@example.net',
    replyto: 'Support <support@example.com>',
    subject: 'Grüße from the test',
    textbody: 'Schöne Grüße\n',
    htmlbody: '<p>Schön <img src="cid:logo"></p>\n',
    list_unsubscribe: '<https://example.com/u?id=1>',
    attachments: [
      { name: 'logo.gif', content: imageBase64, content_type: 'image/gif', cid: 'cid:logo' },
      { name: 'report.pdf', content: documentBase64, content_type: 'application/pdf' },
    ],
    tags: ['welcome'],
  }),
  // https://docs.mailpace.com/reference/responses/
  success: json(200, { id: 123, status: 'pending' }),
  messageId: '123',
  refusals: {
    credentials_refused: [refusal(400, 'Invalid API Token')],
    quota_exceeded: [
      refusal(403, 'The organization that owns this domain does not have an active plan'),
    ],
    sender_refused: [
      refusal(403, 'Verified domain does not match domain in From address of email'),
      refusal(403, 'Domain DKIM DNS not verified, please complete DKIM Verification'),
    ],
    recipient_refused: [fields({ to: ['contains a blocked address'] })],
    message_refused: [
      fields({ 'attachments.name': ['Extension file type blocked, see Docs'] }),
      refusal(406, 'Invalid request format or content type'),
    ],
  },
  refusal: (text) => fields({ subject: [text] }),
})
