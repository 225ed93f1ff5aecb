import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBroadcastFixture } from '../../test/broadcasts/broadcast-fixture.ts'
import { addUser } from '../../test/callers.ts'
import { onEachDatabase } from '../../test/on-each-database.ts'
import { useScriptedServer } from '../../test/scripted-server.ts'
import { noTransport } from '../delivery/table.ts'
import { noneSkipped } from './producer.ts'
import { retryRefused } from './retry.ts'

onEachDatabase('refused recipients', (shared) => {
  const fixture = createBroadcastFixture(() => shared.service)
  const server = useScriptedServer()
  const ask: typeof shared.service.ask = (...request) => shared.service.ask(...request)
  const isDone = ({ state }: { state: string }) => state === 'done'

  /** A broadcast whose recipients were all refused. */
  const refuseAll = async (count: number) => {
    server.act = () => ({ code: 550, text: '5.7.1 You are blocked' })
    const emailId = await fixture.email(await fixture.transport(server.dsn))
    const { segment, contacts } = await fixture.segment(count)
    const id = await fixture.send(emailId, { segment })
    const done = await fixture.until(id, isDone)
    assert.equal(done.refused, count)
    server.act = () => undefined
    return { id, emailId, segment, contacts }
  }

  test('are listed with the reason, page by page', async () => {
    const { id, contacts } = await refuseAll(3)
    const path = `/api/broadcasts/${id}/recipients?state=refused&limit=2`
    const { body: first } = await ask('GET', path)
    const { body: second } = await ask('GET', `${path}&next=${first.next}`)
    const all = [...first.recipients, ...second.recipients]
    assert.deepEqual(
      all.map(({ contactId }) => contactId),
      contacts.map((contact) => contact.id),
    )
    assert.equal(second.next, null)
    assert.match(all[0].delivery.reply, /You are blocked/)
    const { as } = await addUser(shared.service, { email: ['view'], contact: ['view'] })
    const hidden = await ask('GET', path, undefined, { as })
    assert.equal(hidden.body.recipients[0].delivery.reply, '550 5.7.1')
    const { body: accepted } = await ask('GET', `/api/broadcasts/${id}/recipients?state=accepted`)
    assert.deepEqual(accepted, { recipients: [], next: null })
  })

  test('are sent to again, and the broadcast is done again', async () => {
    const { id, contacts } = await refuseAll(3)
    const { status, body } = await ask('POST', `/api/broadcasts/${id}/retry`)
    assert.equal(status, 200)
    assert.deepEqual([body.retried, body.skipped, body.broadcast.refused], [3, 0, 0])
    const done = await fixture.until(id, ({ accepted }) => accepted === 3)
    assert.deepEqual([done.refused, done.total], [0, 3])
    for (const { email } of contacts) assert.ok(server.taken.includes(email))
    const again = await ask('POST', `/api/broadcasts/${id}/retry`)
    assert.deepEqual([again.body.retried, again.body.skipped], [0, 0])
  })

  test('are skipped where they got the email meanwhile, or cannot get it any more', async () => {
    const { id, emailId, contacts } = await refuseAll(3)
    const [sent, gone, left] = contacts.map((contact) => contact.id)
    const other = await fixture.send(emailId, { contactIds: [sent] })
    await fixture.until(other, isDone)
    await ask('PATCH', `/api/contacts/${gone}/edit`, { isPublished: false })
    const { body } = await ask('POST', `/api/broadcasts/${id}/retry`)
    assert.deepEqual([body.retried, body.skipped], [1, 2])
    const done = await fixture.until(id, ({ accepted }) => accepted === 1)
    assert.deepEqual([done.refused, done.total], [2, 3])
    const page = await ask('GET', `/api/broadcasts/${id}/recipients?state=accepted`)
    assert.equal(page.body.recipients[0].contactId, left)
  })

  test('are skipped where their address is suppressed, and counted beforehand without a change', async () => {
    const { id, contacts } = await refuseAll(3)
    for (const { email } of contacts.slice(0, 2))
      await ask('POST', '/api/suppressions/new', { address: email, reason: 'bounced' })
    const counted = await ask('POST', `/api/broadcasts/${id}/retry?dryRun=1`)
    assert.equal(counted.status, 200, counted.text)
    assert.deepEqual([counted.body.retried, counted.body.skipped], [1, 2])
    assert.deepEqual([counted.body.broadcast.state, counted.body.broadcast.refused], ['done', 3])
    const { body } = await ask('POST', `/api/broadcasts/${id}/retry`)
    assert.deepEqual([body.retried, body.skipped], [1, 2])
    const done = await fixture.until(id, ({ accepted }) => accepted === 1)
    assert.deepEqual([done.refused, done.suppressed, done.total], [2, 0, 3])
    const none = await ask('POST', `/api/broadcasts/${id}/retry?dryRun=1`)
    assert.deepEqual([none.body.retried, none.body.skipped], [0, 2])
  })

  test('of a cancelled broadcast are left to another broadcast', async () => {
    const emailId = await fixture.email(null)
    const { segment } = await fixture.segment(1)
    const id = await fixture.send(emailId, { segment })
    await fixture.act(id, 'cancel')
    const { status, body } = await ask('POST', `/api/broadcasts/${id}/retry`)
    assert.equal(status, 409)
    assert.match(body.error, /Create another broadcast/)
  })

  test('are left alone if their broadcast is cancelled just before they are put back', async () => {
    const { storage } = shared.service.app
    server.act = (recipient) =>
      recipient.includes('-0@')
        ? { code: 550, text: '5.1.1 no such user' }
        : { code: 451, text: '4.3.0 later' }
    const emailId = await fixture.email(await fixture.transport(server.dsn))
    const { segment } = await fixture.segment(2)
    const id = await fixture.send(emailId, { segment })
    await fixture.until(id, ({ refused }) => refused === 1)
    await fixture.act(id, 'cancel')
    await fixture.untilSettled(id)
    const now = Date.now()
    const times = { now, expiresAt: now + 60_000, transportId: noTransport }
    const retried = await retryRefused(
      storage,
      { id, email_id: emailId, senderDomain: 'example.com' },
      times,
    )
    assert.deepEqual(retried, { retried: 0, skipped: 1 })
    const after = await fixture.get(id)
    assert.deepEqual([after.state, after.refused], ['cancelled', 1])
    const { body } = await ask('GET', `/api/queue/messages?broadcastId=${id}`)
    assert.deepEqual(body.messages, [])
  })
})

