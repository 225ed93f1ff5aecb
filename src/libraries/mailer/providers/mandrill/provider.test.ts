import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  jsonBody,
  messageWith,
  readRecipients,
  requestOf,
  testApiProvider,
} from '../../testing/api-provider.case.test.ts'
import { json } from '../../testing/api-server.case.test.ts'
import { sampleMessage } from '../../testing/sample-message.case.test.ts'

const error = (name: string, code: number, message: string) =>
  json(500, { status: 'error', code, name, message })
const sent = (...recipients: object[]) => json(200, recipients)
const rejected = (reject_reason: string) =>
  sent({ email: 'jane@example.net', status: 'rejected', reject_reason, _id: 'abc123' })

testApiProvider({
  provider: 'mandrill',
  dsn: 'mandrill+api://K3Y-1@HOST',
  secrets: ['K3Y-1'],
  endpoints: {
    'mandrill://K@default': 'https://mandrillapp.com',
    'mandrill+https://K@default': 'https://mandrillapp.com',
    'mandrill+api://K@proxy.example.com:8443': 'https://proxy.example.com:8443',
  },
  incomplete: { 'mandrill+api://default': /API key/ },
  checkRequest({ method, path, body }) {
    assert.equal(`${method} ${path}`, 'POST /api/1.0/messages/send-raw.json')
    const raw = Buffer.from(sampleMessage.raw).toString()
    assert.deepEqual(JSON.parse(body), {
      key: 'K3Y-1',
      raw_message: `X-MC-Tags: welcome\r\nX-MC-Metadata: {"order":"42"}\r\n${raw}`,
      to: sampleMessage.envelope.to,
      async: false,
    })
  },
  // https://mailchimp.com/developer/transactional/api/messages/send-mime-document/
  success: sent({
    email: 'jane@example.net',
    status: 'sent',
    reject_reason: null,
    _id: '111111111111111111111111111111',
  }),
  messageId: '111111111111111111111111111111',
  responses: [
    [
      'a queued message is accepted',
      sent({ email: 'jane@example.net', status: 'queued', _id: 'abc' }),
      { outcome: 'accepted', messageId: 'abc' },
    ],
  ],
  refusals: {
    credentials_refused: [error('Invalid_Key', -1, 'Invalid API key')],
    quota_exceeded: [
      error('PaymentRequired', -2, 'The requested feature requires payment.'),
      rejected('test-mode-limit'),
    ],
    message_refused: [
      error('ValidationError', -2, 'Validation error: {"raw_message":"Please enter a value"}'),
    ],
    server_fault: [error('GeneralError', -99, 'An unexpected error occurred')],
    recipient_refused: [
      rejected('hard-bounce'),
      sent({ email: 'jane@example.net', status: 'invalid', _id: 'abc' }),
    ],
    sender_refused: [rejected('invalid-sender')],
  },
  refusal: (text) => error('GeneralError', -99, text),
})

test('mandrill: each recipient has its own result', () => {
  const response = sent(
    { email: 'a@example.net', status: 'rejected', reject_reason: 'unsub', _id: '1' },
    { email: 'b@example.net', status: 'sent', reject_reason: null, _id: '2' },
    { email: 'c@example.net', status: 'rejected', reject_reason: 'soft-bounce', _id: '3' },
  )
  assert.deepEqual(readRecipients('mandrill://K@default', response), [
    '2',
    ['a@example.net', 'refused', true, 'unsub'],
    ['b@example.net', 'accepted', false, 'sent'],
    ['c@example.net', 'refused', false, 'soft-bounce'],
  ])
})

test('mandrill: labels stay in their headers, whatever is in them', async () => {
  const message = messageWith(
    'X-Tag: =?utf-8?Q?caf=C3=A9=0D=0ABcc:_x@example.org?=',
    'X-Metadata-name: =?utf-8?Q?J=C3=BCrgen?=',
  )
  const request = await requestOf('mandrill://K@default', message)
  const tags = Buffer.from('café Bcc: x@example.org').toString('base64')
  assert.ok(
    String(jsonBody(request)['raw_message']).startsWith(
      `X-MC-Tags: =?UTF-8?B?${tags}?=\r\nX-MC-Metadata: {"name":"J\\u00fcrgen"}\r\nFrom: `,
    ),
  )
})
