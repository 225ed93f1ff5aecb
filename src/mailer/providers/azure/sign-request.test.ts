import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HttpRequest } from '../../http/http-exchange.ts'
import { Secret } from '../../secret.ts'
import { signRequest } from './sign-request.ts'

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