onEachDatabase('the recipients of a broadcast that is not created yet', (shared) => {
  const fixture = createBroadcastFixture(() => shared.service)
  const ask: typeof shared.service.ask = (...request) => shared.service.ask(...request)
  const count = (emailId: number, target: object) =>
    ask('POST', `/api/emails/${emailId}/send/count`, target)

  test('are counted, and those left out by reason', async () => {
    const emailId = await fixture.email(await fixture.transport('null://null'))
    const { segment, contacts } = await fixture.segment(5, (index) =>
      index === 0 ? { email: null } : { isPublished: index !== 1 },
    )
    const sent = await fixture.send(emailId, { contactIds: [contacts[2]?.id] })
    await fixture.until(sent, ({ state }) => state === 'done')
    const { status, body, text } = await count(emailId, { segment })
    assert.equal(status, 200, text)
    const skipped = { ...noneSkipped, alreadySent: 1, withoutAddress: 1, unpublished: 1 }
    const firstContactId = contacts[3]?.id
    assert.deepEqual(body, { recipients: 2, skipped, firstContactId, isComplete: true })
    const listed = await count(emailId, { contactIds: contacts.map(({ id }) => id) })
    assert.deepEqual(listed.body, body)
    const id = await fixture.send(emailId, { segment })
    const created = await fixture.until(id, ({ isPrepared }) => isPrepared)
    assert.deepEqual([created.total, created.skipped], [body.recipients, body.skipped])
  })

  test('are refused as the broadcast would be', async () => {
    const emailId = await fixture.email(null)
    assert.match(
      (await count(emailId, { segment: 'unknown' })).body.error,
      /no contact in a segment/,
    )
    assert.equal((await count(emailId, { contactIds: [999_999] })).status, 404)
    assert.equal((await count(emailId, {})).status, 400)
    const empty = await fixture.email(null, { plainText: null })
    assert.match((await count(empty, { segment: 'x' })).body.error, /no HTML and no text/)
  })
})

onEachDatabase('the list of broadcasts', (shared) => {
  const fixture = createBroadcastFixture(() => shared.service)

  test('is filtered by state and email', async () => {
    const emailId = await fixture.email(null)
    const { segment } = await fixture.segment(1)
    const id = await fixture.send(emailId, { segment })
    const idsOf = async (query: string) => {
      const { body } = await shared.service.ask('GET', `/api/broadcasts?emailId=${emailId}${query}`)
      return body.broadcasts.map((each: { id: number }) => each.id)
    }
    assert.deepEqual(await idsOf('&state=running'), [id])
    assert.deepEqual(await idsOf('&state=done'), [])
    await fixture.act(id, 'cancel')
    assert.deepEqual(await idsOf('&state=cancelled'), [id])
  })
})
