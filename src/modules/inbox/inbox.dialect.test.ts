import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createTransport as createSmtpClient } from 'nodemailer'
import { adminPassword, asAdmin } from '../../../test/administrator.ts'
import { useBrandCallers } from '../../../test/brand-callers.ts'
import { clockAt } from '../../../test/movable-clock.ts'
import { onEachDatabase, onMailyard, type SharedApp } from '../../../test/on-each-database.ts'
import { submitQueued } from '../../../test/queue/submit-queued.ts'
import type { TestApp, TestBody } from '../../../test/test-app.ts'
import type { InboxTables } from './table.ts'

onEachDatabase('inbox://local', { isOwn: true }, (shared) => {
  const callers = useBrandCallers(shared)

  test('a test message is captured, not sent, and reads back', async () => {
    const { service } = shared
    const transport = await addTransport(service, 'inbox://local')
    const url = `/api/multipleTransports/send/test/${transport}`
    const { body } = await service.ask('POST', url, { to: 'ann@example.com' })
    assert.equal(body.success, true)
    const [, id] = /^Captured, not sent: \/api\/inbox\/(\d+)\.$/.exec(body.message) ?? []
    assert.ok(id, body.message)
    assert.deepEqual(stagesOf(body), ['parse ok', 'data ok'])
    const { message } = (await service.ask('GET', `/api/inbox/${id}`)).body
    assert.equal(message.status, 'captured, not sent')
    assert.equal(message.subject, 'Test message')
    assert.equal(message.transportId, transport)
    assert.equal(message.transport, 'Inbox')
    assert.deepEqual(message.recipients, ['ann@example.com'])
    assert.match(message.text, /test message/)
    assert.deepEqual(message.problems, [])
  })

  test('its DSN is explained, and warned of as capturing', async () => {
    const inspect = async (mailerDsn: string) =>
      (await shared.ask('POST', '/api/multipleTransports/dsn/inspect', { mailerDsn })).body
    const alone = await inspect('inbox://local')
    assert.equal(alone.transport.kind, 'inbox')
    assert.match(alone.warnings.join(), /captured, not sent/)
    const member = await inspect('failover(smtp://127.0.0.1:1 inbox://local)')
    assert.match(member.warnings.join(), /captured, not sent/)
    const other = await inspect('inbox://elsewhere')
    assert.equal(other.valid, false)
    assert.match(other.error, /inbox:\/\/local/)
  })

  test('an email to a contact is captured, and its delivery says so', async () => {
    const { service } = shared
    const transport = await addTransport(service, 'inbox://local')
    await service.ask('POST', '/api/multipleTransport/transportEmail/1', { transportId: transport })
    const email = 'jane@example.com'
    const { contact } = await service.askFor('POST', '/api/contacts/new', { email })
    await service.askFor('POST', `/api/emails/1/contact/${contact.id}/send`)
    const { deliveries } = await service.askFor('GET', `/api/deliveries?contactId=${contact.id}`)
    assert.equal(deliveries[0].outcome, 'accepted')
    const [, id] = /Captured, not sent: \/api\/inbox\/(\d+)$/.exec(deliveries[0].reply) ?? []
    assert.equal((await readMessage(service, id)).recipients[0], email)
  })

  test('has the brand of each message; callers with a brand list, read and delete only its messages', async () => {
    const { own, other } = callers
    const transport = await addTransport(shared.service, 'inbox://local')
    const submit = (brand?: number) =>
      submitQueued(shared.service, {
        transport,
        mode: 'direct',
        reply: /^250/,
        mautic: brand === undefined ? undefined : { id: 1_000 + brand, name: 'M', brand },
      })
    for (const brand of [own.brand, other.brand, undefined]) await submit(brand)
    const ofTransport = `/api/inbox?transportId=${transport}`
    const all = (await shared.ask('GET', ofTransport)).body
    const brands = all.messages.map(({ brand }: TestBody) => brand)
    assert.deepEqual(brands, [undefined, other.brand, own.brand])
    const [none, foreign, mine] = all.messages.map(idOf)
    const listOf = async ({ ask }: Pick<typeof own, 'ask'>, filter = '') => {
      const { total, messages } = (await ask('GET', `${ofTransport}${filter}`)).body
      assert.equal(total, messages.length)
      return messages.map(idOf)
    }
    assert.deepEqual(await listOf(own), [mine])
    assert.deepEqual(await listOf(own, `&brand=${other.brand}`), [])
    assert.deepEqual(await listOf(shared, `&brand=${other.brand}`), [foreign])
    for (const part of ['', '/source', '/html'])
      for (const id of [none, foreign]) {
        const hidden = await own.ask('GET', `/api/inbox/${id}${part}`)
        const missing = await own.ask('GET', `/api/inbox/9999999${part}`)
        const expected = missing.text.replaceAll('9999999', String(id))
        assert.deepEqual([hidden.status, hidden.text], [404, expected])
      }
    assert.equal((await own.ask('GET', `/api/inbox/${mine}`)).status, 200)
    assert.equal((await own.ask('DELETE', `/api/inbox/${foreign}`)).status, 404)
    assert.match((await own.ask('DELETE', '/api/inbox')).body.message, /^1 captured message was/)
    assert.deepEqual(await listOf(shared), [none, foreign])
    await submit(own.brand)
    const [again] = await listOf(own)
    assert.equal((await own.ask('DELETE', `/api/inbox/${again}`)).status, 200)
    assert.deepEqual(await listOf(own), [])
  })

  test('a message over SMTP is captured whole: its source comes back byte for byte, as a download', async () => {
    const { service } = shared
    const transport = await addTransport(service, 'inbox://local')
    const server = await service.openSmtpServer()
    const html = '<p onclick="alert(1)">Grüße</p>'
    const client = createSmtpClient({
      host: '127.0.0.1',
      port: server.port ?? 0,
      auth: { user: 'admin', pass: adminPassword },
    })
    const answer = await client.sendMail({
      from: 'shop@example.com',
      to: 'bob@example.com',
      subject: 'Grüße aus dem Postamt',
      html,
      headers: { 'X-Mailyard-Transport': String(transport) },
      attachments: [{ filename: 'bill.pdf', content: Buffer.alloc(300, 0xff) }],
    })
    assert.match(answer.response, /Captured, not sent/)
    const { messages } = (await service.ask('GET', `/api/inbox?transportId=${transport}`)).body
    const message = await readMessage(service, messages[0].id)
    assert.equal(message.subject, 'Grüße aus dem Postamt')
    assert.equal(message.html.trim(), html)
    assert.deepEqual(message.attachments, [
      { filename: 'bill.pdf', contentType: 'application/pdf', sizeBytes: 300, isInline: false },
    ])
    const source = await service.ask('GET', `/api/inbox/${message.id}/source`)
    assert.equal(source.headers['content-type'], 'message/rfc822')
    assert.equal(source.headers['x-content-type-options'], 'nosniff')
    assert.match(String(source.headers['content-disposition']), /^attachment;/)
    assert.equal(Buffer.byteLength(source.text), message.sizeBytes)
    assert.ok(source.text.includes('bill.pdf'))
  })

  test('HTML is a page without scripts, with its own images', async () => {
    const { inbox } = shared.service.app
    const image = Buffer.from('image of the sender')
    const raw = Buffer.from(
      [
        'Subject: parts',
        'Content-Type: multipart/mixed; boundary=a',
        '',
        '--a',
        'Content-Type: text/html; charset=utf-8',
        '',
        '<script>alert(1)</script><img src="cid:logo@x"><img src="cid:none"><p>Grüße</p>',
        '--a',
        'Content-Type: image/png; name="logo.png"',
        'Content-ID: <logo@x>',
        'Content-Transfer-Encoding: base64',
        '',
        image.toString('base64'),
        '--a--',
        '',
      ].join('\r\n'),
    )
    const captured = await inbox.inbox.capture({ envelope, raw }, undefined)
    assert.ok('id' in captured)
    const url = `/api/inbox/${captured.id}`
    const page = await shared.ask('GET', `${url}/html`)
    assert.equal(page.headers['content-type'], 'text/html; charset=utf-8')
    const policy = String(page.headers['content-security-policy'])
    assert.match(policy, /^sandbox; default-src 'none'; .*img-src data:;/)
    assert.ok(page.text.includes(`src="data:image/png;base64,${image.toString('base64')}"`))
    for (const part of ['src="cid:none"', 'Grüße', ':where(html){font-family:'])
      assert.ok(page.text.includes(part), part)
    const remote = await shared.ask('GET', `${url}/html?images=1`)
    assert.match(String(remote.headers['content-security-policy']), /img-src https: data:/)
    const text = await inbox.inbox.capture(messageOf(100), undefined)
    assert.ok('id' in text)
    assert.equal((await shared.ask('GET', `/api/inbox/${text.id}/html`)).status, 404)
  })

  test('while the memory share of a caller is used up, messages are answered 429', async () => {
    const { service } = shared
    const { inbox, memory } = service.app
    const raw = Buffer.concat([Buffer.from('Subject: large\r\n\r\n'), Buffer.alloc(300_000, 'x')])
    const captured = await inbox.inbox.capture({ envelope, raw }, undefined)
    assert.ok('id' in captured)
    const url = `/api/inbox/${captured.id}`
    const share = Math.floor(memory.sizeMax / 2)
    assert.equal(memory.tryAcquire(share, 'user 1'), true)
    const full = await Promise.all(
      [url, `${url}/source`, `${url}/html`].map((path) => service.ask('GET', path)),
    )
    memory.release(share, 'user 1')
    for (const { status } of full) assert.equal(status, 429)
    assert.equal((await service.ask('GET', `${url}/source`)).status, 200)
  })

  test('a large message comes back byte for byte, also under another key', async () => {
    const { service } = shared
    const raw = Buffer.concat([Buffer.from('Subject: a\r\n\r\n'), randomBytes(2_500_000)])
    const captured = await service.app.inbox.inbox.capture({ envelope, raw }, undefined)
    assert.ok('id' in captured)
    const { id } = captured
    assert.equal((await readMessage(service, id)).sizeBytes, raw.byteLength)
    const keyId = await service.app.keyring.rotate()
    assert.deepEqual(await service.app.inbox.inbox.reseal(), [keyId])
    const url = await service.listen()
    const headers = { authorization: asAdmin }
    const source = await fetch(`${url}/api/inbox/${id}/source`, { headers })
    assert.equal(source.headers.get('content-length'), String(raw.byteLength))
    assert.ok(Buffer.from(await source.arrayBuffer()).equals(raw))
    await service.ask('DELETE', `/api/inbox/${id}`)
  })

  test('no stored column holds the text of a captured message', async () => {
    const { service } = shared
    const transport = await addTransport(service, 'inbox://local')
    await capture(service, transport, 'secret@example.com')
    const tables = service.app.storage.tables<InboxTables>()
    const messages = await tables.selectFrom('inbox_messages').selectAll().execute()
    assert.ok(messages.length > 0)
    for (const { source, ...row } of messages) {
      assert.doesNotMatch(Buffer.from(source).toString('latin1'), /test message/i)
      assert.doesNotMatch(JSON.stringify(row), /You received it/)
    }
  })

  test('pages reach each message once, the newest first', async () => {
    const { service } = shared
    const transport = await addTransport(service, 'inbox://local')
    const ids: number[] = []
    for (const name of ['a', 'b', 'c'])
      ids.unshift(await capture(service, transport, `${name}@example.com`))
    const url = `/api/inbox?transportId=${transport}&limit=2`
    const first = (await service.ask('GET', url)).body
    assert.equal(first.total, 3)
    const second = (await service.ask('GET', `${url}&next=${first.next}`)).body
    assert.deepEqual([...first.messages, ...second.messages].map(idOf), ids)
    assert.equal(second.next, null)
    const faulty = await service.ask('GET', '/api/inbox?limit=x&start=y')
    assert.equal(faulty.status, 400)
    assert.deepEqual(Object.keys(faulty.body.details).sort(), ['limit', 'start'])
  })

  test('one message is deleted by its id, and all of them together', async () => {
    const { service } = shared
    const transport = await addTransport(service, 'inbox://local')
    const id = await capture(service, transport, 'gone@example.com')
    assert.equal((await service.ask('DELETE', `/api/inbox/${id}`)).status, 200)
    assert.equal((await service.ask('DELETE', `/api/inbox/${id}`)).status, 404)
    await capture(service, transport, 'gone@example.com')
    assert.match((await service.ask('DELETE', '/api/inbox')).body.message, /deleted/)
    const list = (await service.ask('GET', '/api/inbox')).body
    assert.deepEqual(list, { total: 0, messages: [], next: null })
  })
})

