import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { adminPassword } from '../../test/administrator.ts'
import { createBroadcastFixture, quickIntervals } from '../../test/broadcasts/broadcast-fixture.ts'
import { addUser, uniqueName } from '../../test/callers.ts'
import { type MailCatcher, startMailCatcher } from '../../test/mail-catcher.ts'
import { onEachDatabase } from '../../test/on-each-database.ts'
import { submit } from '../../test/relay/submit.ts'
import { until } from '../../test/until.ts'

const options = { intervals: quickIntervals, config: { mailerFrom: 'news@example.com' } }

onEachDatabase(
  'a suppressed address',
  (shared) => {
    const ask = (...asked: Parameters<typeof shared.service.ask>) => shared.service.ask(...asked)
    const fixture = createBroadcastFixture(() => shared.service)
    let catcher: MailCatcher
    let port = 0
    before(async () => {
      catcher = await startMailCatcher()
      port = (await shared.service.openSmtpServer()).port ?? 0
    })
    after(() => catcher.stop())

    const suppress = async (values: object): Promise<number> =>
      (await ask('POST', '/api/suppressions/new', values)).body.suppression.id
    const remove = (id: number) => ask('DELETE', `/api/suppressions/${id}/delete`)
    const listOf = async (address: string) =>
      (await ask('GET', `/api/suppressions?address=${address}`)).body.suppressions
    const contact = async (email: string) =>
      (await ask('POST', '/api/contacts/new', { email })).body.contact.id as number
    const sendTo = async (email: string) => {
      const emailId = await fixture.email(await fixture.transport(catcher.dsn))
      const id = await contact(email)
      return (await ask('POST', `/api/emails/${emailId}/contact/${id}/send`, {})).body
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

    test('gets no broadcast: the count that is announced is the count that is sent', async () => {
      const emailId = await fixture.email(await fixture.transport(catcher.dsn))
      const { segment, contacts } = await fixture.segment(4)
      const [ann, bob, eve] = contacts
      assert.ok(ann && bob && eve)
      const id = await suppress({ address: ann.email.toUpperCase(), reason: 'unsubscribed' })
      await suppress({ address: bob.email, reason: 'manual', senderDomain: 'example.com' })
      await suppress({ address: eve.email, reason: 'unsubscribed', senderDomain: 'example.org' })
      const { body: counted } = await ask('POST', `/api/emails/${emailId}/send/count`, { segment })
      assert.deepEqual([counted.recipients, counted.skipped.suppressed], [2, 2])
      const broadcastId = await fixture.send(emailId, { segment })
      assert.equal((await fixture.get(broadcastId)).total, 2)
      const done = await fixture.until(broadcastId, ({ state }) => state === 'done')
      assert.deepEqual([done.total, done.accepted, done.suppressed, done.remaining], [2, 2, 0, 0])
      assert.equal(done.skipped.suppressed, 2)
      assert.deepEqual([received(ann.email), received(bob.email), received(eve.email)], [0, 0, 1])
      await remove(id)
      const again = await fixture.send(emailId, { segment })
      const second = await fixture.until(again, ({ state }) => state === 'done')
      assert.deepEqual([second.accepted, second.skipped.suppressed], [1, 1])
      assert.equal(received(ann.email), 1)
    })

    test('gets no broadcast that had counted it before, which lists it', async () => {
      const transportId = await fixture.transport(catcher.dsn)
      await ask('PATCH', `/api/multipleTransports/${transportId}/edit`, { isPublished: false })
      const emailId = await fixture.email(transportId)
      const { segment, contacts } = await fixture.segment(2)
      const [ann] = contacts
      assert.ok(ann)
      const broadcastId = await fixture.send(emailId, { segment })
      await fixture.act(broadcastId, 'pause')
      await suppress({ address: ann.email, reason: 'unsubscribed' })
      await ask('PATCH', `/api/multipleTransports/${transportId}/edit`, { isPublished: true })
      await fixture.act(broadcastId, 'resume')
      const done = await fixture.until(broadcastId, ({ state }) => state === 'done')
      assert.deepEqual([done.total, done.accepted, done.suppressed], [2, 1, 1])
      const [withheld] = await fixture.deliveries(`broadcastId=${broadcastId}&outcome=suppressed`)
      assert.match(
        withheld?.reason,
        /is suppressed since 20.*has unsubscribed\. Delete suppression/,
      )
      const recipients = `/api/broadcasts/${broadcastId}/recipients?state=suppressed`
      assert.equal((await ask('GET', recipients)).body.recipients.length, 1)
    })

    test('is counted in the statistics, and exported', async () => {
      const address = `${uniqueName('stats')}@example.net`
      await suppress({ address, reason: 'complained' })
      await sendTo(address)
      const stats = await ask('GET', '/api/deliveries/stats?outcome=suppressed')
      const [series] = stats.body.series
      assert.equal(series.key, 'suppressed')
      assert.ok(series.total > 0)
      const csv = await ask('GET', `/api/deliveries.csv?recipient=${address}`)
      assert.match(csv.text, /,suppressed,,The address /)
    })

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
      assert.match(
        refused?.text ?? '',
        /^5\.7\.1 The address .* is suppressed .* Delete suppression/,
      )
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
      await until(async () => (await listOf(address)).length === 1, 'the bounce is suppressed')
      const [{ id, reason, source, senderDomain }] = await listOf(address)
      const refused = await ask('GET', `/api/deliveries?recipient=${address}&outcome=refused`)
      const { id: deliveryId } = refused.body.deliveries[0]
      assert.deepEqual([reason, source, senderDomain], ['bounced', `delivery ${deliveryId}`, null])
      assert.match((await relay([address], named))?.text ?? '', /^5\.7\.1/)
      await remove(id)
      assert.match((await relay([address], named))?.text ?? '', /^5\.1\.1 no such user/)
    })

    test('is one that bounced in a broadcast, with its delivery', async () => {
      const emailId = await fixture.email(await fixture.transport(catcher.dsn))
      const works = await fixture.segment(1)
      const first = await fixture.send(emailId, { segment: works.segment })
      await fixture.until(first, ({ state }) => state === 'done')
      const { segment, contacts } = await fixture.segment(1, () => ({
        email: `refuse-550.${uniqueName('lost')}@example.net`,
      }))
      const id = await fixture.send(emailId, { segment })
      await fixture.until(id, ({ state }) => state === 'done')
      const address = contacts[0]?.email ?? ''
      await until(async () => (await listOf(address)).length === 1, 'the bounce is suppressed')
      const [delivery] = await fixture.deliveries(`broadcastId=${id}`)
      const [{ source, transportId, broadcastId, deliveryId }] = await listOf(address)
      assert.equal(source, `delivery ${delivery.id}`)
      assert.deepEqual(
        [transportId, broadcastId, deliveryId],
        [delivery.transportId, id, delivery.id],
      )
      // What a person has decided is never undone with it.
      const other = `${uniqueName('left')}@example.net`
      await suppress({ address: other, reason: 'unsubscribed' })
      const undo = async (query: string, body: object) =>
        ask('POST', `/api/suppressions/undo${query}`, body)
      for (const none of [{}, { broadcast: id }, { addedSince: 'yesterday' }])
        assert.equal((await undo('', none)).status, 400)
      const filters = [
        { transportId },
        { broadcastId: id },
        { deliveryId },
        { broadcastId: id, transportId },
      ]
      for (const filter of filters)
        assert.deepEqual((await undo('?dryRun=1', filter)).body, { suppressions: 1 })
      const ofWhat = [`broadcastId=${id}`, `transportId=${transportId}`, `deliveryId=${deliveryId}`]
      for (const query of ofWhat)
        assert.equal((await ask('GET', `/api/suppressions?${query}`)).body.total, 1, query)
      const byDefault = await ask('GET', '/api/suppressions?transport=default')
      assert.equal(byDefault.body.total, 0)
      const { text } = await ask('GET', `/api/suppressions.csv?broadcastId=${id}`)
      assert.match(text, new RegExp(`,${transportId},${id},${deliveryId}\r\n$`))
      // Which transport found it is for callers who may view transports.
      const viewer = await addUser(shared.service, { contact: ['view'] })
      for (const query of [ofWhat[1], 'transport=default', 'orderBy=transportId'])
        for (const path of ['suppressions', 'suppressions.csv']) {
          const answer = await ask('GET', `/api/${path}?${query}`, undefined, { as: viewer.as })
          assert.equal(answer.status, 403, `${path}?${query}`)
        }
      assert.deepEqual((await undo('', { broadcastId: id })).body, { suppressions: 1 })
      assert.deepEqual((await undo('', { transportId })).body, { suppressions: 0 })
      assert.equal((await listOf(address)).length, 0)
      assert.equal((await listOf(other)).length, 1)
    })
  },
  options,
)
