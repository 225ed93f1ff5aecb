import assert from 'node:assert/strict'
import { test } from 'node:test'
import { messageWith, requestOf, testApiProvider } from '../../testing/api-provider.case.test.ts'
import { json } from '../../testing/api-server.case.test.ts'
import {
  documentBase64,
  imageBase64,
  sampleMessage,
} from '../../testing/sample-message.case.test.ts'
import { addressMime } from './message.ts'

const tenant = '5f0f0000-0000-4000-8000-000000000000'
const tokenPath = `/${tenant}/oauth2/v2.0/token`
const accessToken = 'eyJ0eXAi.T0K3N.sig'
const granted = json(200, { token_type: 'Bearer', expires_in: 3599, access_token: accessToken })
const error = (status: number, code: string, message: string) =>
  json(status, { error: { code, message, innerError: { 'request-id': 'x' } } })
const dsnOf = (options = '') =>
  `microsoftgraph+api://APP:S3CR3T-value@HOST?tenantId=${tenant}&authEndpoint=HOST${options}`

testApiProvider({
  provider: 'microsoftgraph',
  dsn: dsnOf(),
  secrets: ['S3CR3T-value', accessToken],
  endpoints: {
    'microsoftgraph+api://A:S@default?tenantId=contoso.onmicrosoft.com':
      'https://graph.microsoft.com',
    'microsoftgraph+api://A:S@default?tenantId=t&noSave=1': 'https://graph.microsoft.com',
    'microsoftgraph+api://A:S@graph.microsoft.us?tenantId=t&authEndpoint=login.microsoftonline.us':
      'https://graph.microsoft.us',
  },
  incomplete: {
    'microsoftgraph+api://default?tenantId=t': /application \(client\) id/,
    'microsoftgraph+api://A@default?tenantId=t': /client secret/,
    'microsoftgraph+api://A:S@default': /tenantId must be/,
    'microsoftgraph+api://A:S@default?tenantId=..%2Fx': /tenantId must be/,
    'microsoftgraph+api://A:S@graph.microsoft.us?tenantId=t': /needs the option authEndpoint/,
    'microsoftgraph+api://A:S@default?tenantId=t&authEndpoint=http%3A%2F%2Fx':
      /authEndpoint must be a host/,
  },
  preliminary({ method, path, headers, body }) {
    if (path !== tokenPath) return undefined
    assert.equal(method, 'POST')
    assert.match(headers['content-type'] ?? '', /^application\/x-www-form-urlencoded\b/)
    const { scope, ...form } = Object.fromEntries(new URLSearchParams(body))
    assert.match(scope ?? '', /^https:\/\/localhost:\d+\/\.default$/)
    assert.deepEqual(form, {
      client_id: 'APP',
      client_secret: 'S3CR3T-value',
      grant_type: 'client_credentials',
    })
    return granted
  },
  checkRequest({ method, path, headers, body }) {
    assert.equal(`${method} ${path}`, 'POST /v1.0/users/sender%40example.com/sendMail')
    assert.equal(headers.authorization, `Bearer ${accessToken}`)
    assert.equal(headers['content-type'], 'text/plain')
    const mime = Buffer.from(body, 'base64').toString()
    const original = Buffer.from(sampleMessage.raw).toString()
    // Exchange sends to the addresses in the header, so it must name the envelope's recipients.
    const own = [
      'To: "Doe, Jane" <jane@example.net>',
      'Cc: Carl <carl@example.net>',
      'Bcc: hidden@example.net',
      '',
    ]
    const others = original.replace(/^To: .*\r\nCc: .*\r\n/m, '')
    assert.equal(mime, own.join('\r\n') + others)
  },
  // https://learn.microsoft.com/graph/api/user-sendmail
  success: { status: 202 },
  messageId: null,
  responses: [
    [
      'a success with a body is none of Graph',
      { status: 202, body: 'Accepted by the proxy' },
      { outcome: 'uncertain', code: 'answer_unreadable' },
    ],
  ],
  refusals: {
    credentials_refused: [
      {
        ...error(403, 'ErrorAccessDenied', 'Access is denied. Check credentials and try again.'),
        hint: /permission Mail\.Send/,
      },
      error(401, 'InvalidAuthenticationToken', 'Access token has expired.'),
    ],
    sender_refused: [
      {
        ...error(404, 'ErrorInvalidUser', "The requested user 'a@example.com' is invalid."),
        hint: /mailbox of this tenant/,
      },
      error(
        403,
        'ErrorSendAsDenied',
        'The user account which was used to submit this request does not have the right to send mail on behalf of the specified sending account.',
      ),
    ],
    recipient_refused: [
      error(400, 'ErrorInvalidRecipients', 'At least one recipient is not valid.'),
    ],
    message_refused: [
      error(400, 'ErrorMimeContentInvalidBase64String', 'Invalid base64 string for MIME content.'),
    ],
    too_large: [error(413, 'RequestEntityTooLarge', 'The request is too large.')],
    quota_exceeded: [
      error(
        400,
        'ErrorExceededMessageLimit',
        'Cannot send mail. The message recipient limit was exceeded.',
      ),
    ],
    throttled: [
      error(429, 'ApplicationThrottled', 'Application is over its MailboxConcurrency limit.'),
    ],
  },
  refusal: (text) => error(400, 'ErrorInvalidRequest', text),
})

