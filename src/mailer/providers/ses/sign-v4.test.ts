import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HttpRequest } from '../../http/http-exchange.ts'
import { Secret } from '../../secret.ts'
import { signV4 } from './sign-v4.ts'

// The keys and the time of every case in AWS's published Signature Version 4 test suite.
const scope = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: new Secret('wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'),
  sessionToken: null,
  region: 'us-east-1',
  service: 'service',
  now: new Date('2015-08-30T12:36:00Z'),
}
const sessionToken =
  'AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA=='

interface Vector {
  name: string
  request: Partial<HttpRequest>
  token?: string
  signedHeaders: string
  signature: string
}

const form = 'application/x-www-form-urlencoded'
const vectors: Vector[] = [
  {
    name: 'get-vanilla',
    request: { method: 'GET' },
    signedHeaders: 'host;x-amz-date',
    signature: '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
  },
  {
    name: 'get-vanilla-query-order-key-case',
    request: { method: 'GET', url: 'https://example.amazonaws.com/?Param2=value2&Param1=value1' },
    signedHeaders: 'host;x-amz-date',
    signature: 'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  },
  {
    name: 'get-header-value-trim',
    request: { method: 'GET', headers: { 'My-Header1': ' value1', 'My-Header2': ' "a   b   c"' } },
    signedHeaders: 'host;my-header1;my-header2;x-amz-date',
    signature: 'acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736',
  },
  {
    name: 'post-vanilla',
    request: {},
    signedHeaders: 'host;x-amz-date',
    signature: '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
  },
  {
    name: 'post-vanilla-query',
    request: { url: 'https://example.amazonaws.com/?Param1=value1' },
    signedHeaders: 'host;x-amz-date',
    signature: '28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11',
  },
  {
    name: 'post-x-www-form-urlencoded',
    request: { headers: { 'Content-Type': form }, body: 'Param1=value1' },
    signedHeaders: 'content-type;host;x-amz-date',
    signature: 'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
  },
  {
    name: 'post-x-www-form-urlencoded-parameters',
    request: { headers: { 'Content-Type': `${form}; charset=utf8` }, body: 'Param1=value1' },
    signedHeaders: 'content-type;host;x-amz-date',
    signature: '1a72ec8f64bd914b0e42e42607c7fbce7fb2c7465f63e3092b3b0d39fa77a6fe',
  },
  {
    name: 'post-sts-header-before',
    request: {},
    token: sessionToken,
    signedHeaders: 'host;x-amz-date;x-amz-security-token',
    signature: '85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead',
  },
]

for (const { name, request, token, signedHeaders, signature } of vectors)
  test(`a request is signed as AWS's published vector ${name} is`, () => {
    const signed = signV4(
      { method: 'POST', url: 'https://example.amazonaws.com/', headers: {}, body: '', ...request },
      { ...scope, sessionToken: token === undefined ? null : new Secret(token) },
    )
    assert.equal(signed.headers['x-amz-date'], '20150830T123600Z')
    assert.equal(
      signed.headers['authorization'],
      `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=${signedHeaders}, Signature=${signature}`,
    )
  })
