import assert from 'node:assert/strict'
import { sign } from 'node:crypto'
import { test } from 'node:test'
import { type VerifyOptions, WebhookError } from '../../events/provider-webhooks.ts'
import { createSelfSigned } from '../../testing/certificates.case.test.ts'
import {
  ignored,
  means,
  testProviderWebhooks,
  unread,
  type WebhookCase,
} from '../../testing/provider-webhooks.case.test.ts'
import { sesWebhooks } from './webhooks.ts'

const mail = {
  timestamp: '2026-11-26T11:59:00.000Z',
  messageId: '0102019ac0ffee00-1234-000000',
  destination: ['jane@example.net', 'carl@example.net'],
  headers: [
    { name: 'From', value: 'shop@example.com' },
    { name: 'Message-ID', value: '<7.1@example.com>' },
  ],
  commonHeaders: { messageId: '<7.1@example.com>' },
}
const read = {
  recipient: 'jane@example.net',
  providerId: '0102019ac0ffee00-1234-000000',
  otherIds: ['<7.1@example.com>'],
  at: Date.parse('2026-11-26T12:00:01.500Z'),
  eventId: '19ba9823-d7f2-53c1-860e-cb10e0d13dfc',
}
const envelope = (message: unknown) => ({
  Type: 'Notification',
  MessageId: '19ba9823-d7f2-53c1-860e-cb10e0d13dfc',
  TopicArn: 'arn:aws:sns:eu-west-1:1234567890:ses',
  Message: typeof message === 'string' ? message : JSON.stringify(message),
  Timestamp: '2026-11-26T12:00:01.500Z',
})
const noon = '2026-11-26T12:00:00.000Z'
const bounce = (bounceType: string, bounceSubType: string, more = {}) => ({
  notificationType: 'Bounce',
  mail,
  bounce: {
    bounceType,
    bounceSubType,
    bouncedRecipients: [
      { emailAddress: 'Jane <jane@example.net>', diagnosticCode: 'smtp; 550 5.1.1 No' },
    ],
    timestamp: noon,
    feedbackId: '0102-feedback',
    ...more,
  },
})
const bounced = { ...read, reason: 'smtp; 550 5.1.1 No', eventId: '0102-feedback' }
const complaint = (more: object) => ({
  eventType: 'Complaint',
  mail,
  complaint: { complainedRecipients: [{ emailAddress: 'jane@example.net' }], ...more },
})

testProviderWebhooks({
  provider: 'ses',
  read,
  requests: [
    [
      envelope(
        bounce('Permanent', 'General', {
          bouncedRecipients: mail.destination.map((emailAddress) => ({ emailAddress })),
        }),
      ),
      ...mail.destination.map((recipient) => ({
        ...means.hard('Permanent: General'),
        recipient,
        eventId: '0102-feedback',
      })),
    ],
    ...(
      [
        ['Permanent', 'NoEmail', 'bounced', 'hard'],
        ['Permanent', 'OnAccountSuppressionList', 'bounced', 'hard'],
        ['Permanent', 'UnsubscribedRecipient', 'rejected', null],
        ['Transient', 'MailboxFull', 'bounced', 'soft'],
        ['Undetermined', 'Undetermined', 'bounced', 'soft'],
      ] as const
    ).map(
      ([type, subType, meaning, severity]): WebhookCase => [
        envelope(bounce(type, subType)),
        { ...bounced, type: meaning, class: severity },
      ],
    ),
    [
      envelope(complaint({ complaintFeedbackType: 'abuse', feedbackId: '0102-feedback' })),
      { type: 'complained', reason: 'abuse', eventId: '0102-feedback' },
    ],
    // What is no wish of the recipient.
    [envelope(complaint({ complaintFeedbackType: 'virus' })), { type: 'ignored', reason: 'virus' }],
    // What SES did not try because of an earlier complaint.
    [
      envelope(complaint({ complaintSubType: 'OnAccountSuppressionList' })),
      means.rejected('OnAccountSuppressionList'),
    ],
    [
      {
        eventType: 'Delivery',
        mail,
        delivery: { timestamp: noon, recipients: ['jane@example.net'], smtpResponse: '250 OK' },
      },
      { type: 'delivered', reason: '250 OK', at: Date.parse(noon), eventId: null },
    ],
    [
      envelope({
        eventType: 'DeliveryDelay',
        mail,
        deliveryDelay: {
          delayType: 'MailboxFull',
          delayedRecipients: [
            { emailAddress: 'jane@example.net', diagnosticCode: 'smtp; 452 4.2.2 Full' },
          ],
        },
      }),
      means.deferred('smtp; 452 4.2.2 Full'),
    ],
    [
      envelope({ eventType: 'Reject', mail, reject: { reason: 'Bad content' } }),
      means.rejected('Bad content'),
      { type: 'rejected', reason: 'Bad content', recipient: 'carl@example.net' },
    ],
    // An unsubscription from everything, and none from one topic.
    [
      envelope({
        eventType: 'Subscription',
        mail: { ...mail, destination: ['jane@example.net'] },
        subscription: { newTopicPreferences: { unsubscribeAll: true } },
      }),
      'unsubscribed',
    ],
    ...ignored(
      (eventType) => envelope({ eventType, mail: { ...mail, destination: ['jane@example.net'] } }),
      ...['Send', 'Open', 'Click', 'Received', 'constructor'],
    ),
    ...[
      // The words of SES to a new topic.
      envelope('Successfully validated SNS topic for Amazon SES event publishing.'),
      { ...envelope('You have chosen to subscribe …'), Type: 'SubscriptionConfirmation' },
    ].map(
      (body): WebhookCase => [
        body,
        { ...unread, type: 'ignored', at: read.at, eventId: read.eventId },
      ],
    ),
  ],
  signing: 'apart',
})

