import assert from 'node:assert/strict'
import { isAscii } from 'node:buffer'
import { test } from 'node:test'
import { dkimSign } from 'mailauth/lib/dkim/sign.js'
import { clockAt } from '../../../../test/movable-clock.ts'
import { createMailer } from '../mailer.ts'
import type { Message } from '../message/message.ts'
import { startApiServer } from '../testing/api-server.case.test.ts'
import { createAuthority } from '../testing/certificates.case.test.ts'
import {
  dkimMessages,
  keyOf,
  keysOfAll,
  receivedBytes,
  rsaKey,
  verify,
} from '../testing/dkim-messages.case.test.ts'
import { sendOnce } from '../testing/sample-message.case.test.ts'
import { startScriptedServer } from '../testing/smtp-server.case.test.ts'
import type { DkimKeys, UnsignedMessage } from './dkim-keys.ts'
import { DkimSigner } from './dkim-signer.ts'

const envelope = { from: 'shop@example.com', to: ['jane@example.net'] }

/** Sends messages to an SMTP server, and returns what it received and what was reported. */
async function sendAll(
  messages: readonly Message[],
  { dkim, query = '', extensions = [] }: { dkim?: DkimKeys; query?: string; extensions?: string[] },
): Promise<{ received: Buffer[]; reports: UnsignedMessage[] }> {
  const server = await startScriptedServer({ extensions })
  const reports: UnsignedMessage[] = []
  const keys = dkim && { ...dkim, onUnsigned: (each: UnsignedMessage) => reports.push(each) }
  const transport = createMailer({ dkim: keys, connectionsMax: 1 }).open(
    `smtp://localhost:${server.port}${query}`,
  )
  for (const message of messages) {
    const { outcome, fault } = await transport.send(message)
    assert.equal(outcome, 'accepted', fault?.message)
  }
  await transport.close()
  await server.close()
  return { received: server.received.map(({ data }) => receivedBytes(data)), reports }
}

const messageOf = (text: string): Message => ({ envelope, raw: Buffer.from(text) })

async function sendText(text: string, options: { dkim?: DkimKeys; query?: string }) {
  const { received } = await sendAll([messageOf(text)], { extensions: ['8BITMIME'], ...options })
  return received[0] ?? assert.fail()
}

const shortText = 'From: Shop <shop@example.com>\r\nSubject: Hello\r\n\r\nHello Jane!\r\n'

for (const [algorithm, extensions] of [
  ['ed25519', ['8BITMIME', 'SIZE']],
  ['rsa', []],
] as const)
  test(`another vendor verifies the ${algorithm} signatures, with ${extensions[0] ?? 'no extensions'}, and every other message is sent as it is`, async () => {
    const messages = dkimMessages()
    assert.ok(messages.length >= 200)
    const options = { extensions: [...extensions] }
    const dkim = keysOfAll(algorithm)
    const { received, reports } = await sendAll(messages, { ...options, dkim })
    const { received: unsigned } = await sendAll(messages, options)
    let signed = 0
    for (const [index, { name, raw }] of messages.entries()) {
      const [one = Buffer.alloc(0), other = Buffer.alloc(0)] = [received[index], unsigned[index]]
      const isLong = other
        .toString('latin1')
        .split('\r\n')
        .some((line) => line.length > 998)
      const is8Bit = extensions.length === 0 && !isAscii(raw)
      if (isLong || raw.includes(0) || is8Bit) {
        assert.deepEqual(one, other, name)
        continue
      }
      signed += 1
      assert.match((await verify(one)).join(), /^pass /, name)
      // Nothing but the signature before it was added.
      assert.ok(one.subarray(-other.length).equals(other), name)
    }
    assert.ok(signed >= 80, `${signed}`)
    assert.equal(reports.length, messages.length - signed)
  })

const twoFromDomains = 'From: a@example.com, b@example.net\r\n\r\nä\r\n'
for (const [what, text, options] of [
  ['without keys', shortText, {}],
  ['with dkim=off', shortText, { dkim: keysOfAll(), query: '?dkim=off' }],
  ['of a domain without a key', shortText, { dkim: { find: () => undefined } }],
  ['whose key is of another domain', shortText, { dkim: { find: () => keyOf('other.example') } }],
  ['with two From fields', `From: a@example.com\r\n${shortText}`],
  ['with two From domains', twoFromDomains],
  ['with two domains in a group', 'From: G: a@example.com, b@x.example;\r\n\r\n'],
  ['without From', 'Subject: Hello\r\n\r\nFrom: a@example.com\r\n'],
  ['with an unreadable From', 'From: Shop\r\n\r\nHello\r\n'],
  ['with a second From behind a bare CR', 'From: a@example.com\rFrom: b@x.example\r\n\r\n'],
] as const)
  test(`a message ${what} is sent as it is`, async () => {
    const signed = await sendText(text, options ?? { dkim: keysOfAll() })
    assert.deepEqual(signed, await sendText(text, {}))
  })

