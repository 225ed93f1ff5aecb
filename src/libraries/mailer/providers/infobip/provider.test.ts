import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readRecipients, testApiProvider } from '../../testing/api-provider.case.test.ts'
import { formParts, json } from '../../testing/api-server.case.test.ts'

const messages = (...list: object[]) =>
  json(200, { bulkId: 'esy82u64261xz8345784', messages: list })
const pending = { groupId: 1, groupName: 'PENDING', id: 7, name: 'PENDING_ENROUTE' }
const rejected = (name: string, description: string) => ({
  to: 'jane@example.net',
  messageId: 'm-2',
  status: { groupId: 5, groupName: 'REJECTED', id: 12, name, description },
})
const refusal = (status: number, messageId: string, text: string, validationErrors?: object) =>
  json(status, { requestError: { serviceException: { messageId, text, validationErrors } } })

testApiProvider({
  provider: 'infobip',
  dsn: 'infobip+api://K3Y-1@HOST',
  secrets: ['K3Y-1'],
  endpoints: {
    'infobip+api://K@abc.api.infobip.com': 'https://abc.api.infobip.com',
  },
  incomplete: {
    'infobip+api://K@default': /its own host/,
    'infobip+api://abc.api.infobip.com': /API key/,
  },
  checkRequest(request) {
    assert.equal(`${request.method} ${request.path}`, 'POST /email/3/send')
    assert.equal(request.headers.authorization, 'App K3Y-1')
    const parts = formParts(request).map(({ head, value }) =>
      head.includes('image/gif') ? [head] : [head, value],
    )
    assert.deepEqual(parts, [
      ['name="from"', 'Jürgen <sender@example.com>'],
      ['name="to"', '"Doe, Jane" <jane@example.net>'],
      ['name="cc"', 'Carl <carl@example.net>'],
      ['name="bcc"', 'hidden@example.net'],
      ['name="preserveRecipients"', 'true'],
      ['name="replyTo"', 'Support <support@example.com>'],
      ['name="subject"', 'Grüße from the test'],
      ['name="text"', 'Schöne Grüße\n'],
      ['name="html"', '<p>Schön <img src="cid:logo"></p>\n'],
      ['name="inlineImage"; filename="logo"\r\nContent-Type: image/gif'],
      [
        'name="attachment"; filename="report.pdf"\r\nContent-Type: application/pdf',
        '%PDF-1.4 not really',
      ],
      ['name="headers"', '{"List-Unsubscribe":"<https://example.com/u?id=1>","X-Custom":"kept"}'],
    ])
  },
  // https://www.infobip.com/docs/api/channels/email/send-fully-featured-email
  success: messages({ to: 'jane@example.net', messageId: 'somexternalMessageId', status: pending }),
  messageId: 'somexternalMessageId',
  refusals: {
    credentials_refused: [refusal(401, 'UNAUTHORIZED', 'Invalid login details')],
    quota_exceeded: [messages(rejected('REJECTED_NOT_ENOUGH_CREDITS', 'Not enough credits'))],
    recipient_refused: [messages(rejected('REJECTED_DESTINATION', 'By Destination'))],
    sender_refused: [
      messages(rejected('REJECTED_SENDER', 'By Sender')),
      refusal(400, 'BAD_REQUEST', 'Bad Request', { from: ['is not a valid address'] }),
    ],
    message_refused: [refusal(400, 'BAD_REQUEST', 'Bad Request', { subject: ['may not be null'] })],
    throttled: [refusal(429, 'TOO_MANY_REQUESTS', 'Too many requests')],
  },
  refusal: (text) => refusal(400, 'BAD_REQUEST', text),
})

test('infobip: each recipient has its own result', () => {
  const accepted = { to: 'carl@example.net', messageId: 'm-3', status: pending }
  const response = messages(rejected('REJECTED_DESTINATION', 'By Destination'), accepted)
  assert.deepEqual(readRecipients('infobip+api://K@abc.api.infobip.com', response), [
    'm-3',
    ['jane@example.net', 'refused', true, 'By Destination'],
  ])
})
