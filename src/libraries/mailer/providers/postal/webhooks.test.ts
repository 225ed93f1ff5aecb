import assert from 'node:assert/strict'
import { generateKeyPairSync, sign } from 'node:crypto'
import { test } from 'node:test'
import {
  isGenuine,
  means,
  testProviderWebhooks,
  unread,
} from '../../testing/provider-webhooks.case.test.ts'
import { postalWebhooks } from './webhooks.ts'

const createKeys = () => generateKeyPairSync('rsa', { modulusLength: 2048 })
const keyOf = ({ publicKey }: ReturnType<typeof createKeys>) =>
  publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
const keys = createKeys()
const signed = (algorithm: 'sha1' | 'sha256', body: string) =>
  sign(algorithm, Buffer.from(body), keys.privateKey).toString('base64')

const message = {
  id: 1564,
  token: 'Kmo8CRdjuM7B',
  direction: 'outgoing',
  message_id: '7b095c0e@rp.postal.example.com',
  to: 'jane@example.net',
  from: 'shop@example.com',
}
const read = {
  recipient: 'jane@example.net',
  providerId: '1564',
  otherIds: ['7b095c0e@rp.postal.example.com', 'Kmo8CRdjuM7B'],
  at: 1_795_694_400_500,
  eventId: '0fcc831f-92b9-4e2b-97f2-d873abc77fab',
}
const request = (event: string, payload: object) => ({
  event,
  timestamp: 1_795_694_400.5,
  payload,
  uuid: '0fcc831f-92b9-4e2b-97f2-d873abc77fab',
})
const delivery = (event: string, status: string, output: string | null, details = 'Details') =>
  request(event, { message, status, details, output, time: 0.5 })

testProviderWebhooks({
  provider: 'postal',
  read,
  requests: [
    [delivery('MessageSent', 'Sent', '250 2.0.0 OK\n'), means.delivered('250 2.0.0 OK\n')],
    [delivery('MessageDelayed', 'SoftFail', '451 4.7.1 Later'), means.deferred('451 4.7.1 Later')],
    // A failure with a reply of the server as a hard bounce.
    [
      delivery('MessageDeliveryFailed', 'HardFail', '550 5.1.1 No such user'),
      means.hard('550 5.1.1 No such user'),
    ],
    // A failure without a reply as a rejection.
    [
      delivery('MessageDeliveryFailed', 'HardFail', '', 'Message is likely spam.'),
      means.rejected('Message is likely spam.'),
    ],
    // A message that is held for a person as nothing.
    [
      delivery('MessageHeld', 'Held', null, 'Credential is configured to hold all messages.'),
      { type: 'ignored', reason: 'Credential is configured to hold all messages.' },
    ],
    // A message that is held because of earlier bounces as a hard bounce.
    [
      delivery(
        'MessageHeld',
        'Held',
        '',
        'Recipient (jane@example.net) is on the suppression list (reason: too many hard fails)',
      ),
      means.hard(
        'Recipient (jane@example.net) is on the suppression list (reason: too many hard fails)',
      ),
    ],
    // A message that is held because a person listed the recipient as nothing.
    [
      delivery('MessageHeld', 'Held', '', 'Recipient is on the suppression list (reason: x)'),
      { type: 'ignored', reason: 'Recipient is on the suppression list (reason: x)' },
    ],
    [
      request('MessageBounced', {
        original_message: message,
        bounce: { id: 1600, to: 'x@psrp.postal.example.com', direction: 'incoming' },
      }),
      { type: 'bounced', class: 'soft' },
    ],
    // Clicks, opens, incoming messages and problems of domains as nothing.
    [
      [
        request('MessageLinkClicked', { message, url: 'https://example.com' }),
        request('MessageSent', { message: { ...message, direction: 'incoming' }, status: 'Sent' }),
        request('DomainDNSError', { domain: 'example.com' }),
      ],
      'ignored',
      'ignored',
      { ...unread, type: 'ignored', at: read.at, eventId: read.eventId },
    ],
  ],
  signing: {
    signingKey: keyOf(keys),
    otherKey: keyOf(createKeys()),
    sign: (body) => ({
      body,
      headers: {
        'x-postal-signature': signed('sha1', body),
        'x-postal-signature-256': signed('sha256', body),
      },
    }),
  },
})

test('postal: the signature of older versions counts, unless a newer one is wrong', async () => {
  const verify = (key: string, headers: Record<string, string>) =>
    isGenuine(postalWebhooks, { headers }, { key })
  const older = { 'x-postal-signature': signed('sha1', '{}') }
  const pem = String(keys.publicKey.export({ type: 'spki', format: 'pem' }))
  for (const key of [keyOf(keys), pem, `v=DKIM1; t=s; h=sha256; p=${keyOf(keys)};`])
    assert.equal(await verify(key, older), true, key)
  assert.equal(await verify(pem, { ...older, 'x-postal-signature-256': 'AAAA' }), false)
  assert.equal(await verify(pem, { 'x-postal-signature-256': signed('sha1', '{}') }), false)
})
