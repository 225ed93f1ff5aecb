import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  jsonRequest,
  messageWith,
  requestOf,
  testApiProvider,
} from '../../testing/api-provider.case.test.ts'
import { json } from '../../testing/api-server.case.test.ts'
import { documentBase64, imageBase64 } from '../../testing/sample-message.case.test.ts'

const invalid = (loc: (string | number)[], msg: string) =>
  json(422, { detail: [{ loc, msg, type: 'value_error' }] })

testApiProvider({
  provider: 'sweego',
  dsn: 'sweego+api://K3Y-1@HOST',
  secrets: ['K3Y-1'],
  endpoints: {
    'sweego+api://K@default': 'https://api.sweego.io',
    'sweego+api://K@example.com:99': 'https://example.com:99',
  },
  incomplete: { 'sweego+api://default': /API key/ },
  checkRequest: jsonRequest('POST /send', 'api-key: K3Y-1', {
    channel: 'email',
    provider: 'sweego',
    'campaign-type': 'transac',
    from: { email: 'sender@example.com', name: 'Jürgen' },
    recipients: [{ email: 'jane@example.net', name: 'Doe, Jane' }],
    cc: [{ email: 'carl@example.net', name: 'Carl' }],
    bcc: [{ email: 'hidden@example.net' }],
    'reply-to': { email: 'support@example.com', name: 'Support' },
    subject: 'Grüße from the test',
    'message-txt': 'Schöne Grüße\n',
    'message-html': '<p>Schön <img src="cid:logo"></p>\n',
    attachments: [
      {
        content: imageBase64,
        filename: 'logo.gif',
        disposition: 'inline',
        content_id: 'logo',
        is_related: true,
      },
      { content: documentBase64, filename: 'report.pdf', disposition: 'attachment' },
    ],
    headers: { 'List-Unsubscribe': '<https://example.com/u?id=1>', 'X-Custom': 'kept' },
    'campaign-tags': ['welcome'],
  }),
  // https://learn.sweego.io/docs/sending/send_api
  success: json(200, {
    channel: 'email',
    provider: 'sweego',
    swg_uids: { 'jane@example.net': '02-b1c2' },
    transaction_id: 'f5d1a1b6-0000-4000-8000-000000000000',
  }),
  messageId: 'f5d1a1b6-0000-4000-8000-000000000000',
  refusals: {
    credentials_refused: [json(401, { detail: 'Unauthorized' })],
    sender_refused: [json(403, { detail: 'Domain not allowed' })],
    recipient_refused: [
      invalid(['body', 'recipients', 0, 'email'], 'value is not a valid email address'),
    ],
    message_refused: [invalid(['body', 'subject'], 'field required')],
    server_fault: [json(409, { detail: 'Conflict' })],
  },
  refusal: (text) => invalid(['body', 'subject'], text),
})

test('sweego: a message with too many headers is refused before it is sent', async () => {
  const headers = [1, 2, 3, 4, 5].map((index) => `X-Own-${index}: ${index}`)
  await requestOf('sweego+api://K@default', messageWith(...headers))
  await assert.rejects(
    requestOf('sweego+api://K@default', messageWith(...headers, 'X-Own-6: 6')),
    /at most 5 custom headers; this message has 6 \(X-Own-1, /,
  )
})