const now = Date.now()
const certificate = createSelfSigned({ names: ['sns.amazonaws.com'] })
const topic = 'arn:aws:sns:eu-west-1:1234567890:ses'
const certificateUrl = (name: string) =>
  `https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-${name}.pem`

/** Hosts at Amazon that its customers fill: a bucket may be called "sns". */
const bucketHosts = [
  'sns.s3.amazonaws.com',
  'sns.s3-us-west-2.amazonaws.com',
  'sns.s3-website-us-east-1.amazonaws.com',
  'sns.execute-api.amazonaws.com',
  'sns.s3.amazonaws.com.cn',
]

type Message = Record<string, string>

const notification = (name: string): Message => ({
  Type: 'Notification',
  MessageId: '19ba9823',
  TopicArn: topic,
  Subject: 'Amazon SES Email Event Notification',
  Message: '{"eventType":"Send"}\n',
  Timestamp: new Date(now).toISOString(),
  SignatureVersion: '2',
  SigningCertURL: certificateUrl(name),
})
const confirmation = (name: string): Message => ({
  ...notification(name),
  Type: 'SubscriptionConfirmation',
  Token: '2336412f37',
  SubscribeURL: 'https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&Token=2336412f37',
})

/** Signs a message as Amazon documents it. */
function signed(message: Message, key = certificate.key): Message {
  const names =
    message['Type'] === 'Notification'
      ? ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type']
      : ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']
  const text = names
    .filter((name) => message[name] !== undefined)
    .map((name) => `${name}\n${message[name]}\n`)
    .join('')
  const algorithm = message['SignatureVersion'] === '1' ? 'sha1' : 'sha256'
  return { ...message, Signature: sign(algorithm, Buffer.from(text), key).toString('base64') }
}

/** Fetches certificates, and counts. */
class CertificateServer {
  readonly urls: string[] = []
  answer: () => Response | Promise<Response> = () => new Response(certificate.cert)

  readonly fetch: typeof fetch = async (input) => {
    this.urls.push(new Request(input).url)
    return this.answer()
  }
}

async function verify(message: unknown, options: Partial<VerifyOptions> = {}) {
  const body = Buffer.from(typeof message === 'string' ? message : JSON.stringify(message))
  const request = { url: 'https://mail.example.com', headers: {}, body }
  const { fetch } = new CertificateServer()
  return await sesWebhooks.verify?.(request, {
    signingKey: null,
    pinned: null,
    now,
    fetch,
    ...options,
  })
}

const isSigned = async (message: unknown, options?: Partial<VerifyOptions>) =>
  (await verify(message, options))?.isGenuine

test('ses: a message that SNS signed is genuine, in both versions, and names its topic', async () => {
  for (const SignatureVersion of ['1', '2']) {
    const message = signed({ ...notification('a'), SignatureVersion })
    assert.deepEqual(await verify(message), { isGenuine: true, pin: topic })
  }
  const { Subject: _, ...withoutSubject } = notification('a')
  assert.equal(await isSigned(signed(withoutSubject)), true)
})

test('ses: a subscription is confirmed after its signature is verified, at SNS only', async () => {
  assert.deepEqual(await verify(signed(confirmation('a'))), {
    isGenuine: true,
    pin: topic,
    confirmUrl: confirmation('a')['SubscribeURL'],
  })
  const end = signed({ ...confirmation('a'), Type: 'UnsubscribeConfirmation' })
  assert.deepEqual(await verify(end), { isGenuine: true, pin: topic })
  for (const host of ['sns.eu-west-1.amazonaws.com.evil.example', ...bucketHosts]) {
    const SubscribeURL = `https://${host}/?Action=ConfirmSubscription`
    assert.equal(await isSigned(signed({ ...confirmation('a'), SubscribeURL })), false, host)
  }
  assert.equal(await isSigned({ ...signed(confirmation('a')), Token: 'x' }), false)
})

