import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dkimSign } from 'mailauth/lib/dkim/sign.js'
import PostalMime from 'postal-mime'
import { createMailer } from '../mailer.ts'
import type { Message } from '../message/message.ts'
import { startApiServer } from '../testing/api-server.case.test.ts'
import { createAuthority } from '../testing/certificates.case.test.ts'
import {
  dkimMessages,
  keyOf,
  keysOfAll,
  receivedBytes,
  resolveKey,
  rsaKey,
  verify,
} from '../testing/dkim-messages.case.test.ts'
import { startScriptedServer } from '../testing/smtp-server.case.test.ts'
import type { DkimKeys, UnsignedMessage } from './dkim-keys.ts'

const envelope = { from: 'shop@example.com', to: ['jane@example.net'] }

/** Sends messages to an SMTP server and returns what it received. */
async function sendAll(
  messages: readonly Message[],
  { dkim, query = '', extensions = [] }: { dkim?: DkimKeys; query?: string; extensions?: string[] },
): Promise<Buffer[]> {
  const server = await startScriptedServer({ extensions })
  const transport = createMailer({ dkim, connectionsMax: 1 }).open(
    `smtp://localhost:${server.port}${query}`,
  )
  for (const message of messages) {
    const { outcome, fault } = await transport.send(message)
    assert.equal(outcome, 'accepted', fault?.message)
  }
  await transport.close()
  await server.close()
  return server.received.map(({ data }) => receivedBytes(data))
}

async function sendText(text: string, options: { dkim?: DkimKeys; query?: string }) {
  const [received] = await sendAll([{ envelope, raw: Buffer.from(text) }], options)
  assert.ok(received)
  return received
}

const shortText = 'From: Shop <shop@example.com>\r\nSubject: Hello\r\n\r\nHello Jane!\r\n'

for (const [algorithm, extensions] of [
  ['ed25519', ['8BITMIME', 'SIZE']],
  ['rsa', []],
] as const)
  test(`another vendor verifies the ${algorithm} signatures of all messages, with ${extensions[0] ?? 'no extensions'}`, async () => {
    const messages = dkimMessages()
    assert.ok(messages.length >= 200)
    const dkim = keysOfAll(algorithm)
    const received = await sendAll(messages, { dkim, extensions: [...extensions] })
    for (const [index, { name }] of messages.entries()) {
      const [result, ...others] = await verify(received[index] ?? Buffer.alloc(0))
      assert.match(result ?? 'not signed', /^pass /, name)
      assert.deepEqual(others, [], name)
    }
  })

test('a signed message has lines of at most 998 octets, and parts of 7 bits', async () => {
  const messages = dkimMessages()
  const received = await sendAll(messages, { dkim: keysOfAll() })
  for (const [index, { name }] of messages.entries()) {
    const text = received[index]?.toString('latin1') ?? ''
    assert.doesNotMatch(text, /[\u0080-\u00ff\0]|\r(?!\n)|(?<!\r)\n/, name)
    assert.ok(
      text.split('\r\n').every((line) => line.length <= 998),
      name,
    )
  }
})

test('the content of a message is the same after it was signed', async () => {
  // Line ends become CRLF without a signature, too.
  const messages = dkimMessages()
  const signed = await sendAll(messages, { dkim: keysOfAll() })
  const unsigned = await sendAll(messages, {})
  for (const [index, { name }] of messages.entries()) {
    const [one = Buffer.alloc(0), other = Buffer.alloc(0)] = [signed[index], unsigned[index]]
    // Nothing but the signature before it was added.
    if (one.subarray(-other.length).equals(other)) continue
    assert.deepEqual(await contentOf(one), await contentOf(other), name)
  }
})

async function contentOf(raw: Buffer) {
  const { text, html, subject, from, to, attachments } = await PostalMime.parse(raw, {
    forceRfc822Attachments: true,
  })
  const trimmed = (content?: string) => content?.trimEnd()
  const files = attachments.map(({ mimeType, content }) => [mimeType, bytesOf(content)])
  return { text: trimmed(text), html: trimmed(html), subject, from, to, files }
}

function bytesOf(content: ArrayBuffer | Uint8Array | string): string {
  const bytes = typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content)
  return Buffer.from(bytes).toString('latin1').replaceAll('\r\n', '\n').trimEnd()
}

