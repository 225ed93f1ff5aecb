import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import {
  ignored,
  isGenuine,
  means,
  testProviderWebhooks,
  unread,
  type WebhookCase,
} from '../../testing/provider-webhooks.case.test.ts'
import { mailgunWebhooks } from './webhooks.ts'

const signingKey = 'key-0123456789abcdef'
const token = '06c96bafc3f42a66b9edd546347a2fe18dc23461fe80dc52f0'

const signatureOf = (timestamp: string, key = signingKey) =>
  createHmac('sha256', key).update(`${timestamp}${token}`).digest('hex')

const data = {
  id: 'hTWCTD81RtiDN-abc',
  timestamp: 1_795_694_400.25,
  recipient: 'jane@example.net',
  message: { headers: { to: 'Jane <jane@example.net>', 'message-id': '7.1@example.com' } },
}
const read = {
  recipient: 'jane@example.net',
  providerId: '<7.1@example.com>',
  otherIds: ['hTWCTD81RtiDN-abc'],
  at: 1_795_694_400_250,
  eventId: 'hTWCTD81RtiDN-abc',
}
const request = (event: string, more = {}) => ({
  signature: { token, timestamp: '1795694400', signature: 'x' },
  'event-data': { ...data, event, ...more },
})
const failure = (severity: string, reason: string, code: number, message = '') =>
  request('failed', {
    severity,
    reason,
    'delivery-status': { code, message, description: 'Not delivering' },
  })

const formOf = (fields: Record<string, string>) =>
  [...Object.entries({ timestamp: '1795694400', token, signature: 'x', ...fields })]
    .map(
      ([name, value]) =>
        `--Bound\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    )
    .join('')
    .concat('--Bound--\r\n')
const legacy = {
  ...unread,
  recipient: 'jane@example.net',
  providerId: '<7.1@example.com>',
  at: 1_795_694_400_000,
  eventId: token,
}
const legacyFields = { recipient: 'jane@example.net', 'Message-Id': '<7.1@example.com>' }

testProviderWebhooks({
  provider: 'mailgun',
  read,
  requests: [
    [
      request('delivered', { 'delivery-status': { code: 250, message: 'OK' } }),
      means.delivered('OK'),
    ],
    ...(
      [
        ['temporary', 'generic', 452, 'deferred', null],
        ['permanent', 'bounce', 550, 'bounced', 'hard'],
        ['permanent', 'generic', 554, 'bounced', 'soft'],
        ['permanent', 'espblock', 554, 'bounced', 'soft'],
        ['permanent', 'old', 498, 'bounced', 'soft'],
        ['permanent', 'suppress-bounce', 605, 'bounced', 'hard'],
        ['permanent', 'suppress-unsubscribe', 606, 'rejected', null],
        ['permanent', 'suppress-complaint', 607, 'rejected', null],
      ] as const
    ).map(
      ([severity, reason, code, type, severityOfBounce]): WebhookCase => [
        failure(severity, reason, code, code < 600 ? `${code} No` : ''),
        { type, class: severityOfBounce, reason: code < 600 ? `${code} No` : 'Not delivering' },
      ],
    ),
    // A rejection, whose recipient stands in its headers only.
    [
      request('rejected', { recipient: undefined, reject: { reason: 'Sandbox' } }),
      means.rejected('Sandbox'),
    ],
    // A rejection of several recipients, and names none of them.
    [
      request('rejected', {
        recipient: undefined,
        message: { headers: { to: 'a@example.net, b@example.net' } },
      }),
      { type: 'rejected', recipient: null, providerId: null },
    ],
    [request('complained'), 'complained'],
    [request('unsubscribed'), 'unsubscribed'],
    ...ignored(request, 'opened', 'clicked', 'accepted', 'stored', 'constructor'),
    [
      formOf({ ...legacyFields, event: 'bounced', code: '5.1.1', error: 'No such user' }),
      { ...legacy, type: 'bounced', class: 'hard', reason: 'No such user' },
    ],
    [
      `event=complained&recipient=jane%40example.net&message-id=7.1%40example.com&timestamp=1795694400&token=${token}&signature=x`,
      { ...legacy, type: 'complained' },
    ],
    ...(
      [
        ['605', 'hardfail', 'bounced', 'hard'],
        ['607', 'hardfail', 'rejected', null],
        ['550', 'hardfail', 'bounced', 'hard'],
        ['', 'old', 'bounced', 'soft'],
        ['', '', 'rejected', null],
      ] as const
    ).map(
      ([code, reason, type, severity]): WebhookCase => [
        formOf({ ...legacyFields, event: 'dropped', code, reason, description: 'Not delivering' }),
        { ...legacy, type, class: severity, reason: 'Not delivering' },
      ],
    ),
  ],
  signing: {
    signingKey,
    otherKey: 'key-fedcba9876543210',
    sign(body, at) {
      const timestamp = String(Math.floor(at / 1000))
      const signature = signatureOf(timestamp)
      if (!body.startsWith('{'))
        return {
          headers: {},
          body: body
            .replace('1795694400', timestamp)
            .replace(/signature=x/, `signature=${signature}`)
            .replace('name="signature"\r\n\r\nx', `name="signature"\r\n\r\n${signature}`),
        }
      const value = JSON.parse(body)
      return {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...value, signature: { token, timestamp, signature } }),
      }
    },
    ageMsMax: 900_000,
    coversBody: false,
    genuine: { token },
  },
})

test("mailgun: a subaccount's request is genuine by the key of the main account", async () => {
  const timestamp = '1795694400'
  const verify = (signature: object) => {
    const body = JSON.stringify({ signature, 'event-data': {} })
    return isGenuine(mailgunWebhooks, { body }, { key: signingKey, at: 1_795_694_400_000 })
  }
  const signed = { timestamp, token, signature: signatureOf(timestamp, 'key of the subaccount') }
  assert.equal(await verify(signed), false)
  const both = { ...signed, 'parent-signature': signatureOf(timestamp) }
  assert.equal(await verify(both), true)
})

test('mailgun: variables of a message cannot replace the fields of its event', async () => {
  const form = 'event=bounced&event=delivered&timestamp=1&timestamp=1795694400'
  const [event] = await mailgunWebhooks.read(Buffer.from(form))
  assert.equal(event?.type, 'bounced')
  assert.equal(event?.at, 1_795_694_400_000)
})
