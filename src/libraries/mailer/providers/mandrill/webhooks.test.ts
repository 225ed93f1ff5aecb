import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import {
  batchOf,
  isGenuine,
  means,
  testProviderWebhooks,
} from '../../testing/provider-webhooks.case.test.ts'
import { mandrillWebhooks } from './webhooks.ts'

const url = 'https://mail.example.com/webhooks/transports/1/SECRET'
const sign = (key: string, fields: Record<string, string>) =>
  createHmac('sha1', key)
    .update(
      url +
        Object.entries(fields)
          .sort(([one], [other]) => (one < other ? -1 : 1))
          .flat()
          .join(''),
    )
    .digest('base64')

const msg = { ts: 1_795_694_300, email: 'jane@example.net', _id: 'abcdef012345789abcdef012345789' }
const event = (name: string, more = {}) => ({
  event: name,
  _id: msg._id,
  ts: 1_795_694_400,
  msg: { ...msg, ...more },
})
const read = { recipient: 'jane@example.net', providerId: msg._id, at: 1_795_694_400_000 }
const formOf = (events: object[]) =>
  new URLSearchParams({ mandrill_events: JSON.stringify(events) }).toString()

testProviderWebhooks({
  provider: 'mandrill',
  read,
  requests: [
    batchOf(formOf, [
      [
        event('hard_bounce', { diag: 'smtp;550 5.1.1 No', bounce_description: 'bad_mailbox' }),
        means.hard('smtp;550 5.1.1 No'),
      ],
      [
        event('soft_bounce', { diag: '', bounce_description: 'mailbox_full' }),
        means.soft('mailbox_full'),
      ],
      [event('reject'), 'rejected'],
      [event('reject', { reject: { reason: 'hard-bounce' } }), means.hard('hard-bounce')],
      [event('reject', { reject: { reason: 'soft-bounce' } }), means.soft('soft-bounce')],
      [event('reject', { reject: { reason: 'unsub' } }), means.rejected('unsub')],
      [event('reject', { reject: 'hard-bounce' }), means.hard('hard-bounce')],
      [event('delivered', { diag: '250 OK' }), means.delivered('250 OK')],
      [event('deferral', { diag: '451 Later' }), means.deferred('451 Later')],
      [event('spam'), 'complained'],
      [event('unsub'), 'unsubscribed'],
      [event('send'), 'ignored'],
      [event('open'), 'ignored'],
      [event('click'), 'ignored'],
      [
        {
          type: 'blacklist',
          action: 'add',
          reject: { reason: 'hard-bounce', email: 'x@example.net' },
          ts: 1_795_694_400,
        },
        { type: 'ignored', recipient: 'x@example.net', providerId: null, reason: 'hard-bounce' },
      ],
    ]),
    [
      `--Bound\r\nContent-Disposition: form-data; name="mandrill_events"\r\n\r\n${JSON.stringify([event('spam')])}\r\n--Bound--\r\n`,
      'complained',
    ],
    [formOf([])],
  ],
  signing: {
    signingKey: 'abcdefghijklmnop_-12',
    otherKey: 'ponmlkjihgfedcba_-21',
    sign(body) {
      const [, value = ''] = /name="mandrill_events"\r\n\r\n(.*)\r\n--/.exec(body) ?? []
      const events = value === '' ? new URLSearchParams(body).get('mandrill_events') : value
      const signature = sign('abcdefghijklmnop_-12', { mandrill_events: events ?? '' })
      return { body, headers: { 'x-mandrill-signature': signature } }
    },
  },
})

test('mandrill: events in JSON are read, as a list and as a text', async () => {
  for (const mandrill_events of [[event('spam')], JSON.stringify([event('spam')])]) {
    const [read] = await mandrillWebhooks.read(Buffer.from(JSON.stringify({ mandrill_events })))
    assert.equal(read?.type, 'complained')
  }
})

const verify = (fields: Record<string, string>, signature: string, key: string | null) => {
  const headers = { 'x-mandrill-signature': signature }
  return isGenuine(mandrillWebhooks, { headers, body: `${new URLSearchParams(fields)}` }, { key })
}

test('mandrill: its test of the address is genuine before there is a key, and no event is', async () => {
  for (const key of [null, 'key'])
    for (const events of [[], [event('hard_bounce')]]) {
      const fields = { mandrill_events: JSON.stringify(events) }
      const signature = sign('test-webhook', fields)
      assert.equal(await verify(fields, signature, key), events.length === 0)
    }
})

test('mandrill: a form of very many fields is refused before its fields are sorted and signed', async () => {
  const fields = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [index, '']))
  assert.equal(await verify(fields, sign('key', fields), 'key'), false)
  const part = (name: string, value: string) =>
    `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  const parts = `${part('mandrill_events', '[]')}${part('a', '').repeat(2_000)}--x--\r\n`
  for (const body of [`mandrill_events=[]${'&a'.repeat(2_000)}`, parts])
    await assert.rejects(mandrillWebhooks.read(Buffer.from(body)), /fields/)
})

test('mandrill: every field of the form is signed, in the order of the names', async () => {
  const fields = { a: '1', mandrill_events: '[]', Z: '2' }
  const signature = sign('key', fields)
  assert.equal(await verify(fields, signature, 'key'), true)
  assert.equal(await verify({ ...fields, Z: '3' }, signature, 'key'), false)
  assert.equal(await verify({ a: '1', mandrill_events: '[]' }, signature, 'key'), false)
})
