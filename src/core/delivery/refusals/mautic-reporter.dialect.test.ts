import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import { adminPassword } from '../../../../test/administrator.ts'
import { addTransport, uniqueName } from '../../../../test/callers.ts'
import { listenAsGateway, type OpenGateway } from '../../../../test/gateway/open-gateway.ts'
import { useMailCatcher } from '../../../../test/mail-catcher.ts'
import { addMautic, type TestMautic, type TestMauticData } from '../../../../test/mautics.ts'
import { onEachDatabase } from '../../../../test/on-each-database.ts'
import { submit } from '../../../../test/relay/submit.ts'
import { createSendFixture } from '../../../../test/send-fixture.ts'
import type { TestBody } from '../../../../test/test-app.ts'
import type { SmtpMode } from '../../../kit/smtp-mode.ts'

onEachDatabase(
  'a recipient of a Mautic',
  {
    // The server of a transport that a caller of a Mautic writes.
    config: { mailerFrom: 'news@example.com', outboundAllow: ['127.0.0.1'] },
  },
  (shared) => {
    const catcher = useMailCatcher()
    let gateway: OpenGateway
    let port = 0
    let transportId = 0
    const { ask, askFor } = shared
    const fixture = createSendFixture(() => shared.service)
    before(async () => {
      gateway = await listenAsGateway(shared.service)
      port = (await shared.service.openSmtpServer()).port ?? 0
      transportId = (await addTransport(shared.service, { mailerDsn: catcher.dsn })).id
    })

    /** A transport that accepted most of its last recipients is believed when it refuses an address. */
    const acceptSome = async (id = transportId) => {
      for (let count = 0; count < 4; count += 1) {
        const text = `X-Mailyard-Transport: ${id}\r\nFrom: news@example.com\r\nSubject: ${uniqueName('x')}\r\n\r\nHello\r\n`
        const mail = { from: 'news@example.com', to: ['ann@rcpt.test'], raw: Buffer.from(text) }
        const login = { port, username: 'admin', password: adminPassword }
        assert.equal((await submit(mail, login))?.code, 250)
      }
    }
    beforeEach(() => acceptSome())

    const connect = async (data: TestMauticData, values: object = {}) => {
      const mautic = await addMautic(shared.service, { transportId, ...data })
      // Mautic sees the server's answer.
      const change = { smtpMode: 'hybrid', ...values }
      await askFor('PATCH', `/api/mautics/${mautic.id}/edit`, change)
      return mautic
    }
    /** Submits a message as Mautic does for an email to a segment. */
    const send = ({ mailerDsn }: TestMautic, to: string, head = 'X-EMAIL-ID: 17\r\n') => {
      const { username, password } = new URL(mailerDsn)
      const text = `${head}From: news@brand.test\r\nPrecedence: Bulk\r\nSubject: ${uniqueName('x')}\r\n\r\nHello\r\n`
      const mail = { from: 'news+bounce_1@brand.test', to: [to], raw: Buffer.from(text) }
      return submit(mail, { port, username, password })
    }
    const reportsOf = async ({ id }: TestMautic): Promise<TestBody[]> =>
      (await ask('GET', `/api/mautics/${id}/reports`)).body.reports
    const entriesOf = ({ double }: TestMautic) =>
      double.data.doNotContact.map((row) => {
        const { lead_id, reason, channel_id, comments } = row
        return [lead_id, reason, channel_id, comments]
      })
    const idle = () => shared.service.app.idle()
    /** What Mautic has of its contacts once all is reported. */
    const listedBy = async (mautic: TestMautic) => {
      await idle()
      return entriesOf(mautic)
    }
    const addressOf = (name: string) => `${name}.${uniqueName('c')}@rcpt.test`

    test('whose address is refused is tried once, not 701 times', async () => {
      const address = addressOf('refuse-550')
      const mautic = await connect({ emails: [17], contacts: { 9: { email: address } } })
      assert.equal((await send(mautic, address))?.code, 550)
      // Mautic tries a contact again at once while it may.
      assert.deepEqual(await listedBy(mautic), [['9', '2', '17', '550 5.1.1 no such user']])
      assert.equal((await send(mautic, address))?.code, 550)
      const { body } = await ask('GET', `/api/deliveries?recipient=${address}&outcome=refused`)
      assert.equal(body.deliveries.length, 1)
    })

    test('that a transport of a brand refuses is suppressed only for this brand', async () => {
      const address = addressOf('refuse-550')
      const mautic = await connect({ emails: [17], transportId: null }, { smtpMode: 'direct' })
      const values = { mailerDsn: catcher.dsn, brand: mautic.brand }
      const own = await addTransport(shared.service, values)
      await ask('PATCH', `/api/mautics/${mautic.id}/edit`, { transportId: own.id })
      assert.equal((await send(mautic, addressOf('ann')))?.code, 250)
      assert.equal((await send(mautic, address))?.code, 550)
      const suppressionsOf = async (): Promise<TestBody[]> =>
        (await ask('GET', `/api/suppressions?address=${address}`)).body.suppressions
      const [suppression, ...others] = await suppressionsOf()
      const { reason, brand, senderDomain } = suppression
      assert.deepEqual([reason, brand, senderDomain, others], ['bounced', mautic.brand, null, []])
      const other = await connect({ emails: [17] }, { smtpMode: 'direct' })
      const accepting = await addTransport(shared.service, { mailerDsn: 'null://null' })
      const change = { transportId: accepting.id }
      for (const each of [mautic, other]) await ask('PATCH', `/api/mautics/${each.id}/edit`, change)
      assert.equal((await send(mautic, address))?.code, 550)
      assert.equal((await send(other, address))?.code, 250)
    })

    test('that a transport written by a caller of a Mautic refuses is reported to it, and not suppressed', async () => {
      const address = addressOf('refuse-550')
      const data = { emails: [17], contacts: { 9: { email: address } }, transportId: null }
      const mautic = await connect(data, { smtpMode: 'direct' })
      const evil = { name: uniqueName('evil'), mailerDsn: catcher.dsn }
      const created = await gateway.askAs(mautic, 'POST', 'multipleTransports/new', evil)
      assert.equal(created.status, 201, created.text)
      const own = created.body
      await ask('PATCH', `/api/mautics/${mautic.id}/edit`, { transportId: own.id })
      assert.equal((await send(mautic, addressOf('ann')))?.code, 250)
      assert.equal((await send(mautic, address))?.code, 550)
      assert.deepEqual(await listedBy(mautic), [['9', '2', '17', '550 5.1.1 no such user']])
      const suppressions = await ask('GET', `/api/suppressions?address=${address}`)
      assert.equal(suppressions.body.total, 0)
    })

    test('is reported in each mode', async () => {
      for (const mode of ['direct', 'hybrid', 'queue'] satisfies SmtpMode[]) {
        const address = addressOf('refuse-550')
        const data = { emails: [17], contacts: { 9: { email: address } } }
        const mautic = await connect(data, { smtpMode: mode })
        const reply = await send(mautic, address, 'X-EMAIL-ID: 17\r\nX-Contact-Id: 9\r\n')
        assert.equal(reply?.code, mode === 'queue' ? 250 : 550)
        assert.deepEqual(await listedBy(mautic), [['9', '2', '17', '550 5.1.1 no such user']])
        const [report, ...others] = await reportsOf(mautic)
        assert.deepEqual([report.contactId, report.emailId, others], [9, 17, []])
      }
    })

    test('is not reported for a policy, a refusal for now, or where reports are disabled', async () => {
      const [policy, later, unknown] = ['refuse-554', 'refuse-450', 'refuse-550'].map(addressOf)
      assert.ok(policy && later && unknown)
      const contacts = { 7: { email: policy }, 8: { email: later }, 9: { email: unknown } }
      const mautic = await connect({ emails: [17], contacts })
      const silent = await connect({ emails: [17], contacts }, { isReporting: false })
      assert.equal((await send(silent, unknown))?.code, 550)
      for (const address of [policy, later]) await send(mautic, address)
      await send(mautic, unknown)
      const [entry, ...others] = await listedBy(mautic)
      assert.deepEqual([entry?.[0], others], ['9', []])
      assert.deepEqual(await reportsOf(silent), [])
    })

    test('who was suppressed before the Mautic was connected is reported at the first message', async () => {
      const address = addressOf('ann')
      const values = { address, reason: 'unsubscribed', senderDomain: 'brand.test' }
      await ask('POST', '/api/suppressions/new', values)
      const mautic = await connect({ emails: [17], contacts: { 9: { email: address } } })
      assert.equal((await send(mautic, address))?.code, 550)
      assert.deepEqual((await listedBy(mautic))[0]?.slice(0, 3), ['9', '1', '17'])
    })

    test('who bounces in a single send of Mailyard, or is imported as bounced, is reported to no Mautic', async () => {
      const emailId = await fixture.email(transportId)
      const address = addressOf('refuse-550')
      const mautic = await connect({ contacts: { 9: { email: address } } })
      await fixture.sendTo(emailId, [address])
      const path = `/api/suppressions?address=${address}`
      assert.equal((await ask('GET', path)).body.total, 1)
      await ask('POST', '/api/suppressions/new', { address, reason: 'bounced' })
      assert.deepEqual(await reportsOf(mautic), [])
    })

    test('is taken off the list again when the suppression is undone, unless others have decided', async () => {
      const addresses = ['refuse-550', 'refuse-550', 'refuse-550'].map(addressOf)
      const [first, second, third] = addresses
      assert.ok(first && second && third)
      const contacts = { 7: { email: first }, 8: { email: second }, 9: { email: third } }
      const own = await addTransport(shared.service, { mailerDsn: catcher.dsn })
      await acceptSome(own.id)
      const mautic = await connect({ emails: [17], contacts, transportId: own.id })
      for (const address of addresses) assert.equal((await send(mautic, address))?.code, 550)
      assert.equal((await listedBy(mautic)).length, 3)
      const entry = mautic.double.data.doNotContact.find(({ lead_id }) => lead_id === '9')
      Object.assign(entry ?? {}, { reason: '1', comments: 'User unsubscribed.' })

      const query = `/api/suppressions?address=${first}&with=reportedTo`
      const { body } = await ask('GET', query)
      const [{ reportedTo }] = body.suppressions
      assert.deepEqual([reportedTo.length, reportedTo[0].id], [1, mautic.id])
      await ask('DELETE', `/api/suppressions/${body.suppressions[0].id}/delete`)
      assert.equal((await listedBy(mautic)).length, 2)
      await ask('POST', '/api/suppressions/new', { address: first, reason: 'bounced' })
      const again = await ask('GET', query)
      assert.deepEqual(again.body.suppressions[0].reportedTo, [])
      const filter = { transportId: own.id }
      const tried = await ask('POST', '/api/suppressions/delete?dryRun=1', filter)
      assert.deepEqual(tried.body, { suppressions: 2 })
      await ask('POST', '/api/suppressions/delete', filter)
      const [left, ...others] = await listedBy(mautic)
      assert.deepEqual(await reportsOf(mautic), [])
      assert.deepEqual([left?.slice(0, 2), others], [['9', '1'], []])
    })

    test('is neither reported nor suppressed where the transport refuses everyone', async () => {
      const [first, second] = [addressOf('refuse-550'), addressOf('refuse-550')]
      const broken = await addTransport(shared.service, { mailerDsn: catcher.dsn })
      const contacts = { 8: { email: first }, 9: { email: second } }
      const mautic = await connect({ emails: [17], contacts, transportId: broken.id })
      for (const address of [first, second]) assert.equal((await send(mautic, address))?.code, 550)
      const suppressionsOf = async (address: string) =>
        (await ask('GET', `/api/suppressions?address=${address}`)).body.total
      assert.deepEqual([await suppressionsOf(first), await suppressionsOf(second)], [0, 0])
      assert.deepEqual(await reportsOf(mautic), [])
      // Once it works, its word counts.
      await acceptSome(broken.id)
      const third = addressOf('refuse-550')
      assert.equal((await send(mautic, third))?.code, 550)
      const reports = await reportsOf(mautic)
      assert.deepEqual([reports.length, reports[0].address], [1, third])
      assert.equal(await suppressionsOf(third), 1)
    })
  },
)
