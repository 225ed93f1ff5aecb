import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { adminPassword } from '../../../../test/administrator.ts'
import { addUser, uniqueName } from '../../../../test/callers.ts'
import { useMailCatcher } from '../../../../test/mail-catcher.ts'
import { onMailyard } from '../../../../test/on-each-database.ts'
import { submit } from '../../../../test/relay/submit.ts'
import { createSendFixture } from '../../../../test/send-fixture.ts'

onMailyard('a suppressed address', { config: { mailerFrom: 'news@example.com' } }, (shared) => {
  const { ask } = shared
  const fixture = createSendFixture(() => shared.service)
  const catcher = useMailCatcher()
  let port = 0
  before(async () => {
    port = (await shared.service.openSmtpServer()).port ?? 0
  })

  const suppress = async (values: object): Promise<number> =>
    (await ask('POST', '/api/suppressions/new', values)).body.suppression.id
  const remove = (id: number) => ask('DELETE', `/api/suppressions/${id}/delete`)
  const listOf = async (address: string) =>
    (await ask('GET', `/api/suppressions?address=${address}`)).body.suppressions
  const contact = async (email: string) =>
    (await ask('POST', '/api/contacts/new', { email })).body.contact.id as number
  const sendTo = async (email: string) => {
    const emailId = await fixture.email(await fixture.transport(catcher.dsn))
    return fixture.send(emailId, await contact(email))
  }
  const relay = (to: readonly string[], headers = '') => {
    const raw = Buffer.from(`${headers}From: news@example.com\r\nSubject: x\r\n\r\nHello\r\n`)
    const login = { port, username: 'admin', password: adminPassword }
    return submit({ from: 'bounces@example.org', to, raw }, login)
  }
  const received = (address: string) =>
    catcher.mails.filter(({ to }) => to.includes(address)).length
  const lastDelivery = async (address: string) => {
    const query = `/api/deliveries?recipient=${address}&limit=1`
    return (await ask('GET', query)).body.deliveries[0]
  }

  test('gets no single send where it has bounced or complained, and one where it unsubscribed', async () => {
    const [bounced, unsubscribed] = [uniqueName('b'), uniqueName('u')].map(
      (name) => `${name}@example.net`,
    ) as [string, string]
    const id = await suppress({ address: bounced, reason: 'bounced' })
    await suppress({ address: unsubscribed, reason: 'unsubscribed' })
    const refused = await sendTo(bounced)
    assert.equal(refused.success, false)
    assert.match(refused.failed, new RegExp(`does not exist. Delete suppression ${id} to send`))
    assert.deepEqual(await sendTo(unsubscribed), { success: true })
    const { outcome, transport, duration } = await lastDelivery(bounced)
    assert.deepEqual([outcome, transport, duration], ['suppressed', null, undefined])
    await remove(id)
    assert.deepEqual(await sendTo(bounced), { success: true })
  })

  test('is answered 550 5.7.1 over SMTP, by the kind of the message', async () => {
    const transportId = await fixture.transport(catcher.dsn)
    const [bounced, unsubscribed, other] = ['b', 'u', 'o'].map(
      (name) => `${uniqueName(name)}@example.net`,
    ) as [string, string, string]
    await suppress({ address: bounced, reason: 'bounced' })
    await suppress({ address: unsubscribed, reason: 'unsubscribed', senderDomain: 'example.com' })
    const named = `X-Mailyard-Transport: ${transportId}\r\n`
    const refused = await relay([bounced], named)
    assert.equal(refused?.code, 550)
    assert.match(refused?.text ?? '', /^5\.7\.1 The address .* is suppressed .* Delete suppression/)
    assert.equal((await relay([unsubscribed], named))?.code, 250)
    for (const head of ['Precedence: bulk\r\n', 'List-Unsubscribe: <mailto:a@b.example>\r\n'])
      assert.equal((await relay([unsubscribed], named + head))?.code, 550)
    const mixed = await relay([bounced, other], named)
    assert.equal(mixed?.code, 550)
    assert.deepEqual([received(bounced), received(unsubscribed), received(other)], [0, 1, 1])
  })

  test('keeps the answer of a message that it got before', async () => {
    const named = `X-Mailyard-Transport: ${await fixture.transport(catcher.dsn)}\r\n`
    const address = `${uniqueName('had')}@example.net`
    const head = `${named}Message-ID: <${uniqueName('had')}@example.com>\r\n`
    assert.equal((await relay([address], head))?.code, 250)
    const id = await suppress({ address, reason: 'complained' })
    assert.equal((await relay([address], head))?.code, 250)
    assert.equal((await relay([address], named))?.code, 550)
    await remove(id)
    assert.equal(received(address), 1)
  })

  test('is one that a server does not know, until the suppression is deleted', async () => {
    const named = `X-Mailyard-Transport: ${await fixture.transport(catcher.dsn)}\r\n`
    const address = `refuse-550.${uniqueName('gone')}@example.net`
    assert.equal((await relay([`${uniqueName('works')}@example.net`], named))?.code, 250)
    const first = await relay([address], named)
    assert.match(first?.text ?? '', /^5\.1\.1 no such user/)
    const [{ id, reason, source, senderDomain }] = await listOf(address)
    const refused = await ask('GET', `/api/deliveries?recipient=${address}&outcome=refused`)
    const { id: deliveryId } = refused.body.deliveries[0]
    assert.deepEqual([reason, source, senderDomain], ['bounced', `delivery ${deliveryId}`, null])
    assert.match((await relay([address], named))?.text ?? '', /^5\.7\.1/)
    await remove(id)
    assert.match((await relay([address], named))?.text ?? '', /^5\.1\.1 no such user/)
  })

  test('is one that bounced, with its delivery', async () => {
    const emailId = await fixture.email(await fixture.transport(catcher.dsn))
    const address = `refuse-550.${uniqueName('lost')}@example.net`
    await fixture.sendTo(emailId, [`${uniqueName('works')}@example.net`, address])
    const [delivery] = await fixture.deliveries(`recipient=${address}`)
    const [{ source, transportId, deliveryId }] = await listOf(address)
    assert.equal(source, `delivery ${delivery.id}`)
    assert.deepEqual([transportId, deliveryId], [delivery.transportId, delivery.id])
    // What a person has decided is never undone with it.
    const other = `${uniqueName('left')}@example.net`
    await suppress({ address: other, reason: 'unsubscribed' })
    const remove = async (query: string, body: object) =>
      ask('POST', `/api/suppressions/delete${query}`, body)
    for (const none of [{}, { transports: [transportId] }, { addedSince: 'yesterday' }])
      assert.equal((await remove('', none)).status, 400)
    for (const filter of [{ transportId }, { deliveryId }, { deliveryId, transportId }])
      assert.deepEqual((await remove('?dryRun=1', filter)).body, { suppressions: 1 })
    const ofWhat = [`transportId=${transportId}`, `deliveryId=${deliveryId}`]
    for (const query of ofWhat)
      assert.equal((await ask('GET', `/api/suppressions?${query}`)).body.total, 1, query)
    const byDefault = await ask('GET', '/api/suppressions?transport=default')
    assert.equal(byDefault.body.total, 0)
    const { text } = await ask('GET', `/api/suppressions.csv?deliveryId=${deliveryId}`)
    assert.match(text, new RegExp(`,${transportId},.*${deliveryId},\r\n$`))
    // Which transport found it is for callers who may view transports.
    const viewer = await addUser(shared.service, { contact: ['view'] })
    for (const query of [ofWhat[0], 'transport=default', 'orderBy=transportId'])
      for (const path of ['suppressions', 'suppressions.csv']) {
        const answer = await ask('GET', `/api/${path}?${query}`, undefined, { as: viewer.as })
        assert.equal(answer.status, 403, `${path}?${query}`)
      }
    assert.deepEqual((await remove('', { deliveryId })).body, { suppressions: 1 })
    assert.deepEqual((await remove('', { transportId })).body, { suppressions: 0 })
    assert.equal((await listOf(address)).length, 0)
    assert.equal((await listOf(other)).length, 1)
  })
})
