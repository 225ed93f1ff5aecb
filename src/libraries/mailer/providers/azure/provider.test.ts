import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import type { HttpRequest } from '../../connect/http-message.ts'
import { Secret } from '../../secret.ts'
import { jsonBody, requestOf, testApiProvider } from '../../testing/api-provider.case.test.ts'
import { json } from '../../testing/api-server.case.test.ts'
import {
  documentBase64,
  imageBase64,
  sampleMessage,
} from '../../testing/sample-message.case.test.ts'
import { signRequest } from './provider.ts'

const key = 'c2VjcmV0IGFjY2VzcyBrZXkgb2YgdGhlIHRlc3Qh'
const error = (status: number, code: string, message: string) =>
  json(status, { error: { code, message } })

testApiProvider({
  provider: 'azure',
  dsn: `azure+api://my-resource:${key}@HOST`,
  secrets: [key],
  endpoints: {
    'azure+api://my-resource:a2V5@default': 'https://my-resource.communication.azure.com',
    'azure://my-resource:a2V5@default?disable_tracking=1':
      'https://my-resource.communication.azure.com',
    'azure+api://my-resource:a2V5@default?api_version=2023-03-31':
      'https://my-resource.communication.azure.com',
    'azure+api://my-resource:a2V5@mail.example.com': 'https://mail.example.com',
  },
  incomplete: {
    'azure+api://default': /name of the Communication Services resource/,
    'azure+api://my-resource@default': /access key/,
    'azure+api://my-resource:not-base64@default': /access key in base64/,
    'azure+api://evil.example.com%2F:a2V5@default': /name of the resource/,
    'azure+api://my-resource:a2V5@default?api_version=latest': /api_version must be a date/,
  },
  checkRequest({ method, path, headers, body }) {
    assert.equal(`${method} ${path}`, 'POST /emails:send?api-version=2025-09-01')
    assert.equal(headers['x-ms-date'], 'Sat, 31 Jan 2026 15:54:35 GMT')
    const hash = createHash('sha256').update(body).digest('base64')
    assert.equal(headers['x-ms-content-sha256'], hash)
    assert.match(
      headers.authorization ?? '',
      /^HMAC-SHA256 SignedHeaders=x-ms-date;host;x-ms-content-sha256&Signature=[\w+/]{43}=$/,
    )
    assert.deepEqual(JSON.parse(body), {
      senderAddress: 'sender@example.com',
      recipients: {
        to: [{ address: 'jane@example.net', displayName: 'Doe, Jane' }],
        cc: [{ address: 'carl@example.net', displayName: 'Carl' }],
        bcc: [{ address: 'hidden@example.net' }],
      },
      replyTo: [{ address: 'support@example.com', displayName: 'Support' }],
      content: {
        subject: 'Grüße from the test',
        plainText: 'Schöne Grüße\n',
        html: '<p>Schön <img src="cid:logo"></p>\n',
      },
      headers: {
        'List-Unsubscribe': '<https://example.com/u?id=1>',
        'X-Custom': 'kept',
        'Message-ID': '<sample@example.com>',
      },
      attachments: [
        {
          name: 'logo.gif',
          contentType: 'image/gif',
          contentInBase64: imageBase64,
          contentId: 'logo',
        },
        { name: 'report.pdf', contentType: 'application/pdf', contentInBase64: documentBase64 },
      ],
    })
  },
  // https://learn.microsoft.com/rest/api/communication/email/send
  success: json(202, { id: '8540c0de-899f-5cce-acb5-3ec493af3800', status: 'Running' }),
  messageId: '8540c0de-899f-5cce-acb5-3ec493af3800',
  responses: [
    [
      'a rate limit may come with any status',
      {
        ...error(403, 'TooManyRequests', 'The request has been throttled.'),
        headers: { 'retry-after': '60' },
      },
      { outcome: 'refused', code: 'throttled', retryAfterMs: 60_000 },
    ],
  ],
  refusals: {
    credentials_refused: [error(401, 'Denied', 'Denied by the resource provider.')],
    sender_refused: [
      error(404, 'DomainNotLinked', 'The specified sender domain has not been linked.'),
      error(400, 'BadRequest', "Request body validation error. See property 'senderAddress'"),
    ],
    recipient_refused: [
      error(
        400,
        'EmailDroppedAllRecipientsSuppressed',
        'Email was dropped because all recipients were suppressed.',
      ),
      json(202, {
        id: '8540c0de-899f-5cce-acb5-3ec493af3800',
        status: 'Failed',
        error: { code: 'InvalidEmailAddress', message: 'The email address is invalid.' },
      }),
    ],
    message_refused: [
      error(400, 'BadRequest', "Request body validation error. See property 'content'"),
    ],
    quota_exceeded: [
      error(
        403,
        'SubscriptionBlocked',
        'All requests from this subscription are blocked due to the sender reputation.',
      ),
    ],
  },
  refusal: (text) => error(400, 'BadRequest', text),
})

test('azure: an older version of the API gets no inline attachments', async () => {
  const dsn = 'azure+api://r:a2V5@default?api_version=2023-03-31'
  const { attachments } = jsonBody(await requestOf(dsn, sampleMessage))
  assert.ok(Array.isArray(attachments) && attachments.length === 2)
  assert.ok(!JSON.stringify(attachments).includes('contentId'))
})

const prefix = 'HMAC-SHA256 SignedHeaders=x-ms-date;host;x-ms-content-sha256&Signature='
const request = (url: string): HttpRequest => ({ method: 'GET', url, headers: {}, body: '' })

// The vectors of Microsoft's own client: communicationKeyCredentialPolicy.spec.ts in
// https://github.com/Azure/azure-sdk-for-js/tree/main/sdk/communication/communication-common
const vectors = {
  'https://example.com/testPath?testQuery=test': 'DGdgwggJWnQyc6EHjR/Vbqg1ES64KpD6U2XwTDDj3tU=',
  'https://example.com/testPath': '+6tWkg3lNKVjQHHmxkdGQcJjUgzclsWTMebnuCz1ngU=',
}

for (const [url, signature] of Object.entries(vectors))
  test(`azure: ${url} is signed as Microsoft's own client signs it`, () => {
    const { headers } = signRequest(request(url), {
      accessKey: new Secret('pw=='),
      now: new Date('2022-04-13T18:09:12.451Z'),
    })
    assert.deepEqual(headers, {
      'x-ms-date': 'Wed, 13 Apr 2022 18:09:12 GMT',
      'x-ms-content-sha256': '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=',
      authorization: `${prefix}${signature}`,
    })
  })