test('microsoftgraph: a message that is not saved is sent as parsed fields', async () => {
  const request = await requestOf(
    'microsoftgraph+api://A:S@default?tenantId=t&noSave=true',
    sampleMessage,
    accessToken,
  )
  assert.equal(request.url, 'https://graph.microsoft.com/v1.0/users/sender%40example.com/sendMail')
  assert.equal(request.headers['content-type'], 'application/json')
  assert.deepEqual(JSON.parse(String(request.body)), {
    message: {
      subject: 'Grüße from the test',
      body: { contentType: 'HTML', content: '<p>Schön <img src="cid:logo"></p>\n' },
      from: { emailAddress: { address: 'sender@example.com', name: 'Jürgen' } },
      toRecipients: [{ emailAddress: { address: 'jane@example.net', name: 'Doe, Jane' } }],
      ccRecipients: [{ emailAddress: { address: 'carl@example.net', name: 'Carl' } }],
      bccRecipients: [{ emailAddress: { address: 'hidden@example.net' } }],
      replyTo: [{ emailAddress: { address: 'support@example.com', name: 'Support' } }],
      internetMessageId: '<sample@example.com>',
      internetMessageHeaders: [{ name: 'X-Custom', value: 'kept' }],
      attachments: [
        {
          '@odata.type': '#microsoft.graph.fileAttachment',
          name: 'logo.gif',
          contentType: 'image/gif',
          contentBytes: imageBase64,
          contentId: 'logo',
          isInline: true,
        },
        {
          '@odata.type': '#microsoft.graph.fileAttachment',
          name: 'report.pdf',
          contentType: 'application/pdf',
          contentBytes: documentBase64,
          isInline: false,
        },
      ],
    },
    saveToSentItems: false,
  })
})

test('microsoftgraph: too many headers are refused before a token is fetched', async () => {
  const message = messageWith(...[1, 2, 3, 4, 5, 6].map((index) => `X-Own-${index}: ${index}`))
  const dsn = 'microsoftgraph+api://A:S@default?tenantId=t'
  await assert.rejects(requestOf(`${dsn}&noSave=1`, message), /at most 5 custom headers/)
  await requestOf(dsn, message, accessToken)
})

const jane = 'jane@example.net'
const visible = ['From: a@example.com', `To: Jane\r\n\t<${jane}>`, 'Cc: Carl <CARL@example.net>']

/** Header lines, the recipients of the envelope, and the header lines that Exchange gets. */
for (const [what, header, to, result] of [
  ['names the envelope stays byte for byte', visible, [jane, 'carl@example.net'], visible],
  [
    'does not show a recipient gets a Bcc, and an existing Bcc is removed',
    [`To: ${jane}`, 'bcc: x@example.net,', ' y@example.net', 'Subject: x'],
    [jane, 'hidden@example.net'],
    ['Bcc: hidden@example.net', `To: ${jane}`, 'Subject: x'],
  ],
  [
    'has other addresses loses them, and the others keep their names',
    [
      'From: a@example.com',
      `To: "Doe, Jane" <${jane}>, Other <other@example.net>,`,
      ' =?utf-8?Q?J=C3=BCrgen?= <j@example.net>',
      'Cc: other2@example.net',
      'X-Own: =?utf-8?Q?=C3=BC?=',
    ],
    [jane, 'j@example.net'],
    [
      `To: "Doe, Jane" <${jane}>,`,
      ' =?UTF-8?B?SsO8cmdlbg==?= <j@example.net>',
      'From: a@example.com',
      'X-Own: =?utf-8?Q?=C3=BC?=',
    ],
  ],
  [
    'has an empty group keeps it, and its message goes to hidden recipients',
    ['To: undisclosed-recipients:;', 'Subject: x'],
    [jane],
    [`Bcc: ${jane}`, 'To: undisclosed-recipients:;', 'Subject: x'],
  ],
] as const)
  test(`microsoftgraph: a header that ${what}`, () => {
    const body = ['', 'To: not a header', '']
    const raw = Buffer.from([...header, ...body].join('\r\n'))
    const addressed = addressMime({ envelope: { from: 'a@example.com', to: [...to] }, raw })
    assert.equal(Buffer.from(addressed).toString(), [...result, ...body].join('\r\n'))
  })

test('bytes that are no UTF-8 stay as they are, and a message may have no body', () => {
  const raw = Buffer.from('X-Own: \xfc\r\nBcc: x@example.net\r\nTo: jane@example.net\r\n', 'latin1')
  const result = addressMime({ envelope: { from: 'a@example.com', to: [jane] }, raw })
  assert.deepEqual(
    Buffer.from(result),
    Buffer.from('X-Own: \xfc\r\nTo: jane@example.net\r\n', 'latin1'),
  )
})
