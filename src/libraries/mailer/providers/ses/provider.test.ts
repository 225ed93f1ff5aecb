import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HttpRequest } from '../../connect/http-message.ts'
import { Secret } from '../../secret.ts'
import {
  jsonBody,
  messageWith,
  requestOf,
  testApiProvider,
} from '../../testing/api-provider.case.test.ts'
import { json } from '../../testing/api-server.case.test.ts'
import { sampleMessage } from '../../testing/sample-message.case.test.ts'
import { signV4 } from './sign-v4.ts'

const refusal = (status: number, type: string, text: string) => ({
  status,
  headers: { 'x-amzn-errortype': `${type}:http://internal.amazon.com/coral/` },
  body: JSON.stringify({ message: text }),
})

testApiProvider({
  provider: 'ses',
  dsn: 'ses+api://AKIDEXAMPLE:S3CRET%2Fx@HOST?region=us-east-1&session_token=T0KEN',
  secrets: ['S3CRET/x', 'S3CRET%2Fx', 'T0KEN'],
  endpoints: {
    'ses://K:S@default': 'https://email.eu-west-1.amazonaws.com',
    'ses+https://K:S@default?region=': 'https://email.eu-west-1.amazonaws.com',
    'ses+api://K:S@default?region=us-east-1': 'https://email.us-east-1.amazonaws.com',
    'ses+api://K:S@localhost:4566': 'https://localhost:4566',
    'mautic+ses+api://K:S@default:465?region=eu-central-1&ratelimit=14':
      'https://email.eu-central-1.amazonaws.com',
    'mautic+ses+api://K:S@default?endpoint=https://ses.example.com/': 'https://ses.example.com',
  },
  incomplete: {
    'ses://default': /access key id/,
    'ses://KEY@default': /secret access key/,
    'ses://K:S@default?region=evil.example.com/': /region/,
    'ses+smtp://U:P@default?tenant=a%20b': /tenant must consist of/,
  },
  checkRequest({ method, path, headers, body }) {
    assert.equal(`${method} ${path}`, 'POST /v2/email/outbound-emails')
    assert.equal(headers['x-amz-date'], '20260131T155435Z')
    assert.equal(headers['x-amz-security-token'], 'T0KEN')
    assert.match(
      headers.authorization ?? '',
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/20260131\/us-east-1\/ses\/aws4_request, SignedHeaders=accept;content-type;host;x-amz-date;x-amz-security-token, Signature=[0-9a-f]{64}$/,
    )
    assert.deepEqual(JSON.parse(body), {
      Destination: { ToAddresses: sampleMessage.envelope.to },
      Content: { Raw: { Data: Buffer.from(sampleMessage.raw).toString('base64') } },
      EmailTags: [{ Name: 'order', Value: '42' }],
    })
  },
  success: json(200, { MessageId: '0100018c-1' }),
  messageId: '0100018c-1',
  // https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html#API_SendEmail_Errors
  refusals: {
    sender_refused: [
      {
        ...refusal(
          400,
          'MessageRejected',
          'Email address is not verified. The following identities failed the check in region US-EAST-1: sender@example.com',
        ),
        hint: /Verify this sender in Amazon SES in the region of the DSN/,
      },
    ],
    message_refused: [
      refusal(400, 'MessageRejected', 'The message contains a virus.'),
      refusal(404, 'NotFoundException', 'Configuration set <x> does not exist.'),
    ],
    throttled: [refusal(429, 'TooManyRequestsException', 'Maximum sending rate exceeded.')],
    quota_exceeded: [
      refusal(429, 'LimitExceededException', 'Daily message quota exceeded.'),
      refusal(400, 'AccountSuspendedException', 'Your account is suspended.'),
    ],
    credentials_refused: [
      {
        ...refusal(403, 'SignatureDoesNotMatch', 'The request signature does not match.'),
        hint: /access key of IAM .* not SMTP credentials; check the region/,
      },
      {
        ...refusal(
          403,
          'InvalidSignatureException',
          'Signature expired: 20260131T155435Z is now earlier than 20260131T160435Z',
        ),
        hint: /set the clock of this machine/,
      },
    ],
  },
  refusal: (text) => refusal(400, 'BadRequestException', text),
})

test('a list and its topic are read as Symfony and Amazon write them', async () => {
  const topic = { ContactListName: 'news', TopicName: 'offers' }
  for (const [value, expected] of [
    ['contactListName=news; topicName=offers', topic],
    ['contactListName=news;topicName=offers', topic],
    ['news; topic=offers', topic],
    ['news', { ContactListName: 'news' }],
  ] as const) {
    const message = messageWith(`X-SES-LIST-MANAGEMENT-OPTIONS: ${value}`)
    const body = jsonBody(await requestOf('ses+api://K:S@default', message))
    assert.deepEqual(body['ListManagementOptions'], expected, value)
  }
})

test('a message names another tenant than the DSN', async () => {
  const message = messageWith('X-SES-TENANT: b')
  const body = jsonBody(await requestOf('ses+api://K:S@default?tenant=a', message))
  assert.equal(body['TenantName'], 'b')
})

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

const vectors: Vector[] = [
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
    name: 'post-x-www-form-urlencoded',
    request: {
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'Param1=value1',
    },
    signedHeaders: 'content-type;host;x-amz-date',
    signature: 'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
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
