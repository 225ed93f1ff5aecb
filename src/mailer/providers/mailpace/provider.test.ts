import assert from 'node:assert/strict'
import { testApiProvider } from '../../testing/api-provider.case.test.ts'
import { sampleDocument, sampleImage } from '../../testing/sample-message.case.test.ts'

const refusal = (status: number, error: string) => ({ status, body: JSON.stringify({ error }) })
const fields = (errors: object) => ({ status: 400, body: JSON.stringify({ errors }) })

testApiProvider({
  provider: 'mailpace',
  dsn: 'mailpace+api://T0KEN-1@HOST',
  secrets: ['T0KEN-1'],
  endpoints: {
    'mailpace+api://T@default': 'https://app.mailpace.com',
    'ohmysmtp+api://T@default': 'https://app.mailpace.com',
  },
  incomplete: { 'mailpace+api://default': /API token/ },
  isRaw: false,
  checkRequest({ method, path, headers, body }) {
    assert.equal(`${method} ${path}`, 'POST /api/v1/send')
    assert.equal(headers['mailpace-server-token'], 'T0KEN-1')
    assert.deepEqual(JSON.parse(body), {
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
        {
          name: 'logo.gif',
          content: sampleImage.toString('base64'),
          content_type: 'image/gif',
          cid: 'cid:logo',
        },
        {
          name: 'report.pdf',
          content: sampleDocument.toString('base64'),
          content_type: 'application/pdf',
        },
      ],
      tags: ['welcome'],
    })
  },
  // https://docs.mailpace.com/reference/responses/
  success: { status: 200, body: JSON.stringify({ id: 123, status: 'pending' }) },
  messageId: '123',
  responses: [
    {
      name: 'a wrong token comes with the status 400 and is a fault of the member',
      response: refusal(400, 'Invalid API Token'),
      outcome: 'refused',
      code: 'credentials_refused',
      scope: 'member',
      isPermanent: false,
    },
    {
      name: 'an organization without a plan is a fault of the member',
      response: refusal(403, 'The organization that owns this domain does not have an active plan'),
      outcome: 'refused',
      code: 'quota_exceeded',
      scope: 'member',
      isPermanent: false,
    },
    {
      name: 'a sender of another domain is a fault of the message',
      response: refusal(403, 'Verified domain does not match domain in From address of email'),
      outcome: 'refused',
      code: 'sender_refused',
      scope: 'message',
      isPermanent: true,
    },
    {
      name: 'a domain without DKIM is a fault of the sender',
      response: refusal(403, 'Domain DKIM DNS not verified, please complete DKIM Verification'),
      outcome: 'refused',
      code: 'sender_refused',
      scope: 'message',
    },
    {
      name: 'a blocked address is a fault of the recipient, for good',
      response: fields({ to: ['contains a blocked address'] }),
      outcome: 'refused',
      code: 'recipient_refused',
      scope: 'recipient',
      isPermanent: true,
    },
    {
      name: 'a forbidden attachment is a fault of the message',
      response: fields({ 'attachments.name': ['Extension file type blocked, see Docs'] }),
      outcome: 'refused',
      code: 'message_refused',
      scope: 'message',
      isPermanent: true,
    },
    {
      name: 'an invalid request is a fault of the message',
      response: refusal(406, 'Invalid request format or content type'),
      outcome: 'refused',
      code: 'message_refused',
      scope: 'message',
    },
  ],
  refusal: (text) => fields({ subject: [text] }),
})