const day = 86_400_000
const everyBrand = { brands: 'all' } as const
let now = Date.now()
const limits = { clock: clockAt(() => now), config: { inboxMegabytesMax: 1, inboxKeepDays: 2 } }

onEachDatabase('the limits of the inbox', limits, (shared) => {
  test('the oldest messages are deleted once there are too many bytes, and the newest stays', async () => {
    const { inbox } = shared.service.app
    for (const size of [500_000, 400_000, 300_000])
      await inbox.inbox.capture(messageOf(size), undefined)
    await inbox.inbox.prune()
    assert.deepEqual(await sizesIn(shared), [300_000, 400_000])
    await inbox.inbox.capture(messageOf(2_000_000), undefined)
    await inbox.inbox.prune()
    assert.deepEqual(await sizesIn(shared), [2_000_000])
  })

  test('messages that are too old are deleted, but for the newest', async () => {
    const { inbox } = shared.service.app
    await inbox.inbox.clear(everyBrand)
    await inbox.inbox.capture(messageOf(100), undefined)
    await inbox.inbox.capture(messageOf(200), undefined)
    now += 3 * day
    await inbox.inbox.prune()
    assert.deepEqual(await sizesIn(shared), [200])
  })
})

onMailyard('the inbox', (shared) => {
  test('a message that takes too long to parse is listed, with a problem and its source', async () => {
    const { service } = shared
    const head = 'Content-Type: multipart/mixed; boundary=a\r\nSubject: many parts\r\n\r\n'
    const raw = Buffer.from(head + '--a\r\n\r\nx\r\n'.repeat(1_000_000))
    await service.app.inbox.inbox.capture({ envelope, raw }, undefined)
    const [{ id, subject }] = (await service.ask('GET', '/api/inbox')).body.messages
    assert.equal(subject, 'many parts')
    const message = await readMessage(service, id)
    assert.match(message.problems[0], /could not be parsed/)
    assert.equal((await service.ask('GET', `/api/inbox/${id}/source`)).text.length, raw.length)
    assert.equal((await service.ask('GET', `/api/inbox/${id}/html`)).status, 400)
  })
})

