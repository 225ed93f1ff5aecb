import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { createEmail, setFields } from '../../../../test/mautic-double/mautic-data.ts'
import { readRecording } from '../../../../test/mautic-double/recordings.ts'
import { connectMautic, useMauticDouble } from '../../../../test/mautics.ts'
import { onEachDatabase } from '../../../../test/on-each-database.ts'
import { inTime } from '../in-time.ts'
import type { MauticTables } from '../table.ts'

onEachDatabase('what is found in a Mautic', { isStarted: false }, (shared) => {
  const mautic = useMauticDouble()
  let id: number
  beforeEach(async () => {
    id = (await connectMautic(shared.service, mautic)).id
  })
  afterEach(() => shared.ask('DELETE', `/api/mautics/${id}/delete`))

  const mautics = () => shared.service.app.mautics
  const asked = (path: string) =>
    mautic.requests.filter((request) => request.path.startsWith(path)).length
  const breakConnections = () => {
    mautic.behaviour.fault = () => 'reset'
  }
  const hash = '6b02f56536615581544452'

  test('an email that no run has seen is asked for once, and kept', async () => {
    mautic.data.emails.set(99, createEmail(99))
    const found = await Promise.all([1, 2, 3].map(() => mautics().emails.find(id, 99)))
    for (const email of found) assert.equal(email?.name, 'Newsletter 99')
    breakConnections()
    assert.equal((await mautics().emails.find(id, 99))?.id, 99)
    assert.equal(asked('/api/emails/99'), 1)
  })

  test('an email that does not exist is asked for again after a minute', async () => {
    assert.equal(await mautics().emails.find(id, 777), undefined)
    assert.equal(await mautics().emails.find(id, 777), undefined)
    assert.equal(asked('/api/emails/777'), 1)
    mautic.data.emails.set(777, createEmail(777))
    shared.clock.advance(60_001)
    assert.equal((await mautics().emails.find(id, 777))?.id, 777)
    mautic.data.emails.delete(777)
    for (const wrong of [0, -1, 1.5, Number.NaN])
      assert.equal(await mautics().emails.find(id, wrong), undefined)
  })

  test('an unknown email of a Mautic that does not answer is an error that says so', async () => {
    breakConnections()
    await assert.rejects(mautics().emails.find(id, 5), { kind: 'upstream' })
    assert.equal(await mautics().emails.find(999_999, 5), undefined)
  })

  test('a contact has all fields, owner and tags, as templates need them', async () => {
    assert.equal(await mautics().contacts.find(id, 99_999), undefined)
    const contact = mautic.data.contacts.get(17)
    setFields(contact, { city: 'Bern' })
    contact.tags = [{ id: 3, tag: 'vip', description: null }]
    const found = await mautics().contacts.find(id, 17)
    assert.deepEqual([found?.id, found?.email, found?.ownerId], [17, 'c17@rcpt.test', 8])
    assert.ok(found !== undefined)
    const { data } = found
    assert.deepEqual([data['firstname'], data['city'], data['id']], ['First17', 'Bern', 17])
    assert.deepEqual(data['tags'], { 3: 'vip' })
    const names = { username: 'user8', firstName: 'Hana', lastName: 'Owner8' }
    assert.deepEqual(data['owner'], { id: 8, ...names, email: 'owner8@lab.test' })
    contact.tags = []
  })

  test('segments are read only where they are asked for', async () => {
    await mautics().contacts.find(id, 30)
    assert.equal(asked('/api/contacts/30/segments'), 0)
    const found = await mautics().contacts.find(id, 30, { hasSegments: true })
    assert.deepEqual(found?.data['segments'], {})
    await mautics().contacts.find(id, 30, { hasSegments: true })
    assert.equal(asked('/api/contacts/30/segments'), 1)
  })

  test('a contact is cached for a minute, and longer while Mautic is unreachable', async () => {
    await mautics().contacts.find(id, 21)
    await mautics().contacts.find(id, 21)
    assert.equal(asked('/api/contacts/21'), 1)
    setFields(mautic.data.contacts.get(21), { firstname: 'Changed' })
    shared.clock.advance(60_001)
    assert.equal((await mautics().contacts.find(id, 21))?.data['firstname'], 'Changed')
    breakConnections()
    shared.clock.advance(3_600_000)
    assert.equal((await mautics().contacts.find(id, 21))?.data['firstname'], 'Changed')
    shared.clock.advance(86_400_000)
    await assert.rejects(mautics().contacts.find(id, 21), { kind: 'upstream' })
    await assert.rejects(mautics().contacts.find(id, 22), { kind: 'upstream' })
  })

  test('a message is found by its tracking hash, once for concurrent callers', async () => {
    const found = await Promise.all([1, 2, 3].map(() => mautics().sends.find(id, hash)))
    const [row] = readRecording('081').response.body.stats
    const expected = { hash, emailId: 2, contactId: 301, address: row.email_address }
    assert.deepEqual(found, [expected, expected, expected])
    breakConnections()
    assert.deepEqual(await mautics().sends.find(id, hash), expected)
    assert.equal(asked('/api/stats/email_stats'), 1)
  })

  test('an answer that comes too late is kept for the next message', async () => {
    mautic.behaviour.delayMs = 60
    assert.equal(await inTime(mautics().sends.find(id, hash), 'late', 0), 'late')
    assert.equal((await mautics().sends.find(id, hash))?.hash, hash)
    assert.equal(asked('/api/stats/email_stats'), 1)
    mautic.behaviour.delayMs = 0
  })

  test('unknown hashes, other texts and an unreachable Mautic find nothing', async () => {
    const { sends } = mautics()
    assert.equal(await sends.find(id, '6b00000000000000000000'), undefined)
    const before = mautic.requests.length
    for (const text of ['', 'short', `${hash}'`, `${hash}%00`, 'x'.repeat(100)])
      assert.equal(await sends.find(id, text), undefined)
    assert.equal(mautic.requests.length, before)
    breakConnections()
    await assert.rejects(sends.find(id, '6b11111111111111111111'), { kind: 'upstream' })
  })

  test('messages are kept for 30 days', async () => {
    const { sends } = mautics()
    const sent = '6b02feab25fa0791128706'
    const send = { hash: sent, emailId: 2, contactId: 19, address: 'A@b.test' }
    await sends.save(id, [send])
    assert.deepEqual(await sends.find(id, send.hash), { ...send, address: 'a@b.test' })
    shared.clock.advance(30 * 86_400_000 + 1)
    await sends.prune()
    const db = shared.service.app.storage.tables<MauticTables>()
    const left = db.selectFrom('mautic_sends').where('mautic_id', '=', id).selectAll()
    assert.deepEqual(await left.execute(), [])
  })
})
