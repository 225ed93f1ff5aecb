import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { adminPassword } from '../../../test/administrator.ts'
import { addTransport, uniqueName } from '../../../test/callers.ts'
import { addBrand } from '../../../test/mautics.ts'
import { onMailyard, type SharedApp } from '../../../test/on-each-database.ts'
import { submit } from '../../../test/relay/submit.ts'
import { createSendFixture } from '../../../test/send-fixture.ts'
import type { TestBody } from '../../../test/test-app.ts'
import { allModules } from '../../app.ts'
import { startScriptedServer } from '../../libraries/mailer/testing/smtp-server.case.test.ts'

const upstream = await startScriptedServer({
  script: { rcpt: (line) => (line.includes('<gone') ? '550 5.1.1 No such user' : undefined) },
})
/** Who must never be connected to. */
const silent = await startScriptedServer()
after(async () => {
  for (const each of [upstream, silent]) await each.close()
})

const allowedRecipients = ['Ann@Allowed.test', 'bücher.example', 'staff.test']
const config = { allowedRecipients, mailerDsn: `smtp://127.0.0.1:${upstream.port}` }

function useRestricted(shared: SharedApp) {
  let port = 0
  before(async () => {
    port = (await shared.service.openSmtpServer()).port ?? 0
    seen.received = upstream.received.length
  })
  const send = async (to: readonly string[], { from = 'shop@sender.test', through = '' } = {}) => {
    const route = through === '' ? '' : `X-Mailyard-Transport: ${through}\r\n`
    const head = `From: ${from}\r\nTo: ${to.join(', ')}\r\nSubject: ${uniqueName('mail')}\r\n`
    const raw = Buffer.from(`${head}${route}\r\nHello\r\n`)
    const login = { port, username: 'admin', password: adminPassword }
    const reply = await submit({ from, to, raw }, login)
    await shared.service.app.idle()
    return `${reply?.code} ${reply?.text}`
  }
  /** The recipients of each message that a server got, and that the inbox has, since the last call. */
  const seen = { received: 0, captured: 0 }
  const readNew = async () => {
    const received = upstream.received.slice(seen.received).map(({ to }) => to)
    const { messages } = await shared.askFor('GET', '/api/inbox?limit=1000')
    const added = messages.filter(({ id }: TestBody) => id > seen.captured).toReversed()
    seen.received = upstream.received.length
    seen.captured = messages[0]?.id ?? seen.captured
    return { received, captured: added.map(({ recipients }: TestBody) => recipients) }
  }
  const find = async (recipient: string) =>
    (await shared.askFor('GET', `/api/deliveries?recipient=${recipient}`)).deliveries
  return { send, readNew, find }
}

