import { jsonRequest, testApiProvider } from '../../testing/api-provider.case.test.ts'
import { json } from '../../testing/api-server.case.test.ts'
import { documentBase64, imageBase64 } from '../../testing/sample-message.case.test.ts'

const refusal = (status: number, code: number, text: string) =>
  json(status, { ErrorCode: code, Message: text })

testApiProvider({
  provider: 'postmark',
  dsn: 'postmark+api://T0KEN-1@HOST?message_stream=broadcasts',
  secrets: ['T0KEN-1'],
  endpoints: {
    'postmark+api://T@default': 'https://api.postmarkapp.com',
    'postmark+api://T@proxy.example.com:8443': 'https://proxy.example.com:8443',
    'mautic+postmark+api://:T@postmarkapp.com:25?messageStream=x': 'https://api.postmarkapp.com',
  },
  incomplete: { 'postmark+api://default': /server API token/ },
  checkRequest: jsonRequest('POST /email', 'x-postmark-server-token: T0KEN-1', {
    From: 'Jürgen <sender@example.com>',
    To: '"Doe, Jane" <jane@example.net>',
    Cc: 'Carl <carl@example.net>',
    Bcc: 'hidden@example.net',
    ReplyTo: 'Support <support@example.com>',
    Subject: 'Grüße from the test',
    TextBody: 'Schöne Grüße\n',
    HtmlBody: '<p>Schön <img src="cid:logo"></p>\n',
    Headers: [
      { Name: 'List-Unsubscribe', Value: '<https://example.com/u?id=1>' },
      { Name: 'X-Custom', Value: 'kept' },
      { Name: 'Message-ID', Value: '<sample@example.com>' },
      { Name: 'X-PM-KeepID', Value: 'true' },
    ],
    Attachments: [
      { Name: 'logo.gif', ContentType: 'image/gif', Content: imageBase64, ContentID: 'cid:logo' },
      { Name: 'report.pdf', ContentType: 'application/pdf', Content: documentBase64 },
    ],
    Tag: 'welcome',
    Metadata: { order: '42' },
    MessageStream: 'broadcasts',
  }),
  // https://postmarkapp.com/developer/api/email-api
  success: json(200, {
    To: 'jane@example.net',
    SubmittedAt: '2026-01-31T15:54:35.0000000Z',
    MessageID: '0a129aee-e1cd-480d-b08d-4f48548ff48d',
    ErrorCode: 0,
    Message: 'OK',
  }),
  messageId: '0a129aee-e1cd-480d-b08d-4f48548ff48d',
  // https://postmarkapp.com/developer/api/overview#error-codes
  refusals: {
    credentials_refused: [refusal(401, 10, 'Request does not contain a valid Server token.')],
    sender_refused: [
      refusal(422, 400, 'The "From" address is not a Sender Signature on your account.'),
    ],
    recipient_refused: [
      refusal(422, 406, 'You tried to send to recipient(s) that have been marked as inactive.'),
    ],
    quota_exceeded: [refusal(422, 405, 'Your account has run out of credits.')],
    message_refused: [refusal(422, 300, "Invalid 'To' address: 'jane'.")],
    server_fault: [refusal(503, 100, 'The Postmark API is offline for maintenance.')],
  },
  refusal: (text) => refusal(422, 300, text),
})
