import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestOf, testApiProvider } from '../../testing/api-provider.case.test.ts'

import {
  sampleDocument,
  sampleImage,
  shortMessage,
} from '../../testing/sample-message.case.test.ts'

const refusal = (status: number, ...errors: string[]) => ({
  status,
  body: JSON.stringify({ success: false, errors }),
})

testApiProvider({
  provider: 'mailtrap',
  dsn: 'mailtrap+api://T0KEN-1@HOST',
  secrets: ['T0KEN-1'],
  endpoints: {
    'mailtrap+api://T@default': 'https://send.api.mailtrap.io',
    'mailtrap+api://T@bulk.api.mailtrap.io': 'https://bulk.api.mailtrap.io',
    'mailtrap+sandbox://T@default?inboxId=1': 'https://sandbox.api.mailtrap.io',
  },
  incomplete: {
    'mailtrap+api://default': /API token/,
    'mailtrap+sandbox://T@default': /inboxId/,
    'mailtrap+sandbox://T@default?inboxId=1%2F..': /inboxId/,
  },
  isRaw: false,
  checkRequest({ method, path, headers, body }) {
    assert.equal(`${method} ${path}`, 'POST /api/send')
    assert.equal(headers.authorization, 'Bearer T0KEN-1')
    assert.deepEqual(JSON.parse(body), {
      from: { email: 'sender@example.com', name: 'Jürgen' },
      to: [{ email: 'jane@example.net', name: 'Doe, Jane' }],
      cc: [{ email: 'carl@example.net', name: 'Carl' }],
      bcc: [{ email: 'hidden@example.net' }],
      subject: 'Grüße from the test',
      text: 'Schöne Grüße\n',
      html: '<p>Schön <img src="cid:logo"></p>\n',
      attachments: [
        {
          filename: 'logo.gif',
          type: 'image/gif',
          content: sampleImage.toString('base64'),
          disposition: 'inline',
          content_id: 'logo',
        },
        {
          filename: 'report.pdf',
          type: 'application/pdf',
          content: sampleDocument.toString('base64'),
          disposition: 'attachment',
        },
      ],
      headers: {
        'List-Unsubscribe': '<https://example.com/u?id=1>',
        'X-Custom': 'kept',
        'Reply-To': 'Support <support@example.com>',
      },
      category: 'welcome',
      custom_variables: { order: '42' },
    })
  },
  // https://docs.mailtrap.io/developers/email-sending/transactional
  success: {
    status: 200,
    body: JSON.stringify({
      success: true,
      message_ids: ['0c7fd939-02cf-11ed-88c2-0a58a9feac02'],
    }),
  },
  messageId: '0c7fd939-02cf-11ed-88c2-0a58a9feac02',
  responses: [
    {
      name: 'a wrong token is a fault of the member',
      response: refusal(401, 'Unauthorized'),
      outcome: 'refused',
      code: 'credentials_refused',
      scope: 'member',
    },
    {
      name: 'a token without the permission is a fault of the member',
      response: refusal(403, 'Forbidden'),
      outcome: 'refused',
      code: 'credentials_refused',
      scope: 'member',
    },
    {
      name: 'a foreign domain is a fault of the sender',
      response: refusal(403, 'Sending from domain example.com is not allowed'),
      outcome: 'refused',
      code: 'sender_refused',
      scope: 'message',
      isPermanent: true,
    },
    {
      name: 'an invalid sender is a fault of the sender',
      response: refusal(400, "'from' address is invalid"),
      outcome: 'refused',
      code: 'sender_refused',
      scope: 'message',
    },
    {
      name: 'an invalid recipient is a fault of the recipient, for good',
      response: refusal(400, "'to' address is invalid"),
      outcome: 'refused',
      code: 'recipient_refused',
      scope: 'recipient',
      isPermanent: true,
    },
    {
      name: 'an invalid message is a fault of the message, for good',
      response: refusal(400, "'subject' is required", 'must specify either text or html body'),
      outcome: 'refused',
      code: 'message_refused',
      scope: 'message',
      isPermanent: true,
    },
    {
      name: 'its own error is its own fault',
      response: refusal(500, 'Internal server error'),
      outcome: 'refused',
      code: 'server_fault',
      scope: 'member',
      isPermanent: false,
    },
  ],
  refusal: (text) => refusal(400, text),
})

test('mailtrap: a sandbox is named in the path', async () => {
  const { url } = await requestOf('mailtrap+sandbox://T@default?inboxId=12345', shortMessage)
  assert.equal(url, 'https://sandbox.api.mailtrap.io/api/send/12345')
})