test('ses: a message of another topic than the first is refused', async () => {
  const message = signed(notification('a'))
  assert.equal(await isSigned(message, { pinned: topic }), true)
  assert.equal(await isSigned(message, { pinned: `${topic}-2` }), false)
})

test('ses: what SNS did not sign is refused', async () => {
  const message = signed(notification('a'))
  const other = createSelfSigned({ names: ['sns.amazonaws.com'] })
  const refused: unknown[] = [
    { ...message, Message: '{"eventType":"Bounce"}' },
    { ...message, Subject: 'Other' },
    { ...message, MessageId: 'other' },
    { ...message, TopicArn: 'arn:aws:sns:eu-west-1:666:other' },
    { ...message, Signature: 'AAAA' },
    { ...message, Signature: '' },
    { ...message, SignatureVersion: '3' },
    { ...message, Type: 'Other' },
    signed(notification('a'), other.key),
    notification('a'),
    { eventType: 'Bounce', mail },
    [],
    'null',
    '<html>',
    '',
  ]
  for (const message of refused)
    assert.equal(await isSigned(message), false, JSON.stringify(message))
})

test('ses: a message is refused if it is older than an hour, or of the future', async () => {
  const at = (ms: number) => signed({ ...notification('a'), Timestamp: new Date(ms).toISOString() })
  assert.equal(await isSigned(at(now - 59 * 60_000)), true)
  assert.equal(await isSigned(at(now - 61 * 60_000)), false)
  assert.equal(await isSigned(at(now + 61 * 60_000)), false)
  assert.equal(await isSigned(signed({ ...notification('a'), Timestamp: 'today' })), false)
})

test('ses: a certificate is fetched from SNS only', async () => {
  const server = new CertificateServer()
  for (const SigningCertURL of [
    'http://sns.eu-west-1.amazonaws.com/x.pem',
    'https://evil.example/x.pem',
    'https://sns.eu-west-1.amazonaws.com.evil.example/x.pem',
    'https://evil.example/sns.eu-west-1.amazonaws.com/x.pem',
    'https://sns.eu-west-1.amazonaws.com@evil.example/x.pem',
    'https://user@sns.eu-west-1.amazonaws.com/x.pem',
    'https://sns.eu-west-1.amazonaws.com:8443/x.pem',
    'https://sns.evil.eu-west-1.amazonaws.com/x.pem',
    'https://s3.amazonaws.com/sns.eu-west-1.amazonaws.com/x.pem',
    'https://sns.eu-west-1.amazonaws.com/x',
    'https://sns.eu-west-1.amazonaws.com/?x.pem',
    'x.pem',
    ...bucketHosts.map((host) => `https://${host}/x.pem`),
  ]) {
    const message = signed({ ...notification('a'), SigningCertURL })
    assert.equal(await isSigned(message, server), false, SigningCertURL)
  }
  assert.deepEqual(server.urls, [])
  for (const host of ['cn-north-1.amazonaws.com.cn', 'us-gov-west-1.amazonaws.com']) {
    const SigningCertURL = `https://sns.${host}/x.pem`
    assert.equal(await isSigned(signed({ ...notification('a'), SigningCertURL }), server), true)
  }
})

test('ses: a certificate is fetched once, and again after a failure', async () => {
  const server = new CertificateServer()
  const message = signed(notification('once'))
  for (const answer of [
    () => Promise.reject(new TypeError('fetch failed')),
    () => new Response('', { status: 503 }),
  ]) {
    server.answer = answer
    await assert.rejects(verify(message, server), WebhookError)
  }
  for (const answer of [new Response('', { status: 404 }), new Response('<html>')]) {
    server.answer = () => answer
    assert.equal(await isSigned(message, server), false)
  }
  assert.equal(server.urls.length, 4)
  server.answer = () => new Response(certificate.cert)
  const both = [isSigned(message, server), isSigned(message, server)]
  assert.deepEqual(await Promise.all(both), [true, true])
  assert.equal(await isSigned(message, server), true)
  assert.equal(server.urls.length, 5)
})

test('ses: the number of certificates in memory is limited', async () => {
  const server = new CertificateServer()
  for (let index = 0; index < 40; index++)
    await verify(signed(notification(`many-${index}`)), server)
  await verify(signed(notification('many-39')), server)
  assert.equal(server.urls.length, 40)
  await verify(signed(notification('many-0')), server)
  assert.equal(server.urls.length, 41)
})

test('ses: a certificate that has expired is refused', async () => {
  const server = new CertificateServer()
  const notAfter = new Date(now - 3_600_000)
  const old = createSelfSigned({ names: ['sns.amazonaws.com'], notAfter })
  server.answer = () => new Response(old.cert)
  assert.equal(await isSigned(signed(notification('old'), old.key), server), false)
})