for (const [from, domain] of [
  ['Shop <shop@Example.COM>', 'example.com'],
  ['shop@bücher.example', 'xn--bcher-kva.example'],
  ['shop@BÜCHER.example', 'xn--bcher-kva.example'],
  ['"a@evil.example" <shop@example.com>', 'example.com'],
  ['shop@evil.example <shop@example.com>', 'example.com'],
  ['=?utf-8?q?a=40evil=2Eexample?= <shop@example.com>', 'example.com'],
  ['(a@evil.example) shop@example.com', 'example.com'],
  ['"odd user"@example.com', 'example.com'],
  ['Shop <"a@evil.example>"@example.com>', 'example.com'],
  ['Team: a@example.com, b@EXAMPLE.com;', 'example.com'],
  ['One <a@example.com>,\r\n Two <b@example.com>', 'example.com'],
] as const)
  test(`a message from ${JSON.stringify(from)} is signed with the key of ${domain}`, async () => {
    const domains: string[] = []
    const dkim: DkimKeys = {
      find(asked) {
        domains.push(asked)
        return keyOf(asked)
      },
    }
    const received = await sendText(`From: ${from}\r\nSubject: Hello\r\n\r\nHello\r\n`, { dkim })
    assert.deepEqual(await verify(received), [`pass ${domain}`])
    assert.deepEqual(domains, [domain])
  })

const addedFields = ['From: evil@example.net', 'Subject: evil', 'Date: Fri, 27 Nov 2026 11:00:00']

test('another From, Subject or Date makes a signature invalid, and other fields do not', async () => {
  const text = `Date: Fri, 27 Nov 2026 10:00:00 +0000\r\n${shortText}`
  const received = await sendText(text, { dkim: keysOfAll() })
  const withField = (field: string) =>
    verify(Buffer.concat([Buffer.from(`${field}\r\n`), received]))
  for (const field of addedFields)
    assert.match((await withField(field)).join(), /^fail .*bad signature/, field)
  for (const field of ['Received: from a by b', 'X-Mailyard-Id: 7', 'Return-Path: <a@b.example>'])
    assert.deepEqual(await withField(field), ['pass example.com'], field)
  // A server may add what is missing.
  const withoutDate = await sendText(shortText, { dkim: keysOfAll() })
  const added = Buffer.from(`${addedFields[2]}\r\nMessage-ID: <1@x>\r\n`)
  assert.deepEqual(await verify(Buffer.concat([added, withoutDate])), ['pass example.com'])
})

test('fields that servers change, and those meant for Mailyard, are not signed', async () => {
  const fields = [
    'Return-Path: <a@x>',
    'Received: from a',
    'Bcc: b@x',
    'X-Mailyard-Id: 7',
    'Sender: c@x',
    'Content-Transfer-Encoding: 7bit',
    'X-Other: 1',
    'List-Unsubscribe: <https://x.example>',
    'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
  ]
  const received = await sendText(`${fields.join('\r\n')}\r\n${shortText}`, { dkim: keysOfAll() })
  const [, names = ''] = /h=([^;]*)/.exec(received.toString()) ?? []
  assert.deepEqual(names.replace(/\s/g, '').split(':'), [
    'From',
    'From',
    'Subject',
    'Subject',
    'List-Unsubscribe',
    'List-Unsubscribe-Post',
  ])
})

test('the time of a signature is that of the clock, and the size that is announced includes it', async () => {
  const server = await startScriptedServer({ extensions: ['SIZE'] })
  const clock = clockAt(Date.parse('2026-11-27T10:00:00.999Z'))
  const options = { dkim: keysOfAll(), clock }
  await sendOnce(`smtp://localhost:${server.port}`, options, messageOf(shortText))
  await server.close()
  const { data } = server.received[0] ?? assert.fail()
  assert.match(data, /t=1795773600;/)
  const size = /SIZE=(\d+)/.exec(server.commands.join('\n'))?.[1]
  assert.equal(Number(size), receivedBytes(data).length)
})

test('a message with a signature of its domain is signed too, and both are valid', async () => {
  const text = `${shortText}Grüße\r\n`
  const domain = { signingDomain: 'example.com', selector: 'rsa', privateKey: rsaKey }
  const { signatures } = await dkimSign(text, { ...domain, signatureData: [domain] })
  const received = await sendText(signatures + text, { dkim: keysOfAll() })
  assert.deepEqual(await verify(received), ['pass example.com', 'pass example.com'])
})

const wrongKeys: DkimKeys = {
  find: (domain) => ({ ...keyOf(domain, 'ed25519'), privateKey: keyOf(domain, 'rsa').privateKey }),
}

