import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jsonBody, messageWith, requestOf } from '../../testing/adapter.case.test.ts'
import { testApiProvider } from '../../testing/api-provider.case.test.ts'
import { sampleMessage } from '../../testing/sample-message.case.test.ts'

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
  },
  isRaw: true,
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
  success: { status: 200, body: JSON.stringify({ MessageId: '0100018c-1' }) },
  messageId: '0100018c-1',
  // https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html#API_SendEmail_Errors
  answers: [
    {
      name: 'an unverified address is a fault of the message',
      answer: refusal(
        400,
        'MessageRejected',
        'Email address is not verified. The following identities failed the check in region US-EAST-1: sender@example.com',
      ),
      outcome: 'refused',
      code: 'sender_refused',
      scope: 'message',
      isPermanent: true,
      hint: /Verify this sender in Amazon SES in the region of the DSN/,
    },
    {
      name: 'a rejected message is a fault of the message, for good',
      answer: refusal(400, 'MessageRejected', 'The message contains a virus.'),
      outcome: 'refused',
      code: 'message_refused',
      scope: 'message',
      isPermanent: true,
    },
    {
      name: 'too many requests are a fault of the member',
      answer: refusal(429, 'TooManyRequestsException', 'Maximum sending rate exceeded.'),
      outcome: 'refused',
      code: 'throttled',
      scope: 'member',
    },
    {
      name: 'a spent daily quota is a fault of the member',
      answer: refusal(429, 'LimitExceededException', 'Daily message quota exceeded.'),
      outcome: 'refused',
      code: 'quota_exceeded',
      scope: 'member',
    },
    {
      name: 'a suspended account is a fault of the member',
      answer: refusal(400, 'AccountSuspendedException', 'Your account is suspended.'),
      outcome: 'refused',
      code: 'quota_exceeded',
      scope: 'member',
      isPermanent: false,
    },
    {
      name: 'a signature that does not match is a fault of the member',
      answer: refusal(403, 'SignatureDoesNotMatch', 'The request signature does not match.'),
      outcome: 'refused',
      code: 'credentials_refused',
      scope: 'member',
      hint: /access key of IAM .* not SMTP credentials; check the region/,
    },
    {
      name: 'a signature of a wrong clock is a fault of the member, and the clock is named',
      answer: refusal(
        403,
        'InvalidSignatureException',
        'Signature expired: 20260131T155435Z is now earlier than 20260131T160435Z',
      ),
      outcome: 'refused',
      code: 'credentials_refused',
      scope: 'member',
      hint: /set the clock of this machine/,
    },
    {
      name: 'an unknown configuration set is a fault of the message',
      answer: refusal(404, 'NotFoundException', 'Configuration set <x> does not exist.'),
      outcome: 'refused',
      scope: 'message',
    },
  ],
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
