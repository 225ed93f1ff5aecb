import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  adapterOf,
  jsonBody,
  jsonRequest,
  messageWith,
  readRecipients,
  requestOf,
  testApiProvider,
} from '../../testing/api-provider.case.test.ts'
import { json } from '../../testing/api-server.case.test.ts'
import {
  documentBase64,
  imageBase64,
  sampleAddresses,
  sampleMessage,
} from '../../testing/sample-message.case.test.ts'

const account = '4cdd7bb6-0000-4000-8000-000000000000'
const attachments = [
  {
    base64: true,
    data: imageBase64,
    content_type: 'image/gif',
    file_name: 'logo.gif',
    content_id: 'logo',
  },
  { base64: true, data: documentBase64, content_type: 'application/pdf', file_name: 'report.pdf' },
]
const says = (status: number, message: string) => json(status, { message })
const entry = (email: string, status: string, error?: string) => ({
  object: 'message',
  id: status === 'error' ? null : `<${email.split('@')[0]}-1@example.com>`,
  recipient: { email },
  status,
  error,
})
const taken = (...data: unknown[]) => json(202, { object: 'list', data })

testApiProvider({
  provider: 'ahasend',
  dsn: `ahasend+api://aha-sk-K3Y:${account}@HOST`,
  secrets: ['aha-sk-K3Y', account],
  endpoints: {
    'ahasend+api://aha-sk-K:A@default': 'https://api.ahasend.com',
    'ahasend+api://K@default': 'https://api.ahasend.com',
    'ahasend+api://K@example.com:99': 'https://example.com:99',
  },
  incomplete: {
    'ahasend+api://default': /API key/,
    'ahasend+api://aha-sk-K@default': /account id in the password part/,
    'ahasend+api://K:a%2Fb@default': /must be the account id/,
  },
  checkRequest: jsonRequest(
    `POST /v2/accounts/${account}/messages/conversation`,
    'authorization: Bearer aha-sk-K3Y',
    {
      ...sampleAddresses,
      reply_to: { email: 'support@example.com', name: 'Support' },
      subject: 'Grüße from the test',
      text_content: 'Schöne Grüße\n',
      html_content: '<p>Schön <img src="cid:logo"></p>\n',
      attachments,
      headers: { 'List-Unsubscribe': '<https://example.com/u?id=1>', 'X-Custom': 'kept' },
      tags: ['welcome'],
    },
  ),
  // https://ahasend.com/docs/api-reference/messages/create-conversation
  success: taken(entry('jane@example.net', 'queued')),
  messageId: '<jane-1@example.com>',
  refusals: {
    recipient_refused: [taken(entry('jane@example.net', 'error', 'recipient is suppressed'))],
    credentials_refused: [
      says(401, 'invalid API key'),
      says(403, 'insufficient scopes'),
      says(404, 'account not found'),
    ],
    sender_refused: [says(403, 'domain is not yours')],
    message_refused: [says(400, 'subject is required')],
    server_fault: [says(409, 'a request with this idempotency key is in progress')],
  },
  refusal: (text) => says(400, text),
})

test('ahasend: a refused recipient has its own result', () => {
  const error = 'recipient is suppressed'
  const response = taken(
    entry('jane@example.net', 'queued'),
    entry('carl@example.net', 'error', error),
  )
  assert.deepEqual(readRecipients('ahasend+api://K:A@default', response), [
    '<jane-1@example.com>',
    ['carl@example.net', 'refused', true, error],
  ])
})

test('ahasend: several reply addresses become a header, because the parameter takes one', async () => {
  const message = messageWith('Reply-To: a@example.com, "B, C" <b@example.com>')
  const body = jsonBody(await requestOf('ahasend+api://K:A@default', message))
  assert.equal(body['reply_to'], undefined)
  assert.deepEqual(body['headers'], { 'Reply-To': 'a@example.com, "B, C" <b@example.com>' })
})

test('ahasend: a key without an account speaks the API v1, a message for each recipient', async () => {
  const request = await requestOf('ahasend+api://K3Y@default', sampleMessage)
  assert.equal(request.url, 'https://api.ahasend.com/v1/email/send')
  assert.equal(request.headers['x-api-key'], 'K3Y')
  assert.deepEqual(jsonBody(request), {
    from: { email: 'sender@example.com', name: 'Jürgen' },
    recipients: [
      { email: 'jane@example.net', name: 'Doe, Jane' },
      { email: 'carl@example.net', name: 'Carl' },
      { email: 'hidden@example.net' },
    ],
    content: {
      subject: 'Grüße from the test',
      text_body: 'Schöne Grüße\n',
      html_body: '<p>Schön <img src="cid:logo"></p>\n',
      reply_to: { email: 'support@example.com', name: 'Support' },
      headers: {
        'List-Unsubscribe': '<https://example.com/u?id=1>',
        'X-Custom': 'kept',
        'AhaSend-Tags': 'welcome',
      },
      attachments,
    },
  })
})

// https://ahasend.com/docs/api-reference/v1
test('ahasend: the responses of the API v1 are read', () => {
  const dsn = 'ahasend+api://K@default'
  const read = (status: number, body: unknown) =>
    adapterOf(dsn).readResponse({ headers: {}, ...json(status, body) })
  const text = 'carl@example.net: The email account that you tried to reach does not exist.'
  const failed = { fail_count: 1, failed_recipients: ['carl@example.net'], errors: [text] }
  assert.deepEqual(readRecipients(dsn, json(201, { success_count: 1, ...failed })), [
    null,
    ['carl@example.net', 'refused', true, text],
  ])
  const isAccepted = false
  const none = read(201, { success_count: 0, ...failed })
  assert.deepEqual(none, { isAccepted, text, kind: 'recipient' })
  // Without a kind the status decides: credentials.
  const key = 'invalid credentials'
  assert.deepEqual(read(403, { status: key }), { isAccepted, text: key })
  const domain = 'domain is not yours'
  assert.deepEqual(read(400, { status: domain }), { isAccepted, text: domain, kind: 'sender' })
  assert.equal(read(201, { ok: true }), undefined)
})
