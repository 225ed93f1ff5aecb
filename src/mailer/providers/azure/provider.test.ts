import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import type { HttpRequest } from '../../connect/http-message.ts'
import { Secret } from '../../secret.ts'
import {
  adapterOf,
  jsonBody,
  messageWith,
  requestOf,
  testApiProvider,
} from '../../testing/api-provider.case.test.ts'

import {
  sampleDocument,
  sampleImage,
  sampleMessage,
} from '../../testing/sample-message.case.test.ts'
import { signRequest } from './provider.ts'

const key = 'c2VjcmV0IGFjY2VzcyBrZXkgb2YgdGhlIHRlc3Qh'
const error = (status: number, code: string, message: string) => ({
  status,
  body: JSON.stringify({ error: { code, message } }),
})

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
          contentInBase64: sampleImage.toString('base64'),
          contentId: 'logo',
        },
        {
          name: 'report.pdf',
          contentType: 'application/pdf',
          contentInBase64: sampleDocument.toString('base64'),
        },
      ],
    })
  },
  // https://learn.microsoft.com/rest/api/communication/email/send
  success: {
    status: 202,
    body: JSON.stringify({ id: '8540c0de-899f-5cce-acb5-3ec493af3800', status: 'Running' }),
  },
  messageId: '8540c0de-899f-5cce-acb5-3ec493af3800',
  responses: [
    {
      name: 'a rate limit may come with any status',
      response: {
        ...error(403, 'TooManyRequests', 'The request has been throttled.'),
        headers: { 'retry-after': '60' },
      },
      outcome: 'refused',
      code: 'throttled',
      retryAfterMs: 60_000,
    },
  ],
  refusals: {
    credentials_refused: {
      'a key of another resource': error(401, 'Denied', 'Denied by the resource provider.'),
    },
    sender_refused: {
      'a domain that is not connected': error(
        404,
        'DomainNotLinked',
        'The specified sender domain has not been linked.',
      ),
      'an address that is no sender': error(
        400,
        'BadRequest',
        "Request body validation error. See property 'senderAddress'",
      ),
    },
    recipient_refused: {
      'suppressed recipients': error(
        400,
        'EmailDroppedAllRecipientsSuppressed',
        'Email was dropped because all recipients were suppressed.',
      ),
      'a failed send operation with the status of a success': {
        status: 202,
        body: JSON.stringify({
          id: '8540c0de-899f-5cce-acb5-3ec493af3800',
          status: 'Failed',
          error: { code: 'InvalidEmailAddress', message: 'The email address is invalid.' },
        }),
      },
    },
    message_refused: {
      'an invalid message': error(
        400,
        'BadRequest',
        "Request body validation error. See property 'content'",
      ),
    },
    quota_exceeded: {
      'a blocked subscription': error(
        403,
        'SubscriptionBlocked',
        'All requests from this subscription are blocked due to the sender reputation.',
      ),
    },
  },
  refusal: (text) => error(400, 'BadRequest', text),
})

test('azure: an older version of the API gets no inline attachments', async () => {
  const dsn = 'azure+api://r:a2V5@default?api_version=2023-03-31&disable_tracking=1'
  const request = await requestOf(dsn, sampleMessage)
  assert.match(request.url, /api-version=2023-03-31$/)
  const { attachments, userEngagementTrackingDisabled } = jsonBody(request)
  assert.ok(Array.isArray(attachments) && attachments.length === 2)
  assert.ok(!JSON.stringify(attachments).includes('contentId'))
  assert.equal(userEngagementTrackingDisabled, true)
})

test('azure: "false" switches tracking off no more than a missing option does', async () => {
  const dsn = 'azure+api://r:a2V5@default?disable_tracking=false'
  const body = jsonBody(await requestOf(dsn, messageWith()))
  assert.equal(body['userEngagementTrackingDisabled'], false)
})

test('azure: the limit is fifty recipients', () => {
  assert.equal(adapterOf('azure+api://r:a2V5@default').limits.recipientsMax, 50)
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

test('azure: a body is signed, and the headers that are there stay', () => {
  const signed = signRequest(
    {
      method: 'POST',
      url: 'https://res.communication.azure.com/emails:send?api-version=2023-03-31',
      headers: { 'content-type': 'application/json' },
      body: '{"subject":"x"}',
    },
    {
      accessKey: new Secret('c2VjcmV0IGFjY2VzcyBrZXkgb2YgdGhlIHRlc3Qh'),
      now: new Date('2026-01-31T15:54:35Z'),
    },
  )
  assert.deepEqual(signed.headers, {
    'content-type': 'application/json',
    'x-ms-date': 'Sat, 31 Jan 2026 15:54:35 GMT',
    'x-ms-content-sha256': 'x25pOSknoH2/ZbP1sOsCVDIxGRx23XaK0NATUwvoRUo=',
    authorization: `${prefix}EFsyTd9AbdNS6mzi1nSB71+zRLFu4MrTWqVBKqj4iV4=`,
  })
})