test('a header that would take long to verify is not verified, and the message is sent as it is', async () => {
  const claim = 'DKIM-Signature: v=1; a=rsa-sha256; d=example.com; s=x; h=From; bh=AA==; b=AA=='
  const folded = `X: y\r\n${' y\r\n'.repeat(40_000)}`
  const text = `${claim}\r\n${folded}${shortText}`
  let lookUps = 0
  const dkim: DkimKeys = {
    ...keysOfAll(),
    async resolver() {
      lookUps += 1
      return []
    },
  }
  assert.deepEqual(await sendText(text, { dkim }), await sendText(text, {}))
  assert.equal(lookUps, 0)
})

for (const [what, text, options] of [
  ['without keys', shortText, {}],
  ['with dkim=off', shortText, { dkim: keysOfAll(), query: '?dkim=off' }],
  ['of a domain without a key', shortText, { dkim: { find: () => undefined } }],
  [
    'whose key is that of another domain',
    shortText,
    { dkim: { find: () => keyOf('other.example') } },
  ],
  ['with two From fields', `From: a@example.com\r\n${shortText}`, { dkim: keysOfAll() }],
  [
    'with two From domains',
    'From: a@example.com, b@example.net\r\n\r\nä\r\n',
    { dkim: keysOfAll() },
  ],
  [
    'with two domains in a group',
    'From: G: a@example.com, b@x.example;\r\n\r\n',
    { dkim: keysOfAll() },
  ],
  ['without From', 'Subject: Hello\r\n\r\nFrom: a@example.com\r\n', { dkim: keysOfAll() }],
  ['with an unreadable From', 'From: Shop\r\n\r\nHello\r\n', { dkim: keysOfAll() }],
  [
    'with a second From behind a bare CR',
    'From: a@example.com\rFrom: b@x.example\r\n\r\n',
    { dkim: keysOfAll() },
  ],
] as const)
  test(`a message ${what} is sent as it is`, async () => {
    const signed = await sendText(text, options)
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

test('a message whose signing fails is sent as it is, and the reason is reported', async () => {
  const reports: UnsignedMessage[] = []
  const wrongKeys: DkimKeys = {
    find: (domain) => ({ ...keyOf(domain, 'rsa'), algorithm: 'ed25519' }),
    onUnsigned: (report) => reports.push(report),
  }
  const received = await sendText(shortText, { dkim: wrongKeys })
  assert.deepEqual(received, await sendText(shortText, {}))
  assert.deepEqual(reports, [
    {
      domain: 'example.com',
      selector: 'rsa',
      reason: 'The key is no private key of the algorithm ed25519.',
    },
  ])
})

const addedFields = [
  'From: evil@example.net',
  'Subject: evil',
  'Date: Fri, 27 Nov 2026 11:00:00 +0000',
]

test('another From, Subject or Date makes a signature invalid, and other fields do not', async () => {
  const text = `Date: Fri, 27 Nov 2026 10:00:00 +0000\r\n${shortText}`
  const received = await sendText(text, { dkim: keysOfAll() })
  const withField = (field: string) =>
    verify(Buffer.concat([Buffer.from(`${field}\r\n`), received]))
  for (const field of addedFields)
    assert.match((await withField(field)).join(), /^fail .*bad signature/, field)
  for (const field of ['Received: from a by b', 'X-Mailyard-Id: 7', 'Return-Path: <a@b.example>'])
    assert.deepEqual(await withField(field), ['pass example.com'], field)
})

test('a Date and a Message-ID that a server adds do no harm', async () => {
  const received = await sendText(shortText, { dkim: keysOfAll() })
  const added = Buffer.from('Date: Fri, 27 Nov 2026 10:00:00 +0000\r\nMessage-ID: <1@x>\r\n')
  assert.deepEqual(await verify(Buffer.concat([added, received])), ['pass example.com'])
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

test('the time of a signature is that of the clock', async () => {
  const server = await startScriptedServer()
  const clock = { now: () => Date.parse('2026-11-27T10:00:00.999Z') }
  const mailer = createMailer({ dkim: keysOfAll(), clock })
  const transport = mailer.open(`smtp://localhost:${server.port}`)
  await transport.send({ envelope, raw: Buffer.from(shortText) })
  await transport.close()
  await server.close()
  assert.match(server.received[0]?.data ?? '', /t=1795773600;/)
})

/** Signs a message, and makes a transport of its domain's keys that answers DNS in another way. */
async function signAgain(change: (signed: string) => string, resolver = resolveKey) {
  const signed = await sendText(shortText, { dkim: keysOfAll('rsa') })
  const text = change(signed.toString())
  const dkim = { ...keysOfAll('ed25519'), resolver }
  return { text, received: await sendText(text, { dkim }) }
}

test('a message with a valid signature of its domain is sent as it is', async () => {
  const { text, received } = await signAgain((signed) => signed)
  assert.equal(received.toString(), text)
})

test('a message with a valid signature stays as it is although others would encode its 8-bit text', async () => {
  const text = `${shortText}Grüße\r\n${'long '.repeat(300)}\r\n`
  const domain = { signingDomain: 'example.com', selector: 'rsa', privateKey: rsaKey }
  const { signatures } = await dkimSign(text, { ...domain, signatureData: [domain] })
  const received = await sendText(signatures + text, { dkim: keysOfAll() })
  assert.deepEqual(await verify(received), ['pass example.com'])
  assert.equal(received.toString(), signatures + text)
})

test('only the first message waits for the DNS of a domain that does not answer, and it is asked again a minute later', async () => {
  const signed = await sendText(shortText, { dkim: keysOfAll('rsa') })
  // The body is right, so that the key is needed to see that the signature is not valid.
  const text = signed.toString().replace('Subject: Hello', 'Subject: Hi')
  let now = Date.parse('2026-11-27T10:00:00Z')
  let lookUps = 0
  const resolver = (name: string) => {
    lookUps += 1
    return lookUps === 1 ? new Promise<never>(() => undefined) : resolveKey(name)
  }
  const server = await startScriptedServer()
  const mailer = createMailer({ dkim: { ...keysOfAll(), resolver }, clock: { now: () => now } })
  const transport = mailer.open(`smtp://localhost:${server.port}`)
  const counts: number[] = []
  for (const passedMs of [0, 0, 59_000, 1_000]) {
    now += passedMs
    await transport.send({ envelope, raw: Buffer.from(text) })
    counts.push(lookUps)
  }
  await transport.close()
  await server.close()
  assert.deepEqual(counts, [1, 1, 1, 2])
  const [again, ...asTheyWere] = server.received.map(({ data }) => receivedBytes(data)).toReversed()
  assert.equal(asTheyWere.length, 3)
  for (const received of asTheyWere) assert.equal(received.toString(), text)
  assert.equal((await verify(again ?? Buffer.alloc(0)))[0], 'pass example.com')
})

test('a message whose signature cannot be verified now is sent as it is', async () => {
  for (const code of ['ETIMEOUT', 'ESERVFAIL', 'EREFUSED']) {
    const fail = async () => {
      throw Object.assign(new Error('DNS failed.'), { code })
    }
    const { text, received } = await signAgain((signed) => signed, fail)
    assert.equal(received.toString(), text)
  }
})

test('a message with an invalid signature of its domain is signed', async () => {
  const { received } = await signAgain((signed) => signed.replace('Jane', 'John'))
  const [ours, theirs] = await verify(received)
  assert.equal(ours, 'pass example.com')
  assert.match(theirs ?? '', /^fail /)
})

test('a message whose signature has no key in DNS any more is signed', async () => {
  const { received } = await signAgain((signed) => signed.replace('s=rsa', 's=gone'))
  assert.equal((await verify(received))[0], 'pass example.com')
})

test('a message with a valid signature of another domain is signed, too', async () => {
  const list = { signingDomain: 'lists.example', selector: 'rsa', privateKey: rsaKey }
  const { signatures } = await dkimSign(shortText, { ...list, signatureData: [list] })
  const received = await sendText(signatures + shortText, { dkim: keysOfAll() })
  assert.deepEqual(await verify(received), ['pass example.com', 'pass lists.example'])
})

test('a thousand signatures in a message cause no more than three look-ups', async () => {
  let lookUps = 0
  const resolver = async (name: string) => {
    lookUps += 1
    return resolveKey(name)
  }
  const signature = (index: number) =>
    `DKIM-Signature: v=1; a=rsa-sha256; d=example.com; s=s${index}; h=from; bh=x; b=x\r\n`
  const text = Array.from({ length: 1_000 }, (_, index) => signature(index)).join('') + shortText
  const received = await sendText(text, { dkim: { ...keysOfAll(), resolver } })
  assert.equal((await verify(received)).at(0), 'pass example.com')
  assert.ok(lookUps <= 3, `${lookUps} look-ups`)
})

test('each SMTP member of a failover signs what it sends', async () => {
  const refusing = await startScriptedServer({ script: { dot: '421 4.3.2 Closing' } })
  const accepting = await startScriptedServer()
  const mailer = createMailer({ dkim: keysOfAll() })
  const transport = mailer.open(
    `failover(smtp://localhost:${refusing.port} smtp://localhost:${accepting.port})`,
  )
  const { outcome } = await transport.send({ envelope, raw: Buffer.from(shortText) })
  await transport.close()
  assert.equal(outcome, 'accepted')
  for (const server of [refusing, accepting]) {
    const [message] = server.received
    assert.deepEqual(await verify(receivedBytes(message?.data ?? '')), ['pass example.com'])
    await server.close()
  }
})

test('the size that is announced includes the signature', async () => {
  const server = await startScriptedServer({ extensions: ['SIZE'] })
  const transport = createMailer({ dkim: keysOfAll() }).open(`smtp://localhost:${server.port}`)
  await transport.send({ envelope, raw: Buffer.from(shortText) })
  await transport.close()
  await server.close()
  const size = /SIZE=(\d+)/.exec(server.commands.join('\n'))?.[1]
  assert.equal(Number(size), receivedBytes(server.received[0]?.data ?? '').length)
})

test('a message that only its signature makes too large is sent as it is, and the reason is reported', async () => {
  const text = `${shortText}Grüße\r\n`
  const reports: UnsignedMessage[] = []
  const dkim: DkimKeys = { ...keysOfAll(), onUnsigned: (report) => reports.push(report) }
  const messages = [{ envelope, raw: Buffer.from(text) }]
  const sizeBytes = Buffer.byteLength(text)
  const extensions = ['8BITMIME', `SIZE ${sizeBytes}`]
  assert.deepEqual(await sendAll(messages, { dkim, extensions }), [Buffer.from(text)])
  const [report] = reports
  assert.match(
    report?.reason ?? '',
    new RegExp(
      `^The signed message has \\d+ bytes, and the server accepts at most ${sizeBytes}\\.$`,
    ),
  )
})

test('the API of a provider gets a message unsigned, also as a member beside one over SMTP', async () => {
  const authority = createAuthority()
  const api = await startApiServer(authority.issue({ names: ['localhost'] }))
  api.respondWith({ status: 200, body: '{"id":"1","message_ids":["1"],"success":true}' })
  const smtp = await startScriptedServer({ script: { dot: '421 4.3.2 Closing' } })
  const mailer = createMailer({ dkim: keysOfAll(), certificates: [authority.cert] })
  for (const dsn of [
    `mailgun+api://KEY:example.com@${api.host}`,
    `mailtrap+sandbox://TOKEN@${api.host}?inboxId=7`,
  ]) {
    const transport = mailer.open(`failover(smtp://localhost:${smtp.port} ${dsn})`)
    const { outcome, fault } = await transport.send({ envelope, raw: Buffer.from(shortText) })
    await transport.close()
    assert.equal(outcome, 'accepted', fault?.message)
  }
  await smtp.close()
  await api.close()
  assert.equal(smtp.received.length, 2)
  for (const { data } of smtp.received) assert.match(data, /^DKIM-Signature:/)
  assert.equal(api.requests.length, 2)
  for (const { body } of api.requests) {
    assert.match(body, /Hello Jane!/)
    assert.doesNotMatch(body, /DKIM-Signature/i)
  }
})

test('a test message is signed like every other', async () => {
  const server = await startScriptedServer()
  const report = await createMailer({ dkim: keysOfAll() }).test(`smtp://localhost:${server.port}`, {
    from: 'shop@example.com',
    to: 'jane@example.net',
  })
  await server.close()
  assert.ok(report.success)
  assert.deepEqual(await verify(receivedBytes(server.received[0]?.data ?? '')), [
    'pass example.com',
  ])
})
