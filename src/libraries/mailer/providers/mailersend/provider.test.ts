import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
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
  sampleFields,
} from '../../testing/sample-message.case.test.ts'

const invalid = (field: string, error: string) =>
  json(422, { message: 'The given data was invalid.', errors: { [field]: [error] } })
const warning = (type: string, email: string) => ({
  status: 202,
  headers: { 'x-message-id': '5e42957d51f1d94a1070a733' },
  body: JSON.stringify({
    message: 'There are some warnings for your request.',
    warnings: [
      {
        type,
        message: 'Some of the recipients have been suppressed.',
        recipients: [{ email, name: null, reasons: ['hard_bounced'] }],
      },
    ],
  }),
})

testApiProvider({
  provider: 'mailersend',
  dsn: 'mailersend+api://mlsn.T0KEN@HOST',
  secrets: ['mlsn.T0KEN'],
  endpoints: {
    'mailersend+api://T@default': 'https://api.mailersend.com',
    'mailersend+api://T@default?headers=0': 'https://api.mailersend.com',
    'mailersend+api://T@proxy.example.com:8443': 'https://proxy.example.com:8443',
  },
  incomplete: { 'mailersend+api://default': /API token/ },
  checkRequest: jsonRequest('POST /v1/email', 'authorization: Bearer mlsn.T0KEN', {
    ...sampleFields,
    reply_to: { email: 'support@example.com', name: 'Support' },
    attachments: [
      { filename: 'logo.gif', content: imageBase64, disposition: 'inline', id: 'logo' },
      { filename: 'report.pdf', content: documentBase64, disposition: 'attachment' },
    ],
    tags: ['welcome'],
    headers: [{ name: 'X-Custom', value: 'kept' }],
    list_unsubscribe: 'https://example.com/u?id=1',
  }),
  // https://developers.mailersend.com/api/v1/email.html#send-an-email
  success: { status: 202, headers: { 'x-message-id': '5e42957d51f1d94a1070a733' }, body: '' },
  messageId: '5e42957d51f1d94a1070a733',
  // https://developers.mailersend.com/general.html#validation-errors
  refusals: {
    recipient_refused: [
      warning('ALL_SUPPRESSED', 'jane@example.net'),
      invalid('to.0.email', 'The to.0.email must be a valid email address.'),
    ],
    credentials_refused: [json(401, { message: 'Unauthenticated.' })],
    sender_refused: [
      invalid(
        'from.email',
        'The from.email domain must be verified in your account to send emails. #MS42207',
      ),
    ],
    quota_exceeded: [
      invalid('to', 'You have reached trial account unique recipients limit. #MS42225'),
    ],
    message_refused: [
      invalid('subject', 'The subject field is required when template id is not present.'),
      invalid('subject', 'The limit:\nat most 998 characters.'),
    ],
    server_fault: [json(421, { message: "Service isn't available" })],
  },
  refusal: (text) => invalid('subject', text),
})

test('mailersend: a suppressed recipient has its own result', () => {
  const response = warning('SOME_SUPPRESSED', 'carl@example.net')
  assert.deepEqual(readRecipients('mailersend+api://T@default', response), [
    '5e42957d51f1d94a1070a733',
    ['carl@example.net', 'refused', true, 'The recipient is suppressed: hard_bounced.'],
  ])
})

test('mailersend: headers that it has parameters for become those', async () => {
  const message = messageWith(
    'In-Reply-To: <a@example.net>',
    'References: <a@example.net>',
    ' <b@example.net>',
    'Precedence: bulk',
    'List-Unsubscribe: <mailto:u@example.com>, <https://example.com/u>',
    'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
  )
  const body = jsonBody(await requestOf('mailersend+api://T@default', message))
  assert.ok(!('headers' in body))
  assert.partialDeepStrictEqual(body, {
    references: ['a@example.net', 'b@example.net'],
    in_reply_to: 'a@example.net',
    precedence_bulk: true,
    list_unsubscribe: 'https://example.com/u',
  })
})

test('mailersend: headers=0 leaves custom headers out', async () => {
  const message = messageWith('X-Custom: x', 'List-Unsubscribe: <https://example.com/u>')
  const body = jsonBody(await requestOf('mailersend+api://T@default?headers=0', message))
  assert.ok(!('headers' in body) && !('list_unsubscribe' in body))
})