const envelope = { from: 'a@example.com', to: ['b@example.com'] }

function messageOf(size: number) {
  const head = 'Subject: size\r\n\r\n'
  return { envelope, raw: Buffer.from(head + 'x'.repeat(size - head.length)) }
}

async function sizesIn({ service }: SharedApp): Promise<number[]> {
  const { messages } = (await service.ask('GET', '/api/inbox')).body
  return messages.map(({ sizeBytes }: { sizeBytes: number }) => sizeBytes)
}

async function addTransport(service: TestApp, mailerDsn: string): Promise<number> {
  const url = '/api/multipleTransports/new'
  const { body, text } = await service.ask('POST', url, { name: 'Inbox', mailerDsn })
  assert.ok(body.id, text)
  return body.id
}

/** Sends a test message; returns the id that it was captured under. */
async function capture(service: TestApp, transport: number, to: string): Promise<number> {
  const url = `/api/multipleTransports/send/test/${transport}`
  const { body } = await service.ask('POST', url, { to })
  return Number(/inbox\/(\d+)/.exec(body.message)?.[1])
}

async function readMessage(service: TestApp, id: number | string | undefined): Promise<TestBody> {
  return (await service.ask('GET', `/api/inbox/${id}`)).body.message
}

const idOf = ({ id }: { id: number }) => id

function stagesOf({ stages }: TestBody): string[] {
  return stages.map(
    ({ stage, outcome }: { stage: string; outcome: string }) => `${stage} ${outcome}`,
  )
}
