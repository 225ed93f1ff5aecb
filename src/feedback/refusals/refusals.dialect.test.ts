import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addTransport, addUser, uniqueName } from '../../../test/callers.ts'
import { logDeliveries } from '../../../test/log-deliveries.ts'
import { useMailCatcher } from '../../../test/mail-catcher.ts'
import { addMautic, closeMautics, submitMessage, type TestMautic } from '../../../test/mautics.ts'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import type { TestBody } from '../../../test/test-app.ts'
import { refusalOutcomes } from '../../delivery/outcomes.ts'
import type { DeliveryRow } from '../../delivery/table.ts'

const minuteMs = 60_000

onEachDatabase('a refused message of a Mautic', { isOwn: true }, (shared) => {
  const catcher = useMailCatcher()
  let transportId = 0
  const ask = (...asked: Parameters<typeof shared.service.ask>) => shared.service.ask(...asked)
  before(async () => {
    transportId = (await addTransport(shared.service, { mailerDsn: catcher.dsn })).id
  })
  after(closeMautics)

  const idle = () => shared.service.app.idle()
  const addressOf = (name: string) => `${name}.${uniqueName('c')}@rcpt.test`
  const send = (mautic: TestMautic, to: string, mode: 'direct' | 'queue' = 'direct') =>
    submitMessage(shared.service, mautic, {
      to,
      text: `X-EMAIL-ID: 17\nX-Contact-Id: 9\nSubject: ${uniqueName('x')}\n\nHello`,
      mode,
    })
  const log = async (mautic: TestMautic, ...rows: Partial<DeliveryRow>[]) => {
    const about = { mautic_id: mautic.id, started_at: shared.clock.now() }
    await logDeliveries(
      shared.service,
      rows.map((row) => ({ ...about, ...row })),
    )
  }
  const list = async ({ id }: { id: number }, query = ''): Promise<TestBody> => {
    const answer = await ask('GET', `/api/mautics/${id}/refusals${query}`)
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }
  const outcomesOf = ({ refusals }: TestBody) =>
    refusals.map(({ outcome }: TestBody) => outcome as string)

  test('is listed with its contact, its email, and the words of the server', async () => {
    const to = addressOf('refuse-554')
    const contacts = { 9: { email: to } }
    const mautic = await addMautic(shared.service, { transportId, emails: [17], contacts })
    assert.deepEqual(await list(mautic), { total: 0, refusals: [] })
    assert.deepEqual(await send(mautic, addressOf('ann')), ['250 2.0.0'])
    assert.deepEqual(await send(mautic, to, 'queue'), ['250 2.0.0'])
    await idle()
    const { refusals } = await list(mautic)
    const { id, date, transport, emailName, ...refusal } = refusals[0]
    assert.deepEqual(refusal, {
      outcome: 'refused',
      recipient: to,
      contactId: 9,
      emailId: 17,
      transportId,
      code: 554,
      status: '5.7.1',
      reason: 'not welcome',
    })
    assert.equal(emailName, mautic.double.data.emails.get(17).name)
    const { delivery } = (await ask('GET', `/api/deliveries/${id}`)).body
    assert.deepEqual([delivery.recipient, delivery.date], [to, date])
  })

  test('is listed if it was withheld, cancelled, has expired, or may have arrived', async () => {
    const mautic = await addMautic(shared.service, { transportId })
    const suppressed = addressOf('ann')
    await ask('POST', '/api/suppressions/new', { address: suppressed, reason: 'complained' })
    await send(mautic, suppressed, 'queue')
    await idle()
    const words = 'The message was not delivered in time. The last answer: 451 4.7.1 Greylisted'
    await log(
      mautic,
      { outcome: 'expired', reason: words },
      { outcome: 'cancelled' },
      { outcome: 'uncertain' },
      { outcome: 'deferred', reply: '451 4.2.0 try again later' },
      { outcome: 'refused', mautic_id: 0 },
      { outcome: 'accepted' },
      { outcome: 'started' },
    )
    const page = await list(mautic)
    assert.deepEqual(outcomesOf(page), ['uncertain', 'cancelled', 'expired', 'suppressed'])
    assert.deepEqual(outcomesOf(page).concat('refused').sort(), refusalOutcomes.toSorted())
    const expired = page.refusals[2]
    assert.deepEqual([expired.code, expired.status, expired.reason], [null, null, words])
  })

  test('is not listed if it is a bounce that was reported to the Mautic', async () => {
    const own = (await addTransport(shared.service, { mailerDsn: catcher.dsn })).id
    const mautic = await addMautic(shared.service, { transportId: own })
    // Nothing shows yet that the transport works, so this one is no bounce.
    const unclear = addressOf('refuse-550')
    await send(mautic, unclear)
    for (let count = 0; count < 4; count += 1) await send(mautic, addressOf('ann'))
    const bounced = addressOf('refuse-550')
    assert.deepEqual(await send(mautic, bounced), ['550 5.1.1'])
    const { reports } = (await ask('GET', `/api/mautics/${mautic.id}/reports`)).body
    assert.deepEqual([reports.length, reports[0].address], [1, bounced])
    const { refusals } = await list(mautic)
    assert.deepEqual([refusals.length, refusals[0].recipient], [1, unclear])
  })

  test('is listed if it is a bounce and its Mautic gets no reports', async () => {
    const own = (await addTransport(shared.service, { mailerDsn: catcher.dsn })).id
    const mautic = await addMautic(shared.service, { transportId: own })
    await ask('PATCH', `/api/mautics/${mautic.id}/edit`, { isReporting: false })
    for (let count = 0; count < 4; count += 1) await send(mautic, addressOf('ann'))
    const bounced = addressOf('refuse-550')
    assert.deepEqual(await send(mautic, bounced), ['550 5.1.1'])
    const suppressions = await ask('GET', `/api/suppressions?address=${bounced}`)
    assert.equal(suppressions.body.total, 1)
    const { refusals } = await list(mautic)
    assert.deepEqual([refusals.length, refusals[0].recipient], [1, bounced])
  })

  test('is found by its outcome and its time, and in pages', async () => {
    const mautic = await addMautic(shared.service)
    const at = Date.UTC(2026, 10, 20)
    await log(
      mautic,
      ...Array.from({ length: 5 }, (_, index) => {
        const outcome = index % 2 === 0 ? ('expired' as const) : ('cancelled' as const)
        return { outcome, started_at: at + index * 1_000, recipient: `${index}@rcpt.test` }
      }),
    )
    const recipientsOf = async (query: string) => {
      const { total, refusals } = await list(mautic, query)
      return [total, ...refusals.map(({ recipient }: TestBody) => Number(recipient[0]))]
    }
    assert.deepEqual(await recipientsOf(''), [5, 4, 3, 2, 1, 0])
    assert.deepEqual(await recipientsOf('?start=1&limit=2'), [5, 3, 2])
    assert.deepEqual(await recipientsOf('?outcome=cancelled'), [2, 3, 1])
    assert.deepEqual(await recipientsOf('?outcome=cancelled,expired&limit=1'), [5, 4])
    const times = 'from=2026-11-20T00:00:01Z&to=2026-11-20T00:00:03Z'
    assert.deepEqual(await recipientsOf(`?${times}`), [3, 3, 2, 1])
    for (const query of ['outcome=accepted', 'from=yesterday', 'start=10001', 'limit=x'])
      assert.equal((await ask('GET', `/api/mautics/${mautic.id}/refusals?${query}`)).status, 400)
  })

  test('is listed for those who may view Mautics, with what they may view', async () => {
    const mautic = await addMautic(shared.service)
    await log(mautic, {
      outcome: 'refused',
      reply: '554 5.7.1 ann@rcpt.test is blocked',
      recipient: 'ann@rcpt.test',
      contact_id: 9,
      transport: 'Fast',
    })
    const path = `/api/mautics/${mautic.id}/refusals`
    const sender = await addUser(shared.service, { email: ['full'] })
    assert.equal((await ask('GET', path, undefined, { as: sender.as })).status, 403)
    const viewer = await addUser(shared.service, { api: ['view'] })
    const [seen] = (await ask('GET', path, undefined, { as: viewer.as })).body.refusals
    assert.deepEqual(
      [seen.code, seen.status, seen.reason, seen.recipient, seen.contactId, seen.transport],
      [554, '5.7.1', null, '********', null, null],
    )
    assert.equal((await ask('GET', '/api/mautics/99999/refusals')).status, 404)
    // At the address of a Mautic, the connections of Mailyard are not served.
    const { username, password } = mautic.double.administrator
    const as = [username, password] as const
    const served = await ask('GET', `/mautic/${mautic.name}${path}`, undefined, { as })
    assert.equal(served.status, 404)
  })

  test('gives its contact a tag in its Mautic, if the Mautic is to be tagged', async () => {
    const [refused, withheld, cancelled] = ['ann', 'bob', 'carl'].map(addressOf)
    const addresses = { 9: refused, 10: withheld, 11: cancelled }
    const contacts = Object.entries(addresses).map(([id, email = '']) => [id, { email }])
    const mautic = await addMautic(shared.service, { contacts: Object.fromEntries(contacts) })
    const { data } = mautic.double
    data.contacts.get(9).tags = [{ id: 1, tag: 'vip' }]
    const changed = await ask('PATCH', `/api/mautics/${mautic.id}/edit`, { isTagging: true })
    assert.equal(changed.body.mautic.isTagging, true)
    await idle()
    shared.clock.advance(minuteMs)
    const row = (recipient = '', more: Partial<DeliveryRow> = {}) => {
      return { recipient, recipient_key: recipient, ...more }
    }
    await log(
      mautic,
      row(refused, { outcome: 'refused', contact_id: 9, reply: '554 5.7.1 not welcome' }),
      row(withheld, { outcome: 'suppressed', email_id: 17 }),
      row(cancelled, { outcome: 'cancelled', contact_id: 11 }),
    )
    shared.clock.advance(20 * minuteMs)
    const tagsOf = (id: number) => data.contacts.get(id).tags.map(({ tag }: TestBody) => tag)
    await idle()
    assert.deepEqual(
      [tagsOf(9), tagsOf(10), tagsOf(11)],
      [['vip', 'mailyard-refused'], ['mailyard-refused'], []],
    )
    assert.deepEqual(data.doNotContact, [])
    const { body } = await ask('GET', `/api/mautics/${mautic.id}/reports?state=done`)
    assert.deepEqual(
      body.reports.map(({ action, reason }: TestBody) => [action, reason]),
      [
        ['tag', 'refused'],
        ['tag', 'refused'],
      ],
    )
  })
})
