import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { useBrandUsers } from '../../../../test/brand-callers.ts'
import { addUser } from '../../../../test/callers.ts'
import { setFields } from '../../../../test/mautic-double/mautic-data.ts'
import {
  addBrand,
  connectMautic,
  markReinstalled,
  synchronizeMautic,
  useMauticDouble,
} from '../../../../test/mautics.ts'
import { clockAt } from '../../../../test/movable-clock.ts'
import { onEachDatabase } from '../../../../test/on-each-database.ts'
import type { TestBody } from '../../../../test/test-app.ts'
import type { MauticTables } from '../table.ts'
import type { NewReport } from './report.ts'

onEachDatabase('a report to a Mautic', { isOwn: true }, (shared) => {
  const double = useMauticDouble()
  let mauticId = 0
  const { ask } = shared
  const as = useBrandUsers(shared)
  before(async () => {
    mauticId = await connect()
  })

  const connect = async (values?: object): Promise<number> =>
    (await connectMautic(shared.service, double, values)).id
  const add = (...reports: Partial<NewReport>[]) => {
    const common = { mauticId, contactId: null, emailId: 17, comments: '550 5.1.1 no such user' }
    const each = reports.map((report) => ({
      ...common,
      address: 'gone@rcpt.test',
      reason: 'bounced' as const,
      ...report,
    }))
    return shared.service.app.mautics.reports.add(each)
  }
  const list = async (query = '', id = mauticId) =>
    (await ask('GET', `/api/mautics/${id}/reports${query}`)).body
  const find = async (address: string, id = mauticId) =>
    (await list('?limit=1000', id)).reports.find((each: TestBody) => each.address === address)
  const idle = () => shared.service.app.mautics.idle()
  const findEnded = async (address: string, id = mauticId) => {
    await idle()
    const report = await find(address, id)
    assert.notEqual(report.state, 'queued', address)
    return report
  }
  const listed = () =>
    double.requests
      .filter(({ path }) => path.endsWith('/dnc/email/add'))
      .map(({ path, body }) => [path, body])

  test('puts the contact on Do not contact, with the email and the words of the server', async () => {
    await add({ address: 'c20@rcpt.test', contactId: 20 })
    const { dateAdded, dateEnded, id, ...report } = await findEnded('c20@rcpt.test')
    assert.deepEqual(report, {
      address: 'c20@rcpt.test',
      contactId: 20,
      emailId: 17,
      reason: 'bounced',
      action: 'add',
      comments: '550 5.1.1 no such user',
      state: 'done',
      attempts: 1,
      nextAttempt: null,
      problem: null,
    })
    const body = { reason: 2, channelId: 17, comments: '550 5.1.1 no such user' }
    assert.deepEqual(listed(), [['/api/contacts/20/dnc/email/add', body]])
    const entry = double.data.doNotContact.find((row) => row.lead_id === '20')
    assert.deepEqual([entry.reason, entry.channel_id], ['2', '17'])
  })

  test('is made of a suppression of a brand for the Mautics of the brand, and taken back from these', async () => {
    const brand = await addBrand(shared.service)
    const own = await connect({ brand })
    const address = 'c22@rcpt.test'
    const suppress = async (values: object) => {
      const { body, text } = await ask('POST', '/api/suppressions/new', { address, ...values })
      await idle()
      return body.suppression?.id ?? assert.fail(text)
    }
    const shownTo = async (id: number, options = {}) => {
      const path = `/api/suppressions?search=ids:${id}&with=reportedTo`
      const [found] = (await ask('GET', path, undefined, options)).body.suppressions
      return found.reportedTo.map((each: TestBody) => each.id)
    }
    const id = await suppress({ brand })
    assert.equal(await find(address), undefined)
    assert.equal((await find(address, own)).state, 'done')
    assert.deepEqual(await shownTo(id), [own])
    const ofAll = await suppress({ brand: null })
    assert.equal((await find(address)).state, 'done')
    assert.deepEqual(await shownTo(ofAll), [mauticId, own])
    assert.deepEqual(await shownTo(ofAll, await as(brand)), [own])
    await ask('DELETE', `/api/suppressions/${ofAll}/delete`)
    await idle()
    assert.equal(await find(address), undefined)
    assert.equal((await find(address, own)).action, 'add')
    await ask('DELETE', `/api/suppressions/${id}/delete`)
    await idle()
    assert.equal(await find(address, own), undefined)
    await ask('DELETE', `/api/mautics/${own}/delete`)
  })

  test('finds the contacts by their address where none is known, or where its address has changed', async () => {
    setFields(double.data.contacts.get(35), { email: 'c31@rcpt.test' })
    await add(
      { address: 'c31@rcpt.test', emailId: null, reason: 'manual' },
      { address: 'c32@rcpt.test', contactId: 99_999 },
      { address: 'c33@rcpt.test', contactId: 34, reason: 'unsubscribed' },
    )
    for (const address of ['c31@rcpt.test', 'c32@rcpt.test', 'c33@rcpt.test'])
      assert.equal((await findEnded(address)).state, 'done')
    const sent = new Map(listed().map(([path, body]) => [path.split('/')[3], body]))
    assert.deepEqual([...sent.keys()].sort(), ['31', '32', '33', '35'])
    assert.deepEqual(sent.get('31'), { reason: 3, comments: '550 5.1.1 no such user' })
    assert.equal(sent.get('33').reason, 1)
  })

  test('fails for an address that no contact has, and is deleted where no message is known', async () => {
    await add({ address: 'stranger@rcpt.test' })
    const { state, problem } = await findEnded('stranger@rcpt.test')
    assert.deepEqual([state, problem], ['failed', 'No contact of this Mautic has the address.'])
    await add({ address: 'other@rcpt.test', emailId: null })
    await idle()
    assert.equal(await find('other@rcpt.test'), undefined)
    assert.deepEqual(listed(), [])
  })

  test('without a message is identified by one request for all that are due', async () => {
    const addresses = ['none1@rcpt.test', 'c36@rcpt.test', 'none2@rcpt.test']
    await add(...addresses.map((address) => ({ address, emailId: null })))
    await idle()
    assert.equal((await find('c36@rcpt.test')).state, 'done')
    for (const address of ['none1@rcpt.test', 'none2@rcpt.test'])
      assert.equal(await find(address), undefined)
    const searches = double.requests.filter(({ path }) => path.startsWith('/api/contacts?'))
    assert.equal(searches.length, 1)
  })

  test('is made once for each address and reason, and again only after an hour', async () => {
    const report = { address: 'c41@rcpt.test', contactId: 41 }
    await add(report, report)
    await idle()
    await add(report, { ...report, address: 'C41@rcpt.test' })
    await add({ ...report, reason: 'unsubscribed' })
    await idle()
    assert.equal((await list('?state=queued')).total, 0)
    assert.deepEqual(
      listed().map(([, { reason }]) => reason),
      [2, 1],
    )
    shared.clock.advance(3_700_000)
    await add(report)
    await findEnded('c41@rcpt.test')
    assert.equal(listed().length, 3)
  })

  test('waits while its Mautic does not work, and is sent when it works again', async () => {
    double.behaviour.fault = () => 503
    await add({ address: 'c50@rcpt.test', contactId: 50 })
    await idle()
    const waiting = await find('c50@rcpt.test')
    assert.equal(waiting.state, 'queued')
    assert.match(waiting.problem, /was answered 503/)
    // The contact was taken off the list: what has ended is forgotten, and what waits is not.
    await shared.service.app.mautics.reports.forgetEnded(mauticId, 'c50@rcpt.test')
    double.behaviour.fault = () => undefined
    shared.clock.advance(15_000)
    assert.equal((await findEnded('c50@rcpt.test')).state, 'done')
  })

  test('that a process has claimed and not sent is sent by another one', async () => {
    const id = await connect({ isPublished: false })
    await add({ mauticId: id, address: 'c54@rcpt.test', contactId: 54 })
    const { mautics, storage } = shared.service.app
    const { outbox } = mautics.reports
    // It is due for the first process alone, whose clock is ahead.
    const reports = storage.tables<MauticTables>().updateTable('mautic_reports')
    const dueAt = shared.clock.now() + 30_000
    await reports.set({ due_at: dueAt }).where('mautic_id', '=', id).execute()
    await ask('PATCH', `/api/mautics/${id}/edit`, { isPublished: true })
    const clock = clockAt(() => shared.clock.now() + 60_000)
    const first = await shared.openAnother({ clock, isStarted: false })
    const claimed = await first.app.mautics.reports.outbox.claim(id)
    assert.equal(claimed?.attempts, 1)
    shared.clock.advance(60_000)
    assert.equal(await outbox.claim(id), undefined)
    shared.clock.advance(120_001)
    const { state, attempts } = await findEnded('c54@rcpt.test', id)
    assert.deepEqual([state, attempts], ['done', 2])
    // What the first process says now is late.
    await outbox.settle(claimed, { state: 'failed', problem: 'late' })
    assert.equal((await find('c54@rcpt.test', id)).state, 'done')
  })

  test('is given up after a week of failures, and is sent when a person retries it', async () => {
    const id = await connect()
    double.behaviour.fault = () => 403
    await add({ mauticId: id, address: 'c51@rcpt.test', contactId: 51 })
    for (let days = 0; days < 7; days += 1) {
      await idle()
      assert.equal((await find('c51@rcpt.test', id)).state, 'queued')
      shared.clock.advance(86_400_001)
    }
    assert.equal((await findEnded('c51@rcpt.test', id)).state, 'failed')
    double.behaviour.fault = () => undefined
    shared.clock.advance(60_000)
    const report = await find('c51@rcpt.test', id)
    const retried = await ask('POST', `/api/mautics/${id}/reports/${report.id}/retry`)
    assert.deepEqual([retried.status, retried.body.report.state], [200, 'queued'])
    assert.equal((await findEnded('c51@rcpt.test', id)).state, 'done')
  })

  test('is not queued for a Mautic that gets none, and waits for one that is not published', async () => {
    const silent = await connect({ isReporting: false })
    const closed = await connect({ isPublished: false })
    await add({ mauticId: silent }, { mauticId: closed }, { mauticId: 987_654 })
    assert.equal((await list('', silent)).total, 0)
    assert.equal((await find('gone@rcpt.test', closed)).state, 'queued')
    await ask('PATCH', `/api/mautics/${closed}/edit`, { isPublished: true })
    assert.equal((await findEnded('gone@rcpt.test', closed)).state, 'failed')
  })

  test('waits while its Mautic is reinstalled, and then names none of the old ids', async () => {
    const id = await connect()
    const { mautics } = shared.service.app
    await synchronizeMautic(shared.service, id)
    await markReinstalled(shared.service, id)
    await add({ mauticId: id, address: 'c55@rcpt.test', contactId: 155 })
    // A report to another Mautic shows that reports are being sent.
    await add({ address: 'c55@rcpt.test', contactId: 55 })
    await findEnded('c55@rcpt.test')
    assert.equal((await find('c55@rcpt.test', id)).attempts, 0)
    double.requests.length = 0
    await mautics.acceptReinstalled(id)
    await findEnded('c55@rcpt.test', id)
    const body = { reason: 2, comments: '550 5.1.1 no such user' }
    assert.deepEqual(listed(), [['/api/contacts/55/dnc/email/add', body]])
  })

  test('can be deleted, and is deleted with its Mautic', async () => {
    const id = await connect({ isPublished: false })
    await add({ mauticId: id }, { mauticId: id, address: 'other@rcpt.test' })
    const { id: reportId } = await find('other@rcpt.test', id)
    const path = `/api/mautics/${id}/reports/${reportId}/delete`
    assert.equal((await ask('DELETE', path)).body.report.address, 'other@rcpt.test')
    assert.equal((await ask('DELETE', path)).status, 404)
    assert.equal((await list('', id)).total, 1)
    assert.equal((await ask('DELETE', `/api/mautics/${id}/delete`)).status, 200)
    assert.equal((await ask('GET', `/api/mautics/${id}/reports`)).status, 404)
  })

  test('of one Mautic is not seen or changed through another one', async () => {
    const id = await connect({ isPublished: false })
    await add({ mauticId: id })
    const { id: reportId } = await find('gone@rcpt.test', id)
    const answer = await ask('DELETE', `/api/mautics/${mauticId}/reports/${reportId}/delete`)
    assert.equal(answer.status, 404)
    const { as } = await addUser(shared.service, { api: ['view'] })
    const retry = `/api/mautics/${id}/reports/${reportId}/retry`
    assert.equal((await ask('POST', retry, undefined, { as })).status, 403)
  })

  test('is made of a suppression, for the Mautics that have sent from its sender domain', async () => {
    const { senderDomains } = shared.service.app.mautics
    // What is on their own lists is taken over, and reported to the other one.
    double.data.doNotContact = []
    const [one, other] = [await connect(), await connect()]
    await senderDomains.note(one, ['one.example', 'both.example'])
    await senderDomains.note(other, ['both.example'])
    const suppress = (address: string, values: object) =>
      ask('POST', '/api/suppressions/new', { address, ...values })
    await suppress('c71@rcpt.test', { reason: 'unsubscribed', senderDomain: 'one.example' })
    await suppress('c72@rcpt.test', { reason: 'unsubscribed', senderDomain: 'both.example' })
    await suppress('c73@rcpt.test', { reason: 'manual' })
    await suppress('c74@rcpt.test', { reason: 'complained', source: `mautic ${other}` })
    await suppress('c75@rcpt.test', { reason: 'manual', senderDomain: 'elsewhere.example' })
    await suppress('c76@rcpt.test', { reason: 'bounced' })
    await suppress('no-contact@rcpt.test', { reason: 'manual' })
    await idle()
    const sentTo = async (id: number) => {
      const { reports } = await list('', id)
      return reports.map(({ address, reason, state }: TestBody) => [address, reason, state]).sort()
    }
    assert.deepEqual(await sentTo(one), [
      ['c71@rcpt.test', 'unsubscribed', 'done'],
      ['c72@rcpt.test', 'unsubscribed', 'done'],
      ['c73@rcpt.test', 'manual', 'done'],
      ['c74@rcpt.test', 'unsubscribed', 'done'],
    ])
    assert.deepEqual(await sentTo(other), [
      ['c72@rcpt.test', 'unsubscribed', 'done'],
      ['c73@rcpt.test', 'manual', 'done'],
    ])
    const { comments } = await find('c74@rcpt.test', one)
    assert.match(comments, /reported an email as spam/)
  })

  test('that has ended is deleted after a month', async () => {
    await add({ address: 'c60@rcpt.test', contactId: 60 })
    await findEnded('c60@rcpt.test')
    shared.clock.advance(31 * 86_400_000)
    await shared.service.app.mautics.reports.outbox.prune()
    assert.equal((await list()).total, 0)
  })
})