for (const [cause, text, extensions, dkim = keysOfAll()] of [
  ['failed', shortText, [], wrongKeys],
  ['eight_bit', `${shortText}Grüße\r\n`, []],
  ['long_line', `${shortText}${'x'.repeat(999)}\r\n`, ['8BITMIME']],
  ['long_line', `X-Long: ${'x '.repeat(600)}\r\n${shortText}`, ['8BITMIME']],
  ['long_line', `${shortText}a\0b\r\n`, ['8BITMIME']],
] as const)
  test(`a message that is not signed is sent as it is, and reported: ${cause}, ${text.length} characters`, async () => {
    const messages = [messageOf(text)]
    const options = { extensions: [...extensions] }
    const { received, reports } = await sendAll(messages, { ...options, dkim })
    assert.deepEqual({ received, reports: [] }, await sendAll(messages, options))
    const causes = reports.map(({ domain, selector, cause }) => [domain, selector, cause])
    assert.deepEqual(causes, [['example.com', 'ed25519', cause]])
  })

test('a message that only its signature makes too large is sent as it is, and the reason is reported', async () => {
  const text = `${shortText}Grüße\r\n`
  const sizeBytes = Buffer.byteLength(text)
  const extensions = ['8BITMIME', `SIZE ${sizeBytes}`]
  const { received, reports } = await sendAll([messageOf(text)], { dkim: keysOfAll(), extensions })
  assert.deepEqual(received, [Buffer.from(text)])
  assert.match(reports[0]?.reason ?? '', new RegExp(` accepts at most ${sizeBytes}\\.$`))
})

/** Signs a message with a body; returns it as it is sent, and how often others had their turn meanwhile. */
async function signBody(body: string) {
  const raw = Buffer.from(`From: shop@example.com\r\n\r\n${body}`)
  let turns = 0
  const takeTurn = () => {
    turns += 1
    next = setImmediate(takeTurn)
  }
  let next = setImmediate(takeTurn)
  const signer = new DkimSigner(
    keysOfAll(),
    clockAt(() => Date.now()),
  )
  const { head } = await signer.sign({ message: { envelope, raw }, head: '' }, undefined)
  clearImmediate(next)
  const sent = body.replaceAll(/\r?\n|\r/g, '\r\n')
  return { sent: `${head}From: shop@example.com\r\n\r\n${sent}`, turns }
}

test('others have their turn while a long message of line ends or blanks is signed', async () => {
  for (const line of ['\n', '\r', ' \n', ' \r\n', `${' '.repeat(900)}\n`]) {
    const { turns } = await signBody(line.repeat(4_000_000 / line.length))
    assert.ok(turns >= 10, `${JSON.stringify(line.slice(-3))}: ${turns}`)
  }
})

test('a long message is signed right, wherever it is cut', async () => {
  const parts = [' ', '  ', '\t', 'a', '\r\n', ' \r\n', '\n', '\r', 'é']
  for (let seed = 1; seed <= 12; seed += 1) {
    let random = seed
    const next = () => {
      random = (random * 48_271) % 2_147_483_647
      return parts[random % parts.length] ?? ''
    }
    const { sent } = await signBody(Array.from({ length: 500_000 }, next).join(''))
    assert.deepEqual(await verify(Buffer.from(sent)), ['pass example.com'], `seed ${seed}`)
  }
})

test('the API of a provider gets a message unsigned, also as a member beside one over SMTP', async () => {
  const authority = createAuthority()
  const api = await startApiServer(authority.issue({ names: ['localhost'] }))
  api.respondWith({ status: 200, body: '{"id":"1","message_ids":["1"],"success":true}' })
  const smtp = await startScriptedServer({ script: { dot: '421 4.3.2 Closing' } })
  const options = { dkim: keysOfAll(), certificates: [authority.cert] }
  for (const dsn of [
    `mailgun+api://KEY:example.com@${api.host}`,
    `mailtrap+sandbox://TOKEN@${api.host}?inboxId=7`,
  ]) {
    const list = `failover(smtp://localhost:${smtp.port} ${dsn})`
    const { outcome, fault } = await sendOnce(list, options, messageOf(shortText))
    assert.equal(outcome, 'accepted', fault?.message)
  }
  await smtp.close()
  await api.close()
  assert.equal(smtp.received.length, 2)
  for (const { data } of smtp.received)
    assert.deepEqual(await verify(receivedBytes(data)), ['pass example.com'])
  assert.equal(api.requests.length, 2)
  for (const { body } of api.requests) {
    assert.match(body, /Hello Jane!/)
    assert.doesNotMatch(body, /DKIM-Signature/i)
  }
})

test('a test message is signed like every other', async () => {
  const server = await startScriptedServer()
  const options = { from: 'shop@example.com', to: 'jane@example.net' }
  const mailer = createMailer({ dkim: keysOfAll() })
  const report = await mailer.test(`smtp://localhost:${server.port}`, options)
  await server.close()
  assert.ok(report.success)
  const received = receivedBytes(server.received[0]?.data ?? '')
  assert.deepEqual(await verify(received), ['pass example.com'])
})