onMailyard('with allowed recipients', { isOwn: true, config }, (shared) => {
  const { send, readNew, find } = useRestricted(shared)
  const fixture = createSendFixture(() => shared.service)
  const reason = 'The recipient is not among MAILYARD_ALLOWED_RECIPIENTS.'

  test('a message over SMTP goes to those, and one copy for the others to the inbox', async () => {
    const to = [
      'ann@allowed.test',
      'joe@other.test',
      'bob@xn--bcher-kva.example',
      'eve@a.staff.test',
    ]
    assert.match(await send(to), /^250 /)
    assert.deepEqual(await readNew(), {
      received: [['ann@allowed.test', 'bob@xn--bcher-kva.example']],
      captured: [['joe@other.test', 'eve@a.staff.test']],
    })
    const [joe] = await find('joe@other.test')
    const { inboxId } = await shared.askFor('GET', `/api/deliveries/${joe.id}`)
    assert.deepEqual([joe.outcome, joe.member], ['accepted', 'inbox://local'])
    assert.equal(joe.reply, `250 Captured, not sent: /api/inbox/${inboxId}. ${reason}`)
    const [ann] = await find('ann@allowed.test')
    assert.deepEqual([ann.outcome, ann.member], ['accepted', config.mailerDsn])
    assert.notEqual(ann.providerId, joe.providerId)
  })

  test('the copy in the inbox has the brand of the message', async () => {
    const brand = await addBrand(shared.service)
    const values = { mailerDsn: config.mailerDsn, brand }
    const { name: through } = await addTransport(shared.service, values)
    assert.match(await send(['joe@other.test'], { through }), /^250 /)
    await readNew()
    const { messages } = await shared.askFor('GET', `/api/inbox?brand=${brand}`)
    assert.equal(messages[0]?.brand, brand)
  })

  test('addresses are compared without regard to case, and a name with another domain behind it is no allowed one', async () => {
    const others = ['ann@allowed.test.evil.test', '"x@staff.test"@evil.test', 'joe@allowed.test']
    await send(['ANN@ALLOWED.TEST', 'zoe@STAFF.test', ...others])
    assert.deepEqual(await readNew(), {
      received: [['ANN@ALLOWED.TEST', 'zoe@STAFF.test']],
      captured: [others],
    })
  })

  test('a message to none of them reaches no server, whatever the transport', async () => {
    const { port } = silent
    const token = encodeURIComponent(`http://127.0.0.1:${port}/token`)
    for (const mailerDsn of [
      `smtp://user:pass@127.0.0.1:${port}`,
      `failover(smtp://127.0.0.1:${port} postmark+api://KEY@127.0.0.1:${port})`,
      `roundrobin(smtp://127.0.0.1:${port} smtp://localhost:${port})`,
      `smtp+oauth://ID:SECRET@127.0.0.1:${port}?tokenUrl=${token}`,
      `sendgrid+api://KEY@127.0.0.1:${port}`,
    ]) {
      const { id, name } = await addTransport(shared.service, { mailerDsn })
      assert.match(await send(['joe@other.test'], { through: name }), /^250 /, mailerDsn)
      const path = `/api/multipleTransports/send/test/${id}`
      const tested = await shared.askFor('POST', path, { to: 'joe@other.test' })
      assert.equal(tested.success, false)
      assert.match(tested.message, /^Nothing was tested\. Captured, not sent: .* MAILYARD_ALLOWED/)
      assert.deepEqual(await readNew(), {
        received: [],
        captured: [['joe@other.test'], ['joe@other.test']],
      })
      const states = shared.service.app.delivery.listTransports()
      const state = states.find(({ transportId }) => transportId === id)
      assert.deepEqual([state?.problem, state?.availableAt], [undefined, 0])
    }
    assert.equal(silent.sessions(), 0)
  })

  test('an email to a contact, and a test of it, go to those only', async () => {
    const email = await fixture.email(null)
    const [joe = 0, zoe = 0] = await Promise.all(
      [`joe@${uniqueName('x')}.test`, `${uniqueName('zoe')}@staff.test`].map(
        async (address) => (await fixture.contact({ email: address })).id,
      ),
    )
    for (const contact of [joe, zoe])
      assert.equal((await fixture.send(email, contact)).success, true)
    await shared.service.app.idle()
    const sent = await readNew()
    assert.deepEqual([sent.received.length, sent.captured.length], [1, 1])
    assert.match(sent.received[0]?.[0] ?? '', /@staff\.test$/)
    const testTo = (to: string) => shared.askFor('POST', '/api/emails/send/test', { id: email, to })
    assert.match((await testTo('joe@other.test')).message, /^Captured, not sent: \/api\/inbox\/\d+/)
    assert.equal((await testTo('zoe@staff.test')).message, 'Sent to zoe@staff.test.')
    const tested = await readNew()
    assert.deepEqual(tested, { received: [['zoe@staff.test']], captured: [['joe@other.test']] })
  })

  test('a notification goes to those only', async () => {
    const queued = await shared.openAnother({ config: { ...config, smtpMode: 'queue' } })
    const { port = 0 } = await queued.openSmtpServer()
    for (const from of ['shop@sender.test', 'shop@staff.test']) {
      const raw = Buffer.from(`From: ${from}\r\nSubject: ${uniqueName('mail')}\r\n\r\nHello\r\n`)
      const login = { port, username: 'admin', password: adminPassword }
      await submit({ from, to: [`gone-${uniqueName('n')}@staff.test`], raw }, login)
      await queued.app.idle()
    }
    assert.deepEqual(await readNew(), {
      received: [['shop@staff.test']],
      captured: [['shop@sender.test']],
    })
  })

  test('what is captured counts neither for a limit nor as proof that its transport works', async () => {
    const { id, name } = await addTransport(shared.service, { mailerDsn: config.mailerDsn })
    await shared.askFor('POST', '/api/limits/new', { name, transports: [id], perDay: 2 })
    await shared.service.app.limiter.reload()
    const through = name
    for (let count = 0; count < 3; count += 1) await send(['joe@other.test'], { through })
    const gone = `gone-${uniqueName('g')}@staff.test`
    assert.match(await send([gone, 'joe@other.test'], { through }), /^550 5\.1\.1 /)
    assert.equal((await find(gone))[0].outcome, 'refused')
    const { suppressions } = await shared.askFor('GET', '/api/suppressions?limit=1000')
    assert.ok(!suppressions.some(({ address }: TestBody) => address === gone))
    assert.match(await send(['zoe@staff.test', 'joe@other.test'], { through }), /^250 /)
    assert.match(await send(['zoe@staff.test'], { through }), /^250 /)
    assert.match(await send(['zoe@staff.test'], { through }), /^45\d /)
  })

  test('a finding, the log and the session of the console say it', async () => {
    const { findings } = await shared.askFor('GET', '/api/health/findings')
    const found = findings.find(({ check }: TestBody) => check === 'recipients restricted')
    assert.equal(found.severity, 'warning')
    assert.match(
      found.detail,
      /^Mail is sent to Ann@Allowed\.test, bücher\.example, staff\.test only/,
    )
    assert.ok(shared.service.logged.some((line) => line.includes('allowed recipients only')))
    const login = { username: 'admin', password: adminPassword }
    const session = await shared.ask('POST', '/api/session', login, { as: 'anonymous' })
    assert.deepEqual(session.body.allowedRecipients, allowedRecipients)
  })

  test('while everything is closed, those get nothing either, until it is opened', async () => {
    const { guard } = shared.service.app
    await readNew()
    guard.whyClosed = () => 'This is a copy of a database.'
    assert.match(await send(['zoe@staff.test']), /Captured, not sent: .* This is a copy of a data/)
    guard.whyClosed = () => undefined
    await send(['zoe@staff.test'])
    const expected = { received: [['zoe@staff.test']], captured: [['zoe@staff.test']] }
    assert.deepEqual(await readNew(), expected)
  })
})

const { inbox: _, ...modules } = allModules
onMailyard('with allowed recipients and without an inbox', { config, modules }, (shared) => {
  const { send } = useRestricted(shared)

  test('who is not allowed is refused with a sentence, and gets nothing', async () => {
    const earlier = upstream.received.length
    const reply = await send(['joe@other.test'])
    assert.match(reply, /^554 .*not among MAILYARD_ALLOWED_RECIPIENTS\. This Mailyard has no inbox/)
    await send(['joe@other.test', 'zoe@staff.test'])
    const { id } = await addTransport(shared.service, { mailerDsn: config.mailerDsn })
    const path = `/api/multipleTransports/send/test/${id}`
    const tested = await shared.askFor('POST', path, { to: 'joe@other.test' })
    assert.match(tested.message, /^Nothing was tested\. The recipient is not among/)
    const received = upstream.received.slice(earlier).flatMap(({ to }) => to)
    assert.deepEqual(received, ['zoe@staff.test'])
  })
})
