import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { testProviderWebhooks } from '../../testing/provider-webhooks.case.test.ts'
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
const formOf = (events: unknown) =>
  new URLSearchParams({ mandrill_events: JSON.stringify(events) }).toString()

testProviderWebhooks({
  provider: 'mandrill',
  requests: [
    {
      name: 'bounces',
      body: formOf([
        event('hard_bounce', {
          diag: 'smtp;550 5.1.1 No such user',
          bounce_description: 'bad_mailbox',
        }),
        event('soft_bounce', { diag: '', bounce_description: 'mailbox_full' }),
      ]),
      contentType: 'application/x-www-form-urlencoded',
      events: [
        { ...read, type: 'bounced', class: 'hard', reason: 'smtp;550 5.1.1 No such user' },
        { ...read, type: 'bounced', class: 'soft', reason: 'mailbox_full' },
      ],
    },
    {
      name: 'what Mandrill did not try',
      body: formOf([
        event('reject'),
        event('reject', { reject: { reason: 'hard-bounce' } }),
        event('reject', { reject: { reason: 'soft-bounce' } }),
        event('reject', { reject: { reason: 'unsub' } }),
        event('reject', { reject: 'hard-bounce' }),
      ]),
      events: [
        { ...read, type: 'rejected' },
        { ...read, type: 'bounced', class: 'hard', reason: 'hard-bounce' },
        { ...read, type: 'bounced', class: 'soft', reason: 'soft-bounce' },
        { ...read, type: 'rejected', reason: 'unsub' },
        { ...read, type: 'bounced', class: 'hard', reason: 'hard-bounce' },
      ],
    },
    {
      name: 'deliveries, deferrals, complaints and unsubscriptions, and ignores the rest',
      body: formOf([
        event('delivered', { diag: '250 OK' }),
        event('deferral', { diag: '451 Later' }),
        event('spam'),
        event('unsub'),
        event('send'),
        event('open'),
        event('click'),
        {
          type: 'blacklist',
          action: 'add',
          reject: { reason: 'hard-bounce', email: 'x@example.net' },
          ts: 1_795_694_400,
        },
      ]),
      events: [
        { ...read, type: 'delivered', reason: '250 OK' },
        { ...read, type: 'deferred', reason: '451 Later' },
        { ...read, type: 'complained' },
        { ...read, type: 'unsubscribed' },
        { ...read, type: 'ignored' },
        { ...read, type: 'ignored' },
        { ...read, type: 'ignored' },
        {
          ...read,
          type: 'ignored',
          recipient: 'x@example.net',
          providerId: null,
          reason: 'hard-bounce',
        },
      ],
    },
    {
      name: 'a multipart form',
      body: `--Bound\r\nContent-Disposition: form-data; name="mandrill_events"\r\n\r\n${JSON.stringify([event('spam')])}\r\n--Bound--\r\n`,
      contentType: 'multipart/form-data; boundary=Bound',
      events: [{ ...read, type: 'complained' }],
    },
    { name: 'an empty list', body: formOf([]), events: [] },
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
  for (const events of [[event('spam')], JSON.stringify([event('spam')])]) {
    const body = Buffer.from(JSON.stringify({ mandrill_events: events }))
    assert.deepEqual(
      (await mandrillWebhooks.read(body)).map(({ type }) => type),
      ['complained'],
    )
  }
})

test('mandrill: its test of the address is genuine before there is a key, and no event is', async () => {
  const verify = async (events: unknown, signingKey: string | null = null) => {
    const mandrill_events = JSON.stringify(events)
    const headers = { 'x-mandrill-signature': sign('test-webhook', { mandrill_events }) }
    const request = {
      url,
      headers,
      body: Buffer.from(new URLSearchParams({ mandrill_events }).toString()),
    }
    const options = { signingKey, pinned: null, now: 0, fetch }
    return (await mandrillWebhooks.verify?.(request, options))?.isGenuine
  }
  assert.equal(await verify([]), true)
  assert.equal(await verify([], 'key'), true)
  assert.equal(await verify([event('hard_bounce')]), false)
  assert.equal(await verify([event('hard_bounce')], 'key'), false)
})

test('mandrill: every field of the form is signed, in the order of the names', async () => {
  const fields = { mandrill_events: '[]', a: '1', Z: '2' }
  const headers = { 'x-mandrill-signature': sign('key', fields) }
  const verify = async (body: string) => {
    const request = { url, headers, body: Buffer.from(body) }
    const options = { signingKey: 'key', pinned: null, now: 0, fetch }
    return (await mandrillWebhooks.verify?.(request, options))?.isGenuine
  }
  assert.equal(await verify('a=1&mandrill_events=%5B%5D&Z=2'), true)
  assert.equal(await verify('a=1&mandrill_events=%5B%5D&Z=3'), false)
  assert.equal(await verify('a=1&mandrill_events=%5B%5D'), false)
})
