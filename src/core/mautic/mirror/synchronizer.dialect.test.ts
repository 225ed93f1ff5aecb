import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { createEmail } from '../../../../test/mautic-double/mautic-data.ts'
import {
  type MauticDouble,
  startMauticDouble,
} from '../../../../test/mautic-double/mautic-double.ts'
import { connectMautic, readMauticChanges, synchronizeMautic } from '../../../../test/mautics.ts'
import { onEachDatabase } from '../../../../test/on-each-database.ts'
import { until } from '../../../../test/until.ts'
import { StateStore } from '../state-store.ts'
import type { MauticTables } from '../table.ts'

onEachDatabase('the synchronization with Mautic', { isStarted: false }, (shared) => {
  let mautic: MauticDouble
  let id: number
  beforeEach(async () => {
    mautic = await startMauticDouble()
    id = (await connectMautic(shared.service, mautic)).id
  })
  afterEach(async () => {
    await shared.ask('DELETE', `/api/mautics/${id}/delete`)
    await mautic.close()
  })

  const synchronize = () => synchronizeMautic(shared.service, id)
  const statusOf = async () => (await shared.ask('GET', `/api/mautics/${id}`)).body.mautic.status
  const tables = () => shared.service.app.storage.tables<MauticTables>()
  const namesOf = async (mauticId = id) => {
    const query = tables().selectFrom('mautic_emails').select(['id', 'name'])
    const rows = await query.where('mautic_id', '=', mauticId).orderBy('id').execute()
    return Object.fromEntries(rows.map((row) => [row.id, row.name]))
  }
  const readChanges = () => readMauticChanges(shared.service)
  const findTested = async () => {
    const { emails } = shared.service.app.mautics
    return (await emails.findTested(id, 'News 17 for [First Name]')).map((email) => email.id)
  }
  const later = '2026-11-22T18:00:00+00:00'

  test('chooses no email by its subject while another one with the subject may not be read yet', async () => {
    await assert.rejects(findTested(), { kind: 'upstream' })
    await synchronize()
    assert.deepEqual(await findTested(), [17])
    mautic.data.emails.set(41, { ...createEmail(17), id: 41, dateAdded: later })
    mautic.behaviour.fault = ({ path }) => (path.startsWith('/api') ? 500 : undefined)
    await readChanges()
    await assert.rejects(findTested(), { kind: 'upstream', message: /answered 500/ })
    mautic.behaviour.fault = () => undefined
    await readChanges()
    assert.deepEqual(await findTested(), [17, 41])
  })

  test('reads all emails and users', async () => {
    await synchronize()
    const { emails, users, problem, dateRead, dateReadAll } = await statusOf()
    assert.deepEqual([emails, users, problem], [40, 12, null])
    assert.equal(dateRead, dateReadAll)
    const { mautics } = shared.service.app
    assert.partialDeepStrictEqual(await mautics.emails.find(id, 17), {
      id: 17,
      name: 'Newsletter 17',
      subject: 'News 17 for {contactfield=firstname}',
    })
    const user = await mautics.users.findByEmail(id, ' Owner5@LAB.test ')
    assert.deepEqual([user?.id, user?.first_name], [5, 'Emil'])
  })

  test('reads what was changed and added since', async () => {
    await synchronize()
    Object.assign(mautic.data.emails.get(3), { name: 'Renamed', dateModified: later })
    mautic.data.emails.set(41, { ...createEmail(41), dateAdded: later, dateModified: later })
    const { users } = mautic.data
    const added = { id: 13, username: 'new', email: 'new@lab.test', dateAdded: later }
    users.set(13, { ...users.get(5), ...added })
    mautic.requests.length = 0
    await readChanges()
    const names = await namesOf()
    assert.deepEqual([names[3], names[41]], ['Renamed', 'Newsletter 41'])
    assert.equal((await shared.service.app.mautics.users.find(id, 13))?.username, 'new')
    const lists = mautic.requests.filter(({ path }) => path.includes('limit='))
    assert.ok(lists.every(({ path }) => /date(Modified|Added|_added)/.test(path)))
  })

  test('what was deleted disappears with the next full run', async () => {
    await synchronize()
    mautic.data.emails.delete(7)
    mautic.data.users.delete(4)
    await synchronize()
    assert.equal((await namesOf())[7], undefined)
    assert.equal((await statusOf()).users, 11)
  })

  test('numbers as text and empty lists of any form are read alike', async () => {
    mautic.behaviour.hasTextNumbers = true
    mautic.behaviour.emptyList = '{}'
    await synchronize()
    await readChanges()
    const { emails, users, problem } = await statusOf()
    assert.deepEqual([emails, users, problem], [40, 12, null])
  })

  test('while Mautic fails, what is known stays, and the problem says since when', async () => {
    await synchronize()
    mautic.behaviour.fault = ({ path }) => (path.startsWith('/api') ? 500 : undefined)
    await readChanges()
    const failed = await statusOf()
    assert.match(failed.problem, /answered 500/)
    assert.notEqual(failed.problemSince, null)
    assert.equal(failed.emails, 40)
    await mautic.stop()
    await readChanges()
    const gone = await statusOf()
    assert.match(gone.problem, /connection refused/)
    assert.equal(gone.problemSince, failed.problemSince)
    await mautic.start()
    mautic.behaviour.fault = () => undefined
    await readChanges()
    const restored = await statusOf()
    assert.deepEqual([restored.problem, restored.problemSince], [null, null])
  })

  test('an error of Mailyard itself is no problem of a Mautic', async (t) => {
    const { webhooks } = shared.service.app.mautics
    const inspect = t.mock.method(webhooks, 'inspect', () => Promise.reject(new Error('A fault.')))
    await synchronize()
    assert.deepEqual([inspect.mock.callCount() > 0, (await statusOf()).problem], [true, null])
  })

  test('a list that breaks off in the middle deletes nothing', async () => {
    await synchronize()
    const { emails } = mautic.data
    for (let number = 41; number <= 1_100; number += 1) emails.set(number, createEmail(number))
    let pages = 0
    mautic.behaviour.fault = ({ path }) =>
      path.startsWith('/api/emails') && ++pages > 1 ? 'reset' : undefined
    await synchronize()
    const { emails: known, problem } = await statusOf()
    assert.equal(known, 40)
    assert.notEqual(problem, null)
    mautic.behaviour.fault = () => undefined
    await synchronize()
    assert.equal((await statusOf()).emails, 1_100)
  })

  test('an answer without the list, or with parts of it, deletes nothing', async () => {
    await synchronize()
    const answers = [
      {},
      [],
      { total: '40', emails: [] },
      { emails: [] },
      { total: '0', emails: [], errors: [{ message: 'Maintenance', code: 500 }] },
      { total: '2', emails: [{}, null] },
    ]
    for (const body of answers) {
      mautic.behaviour.fault = ({ path }) => (path.startsWith('/api/emails') ? { body } : undefined)
      await synchronize()
      const status = await statusOf()
      assert.partialDeepStrictEqual(status, { isReinstalled: false, emails: 40 })
      assert.match(status.problem, /has no (emails|ids)/)
    }
  })

  test('a role that may not see users does not keep emails from being read', async () => {
    const { username, password } = mautic.limited
    const change = { clientId: null, clientSecret: null, username, password }
    await shared.ask('PATCH', `/api/mautics/${id}/edit`, change)
    await synchronize()
    const { emails, problem } = await statusOf()
    assert.equal(emails, 40)
    assert.match(problem, /\/api\/users was answered 403/)
  })

  test('a reinstalled Mautic overwrites nothing until an administrator accepts it', async () => {
    await synchronize()
    const { emails } = mautic.data
    for (const [number] of emails)
      emails.set(number, { ...createEmail(number), name: `Other ${number}`, dateAdded: later })
    await synchronize()
    const status = await statusOf()
    assert.equal(status.isReinstalled, true)
    assert.match(status.problem, /"Newsletter 1" and is now "Other 1"/)
    assert.equal((await namesOf())[17], 'Newsletter 17')
    mautic.requests.length = 0
    await synchronize()
    assert.equal(mautic.requests.length, 0)
    await shared.askFor('POST', `/api/mautics/${id}/accept`)
    await synchronize()
    assert.equal((await namesOf())[17], 'Other 17')
    assert.partialDeepStrictEqual(await statusOf(), { problem: null, isReinstalled: false })
  })

  test('a reading that goes on does not hide that a Mautic was reinstalled', async (t) => {
    const { mautics, storage } = shared.service.app
    const note = () => new StateStore(storage).noteReinstalled(id, 'Other.')
    t.mock.method(mautics.webhooks, 'inspect', note)
    await synchronize()
    assert.partialDeepStrictEqual(await statusOf(), { isReinstalled: true, problem: 'Other.' })
  })

  test('a Mautic without any of the known emails is another one', async () => {
    await synchronize()
    mautic.data.emails.clear()
    await synchronize()
    assert.partialDeepStrictEqual(await statusOf(), { isReinstalled: true, emails: 40 })
  })

  test('one email that was added at another time is enough to notice it', async () => {
    await shared.service.app.mautics.emails.find(id, 5)
    await tables().updateTable('mautic_emails').set({ date_added: 1 }).execute()
    await readChanges()
    assert.equal((await statusOf()).isReinstalled, true)
  })

  test('two Mautics with the same ids never mix', async () => {
    const other = await startMauticDouble({ emails: 3, users: 2 })
    Object.assign(other.data.emails.get(2), { name: 'Of the other' })
    const { id: otherId } = await connectMautic(shared.service, other)
    await shared.service.app.mautics.idle()
    assert.equal((await namesOf())[2], 'Newsletter 2')
    const ofOther = { 1: 'Newsletter 1', 2: 'Of the other', 3: 'Newsletter 3' }
    assert.deepEqual(await namesOf(otherId), ofOther)
    await shared.ask('DELETE', `/api/mautics/${otherId}/delete`)
    assert.deepEqual(await namesOf(otherId), {})
    assert.equal((await statusOf()).emails, 40)
    await other.close()
  })

  test('only one process reads a Mautic, and another one goes on when it ends', async () => {
    const { mautics } = shared.service.app
    mautic.behaviour.fault = ({ path }) => (path.startsWith('/api') ? 'hang' : undefined)
    const another = await shared.openAnother({ isStarted: false })
    const running = another.app.mautics.idle()
    await until(() => mautic.requests.length === 2, 'the other process has logged in and reads it')
    await mautics.idle()
    assert.equal(mautic.requests.length, 2)
    mautic.behaviour.fault = () => undefined
    await Promise.all([another.app.mautics.stop(), running])
    await mautics.idle()
    assert.equal((await statusOf()).emails, 40)
  })

  test('a new Mautic is read at once, and an unpublished one is not', async () => {
    const { mautics } = shared.service.app
    await shared.ask('PATCH', `/api/mautics/${id}/edit`, { isPublished: false })
    await mautics.idle()
    assert.equal(mautic.requests.length, 0)
    await shared.ask('PATCH', `/api/mautics/${id}/edit`, { isPublished: true })
    await mautics.idle()
    assert.equal((await statusOf()).emails, 40)
  })
})
