import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { useBrandCallers } from '../../../test/brand-callers.ts'
import { addReachedLimit, addTransport, addUser } from '../../../test/callers.ts'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import { createTestQueue } from '../../../test/queue/test-queue.ts'
import type { TestAnswer, TestBody } from '../../../test/test-app.ts'
import { defaultTransport, noTransport } from '../delivery/table.ts'

const hourMs = 3_600_000

onEachDatabase('the queue API', { isStarted: false }, (shared) => {
  const queue = createTestQueue(shared)
  const { add, ask, idOf } = queue
  const callers = useBrandCallers(shared)
  beforeEach(() => queue.clear())
  const counts = async () => {
    // The numbers are kept for some seconds.
    shared.clock.advance(60_000)
    return (await ask('GET', '/api/queue')).body
  }
  const addressesOf = ({ body }: Pick<TestAnswer, 'body'>) =>
    body.messages.map(({ recipient }: TestBody) => recipient)

  test('counts by transport, lane and state, with the oldest and the next attempt', async () => {
    const now = shared.clock.now()
    const { transportId } = queue
    await add({ recipient: 'due@a.test', transport_id: transportId, due_at: now - 1 })
    await add({ recipient: 'later@a.test', transport_id: transportId, due_at: now + hourMs })
    await add({ recipient: 'held@a.test', state: 'held', transport_id: transportId })
    await add({ recipient: 'bulk@a.test', lane: 'bulk', transport_id: transportId })
    await add({ recipient: 'new@a.test', transport_id: noTransport, state: 'uncertain' })
    await add({ recipient: 'default@a.test', transport_id: defaultTransport, state: 'claimed' })
    const { groups, total, bytes, oldest } = await counts()
    const [unrouted, byDefault, first, bulk] = groups
    const names = groups.map(({ transport, lane }: TestBody) => `${transport} ${lane}`)
    const expected = ['null transactional', 'default transactional', 'T transactional', 'T bulk']
    assert.deepEqual(names, expected)
    assert.deepEqual([byDefault.sending, byDefault.nextAttempt], [1, null])
    assert.deepEqual([unrouted.uncertain, unrouted.state], [1, null])
    assert.deepEqual([first.queued, first.deferred, first.held], [1, 1, 1])
    assert.deepEqual([first.state, bulk.queued], ['available', 1])
    assert.deepEqual(total, { queued: 2, deferred: 1, sending: 1, held: 1, uncertain: 1 })
    assert.equal(bytes, 6 * queue.sizeBytes)
    assert.equal(oldest, first.oldest)
    assert.equal(Date.parse(first.nextAttempt), Math.floor((now - 1) / 1_000) * 1_000)
  })

  test('shows that a limit is reached, which one and until when, to those who may see transports', async () => {
    const { transportId } = queue
    const { id } = await addReachedLimit(shared.service, transportId)
    await add({ recipient: 'a@a.test', transport_id: transportId })
    const [group] = (await counts()).groups
    assert.deepEqual([group.state, group.limit], ['limited', { id, name: 'SES' }])
    assert.match(group.availableAt, /T00:00:00\+00:00$/)
    const { as } = await addUser(shared.service, { queue: ['view'] })
    const [seen] = (await ask('GET', '/api/queue', undefined, { as })).body.groups
    assert.deepEqual([seen.state, seen.limit], ['limited', null])
    await ask('DELETE', `/api/limits/${id}/delete`)
    const [free] = (await counts()).groups
    assert.deepEqual([free.state, free.limit, free.availableAt], ['available', null, null])
  })

  test('callers with a brand list, count and read only its messages; others do not exist', async () => {
    const { own, other } = callers
    const { transportId } = queue
    for (const [recipient, brand_id] of [
      ['own@a.test', own.brand],
      ['other@a.test', other.brand],
      ['none@a.test', 0],
    ] as const)
      await add({ recipient, brand_id, transport_id: transportId, size_bytes: 7 })
    const listed = await own.ask('GET', '/api/queue/messages')
    assert.deepEqual(addressesOf(listed), ['own@a.test'])
    assert.equal(listed.body.messages[0].brand, own.brand)
    for (const filter of [
      `brand=${other.brand}`,
      'recipient=none@a.test',
      'recipient=other@',
      'brand=0',
      'state=held',
    ])
      assert.deepEqual(
        addressesOf(await own.ask('GET', `/api/queue/messages?${filter}`)),
        [],
        filter,
      )
    shared.clock.advance(60_000)
    const { total, bytes, groups } = (await own.ask('GET', '/api/queue')).body
    assert.deepEqual([total.queued, bytes, groups.length], [1, 7, 1])
    for (const recipient of ['other@a.test', 'none@a.test']) {
      const foreign = await own.ask('GET', `/api/queue/messages/${await idOf(recipient)}`)
      const missing = await own.ask('GET', '/api/queue/messages/99999999')
      assert.deepEqual([foreign.status, foreign.body], [404, missing.body])
    }
    assert.equal(
      (await own.ask('GET', `/api/queue/messages/${await idOf('own@a.test')}`)).status,
      200,
    )
    // Who has all brands can ask for one, or for messages without one.
    const all = await counts()
    assert.deepEqual([all.total.queued, all.bytes], [3, 21])
    const ofOther = await ask('GET', `/api/queue/messages?brand=${other.brand}`)
    assert.deepEqual(addressesOf(ofOther), ['other@a.test'])
    const ofNone = await ask('GET', '/api/queue/messages?brand=0')
    assert.deepEqual(
      [addressesOf(ofNone), ofNone.body.messages[0].brand],
      [['none@a.test'], undefined],
    )
    const counted = (await ask('GET', `/api/queue?brand=${other.brand}`)).body
    assert.deepEqual([counted.total.queued, counted.bytes], [1, 7])
  })

  test('callers with a brand change only its messages: one, all that match, and a transport of their own', async () => {
    const { own, other } = callers
    const ofBrand = (brand: number, transport_id: number, recipient: string) =>
      add({ recipient, brand_id: brand, transport_id })
    const { id: ownTransport } = await addTransport(shared.service, { brand: own.brand })
    await ofBrand(own.brand, queue.transportId, 'own@a.test')
    await ofBrand(other.brand, queue.transportId, 'other@a.test')
    await ofBrand(own.brand, ownTransport, 'mine@a.test')
    const stateOf = async (recipient: string) => {
      const { body } = await ask('GET', `/api/queue/messages/${await idOf(recipient)}`)
      return body.message.state
    }
    const id = await idOf('other@a.test')
    for (const action of ['retry', 'hold', 'release', 'cancel'])
      assert.equal((await own.ask('POST', `/api/queue/messages/${id}/${action}`, {})).status, 404)
    const dry = await own.ask('POST', '/api/queue/cancel?dryRun=1', { all: true })
    assert.equal(dry.body.changed, 2, dry.text)
    // A transport of all brands is held for all of them only by who has all brands.
    const { transportId } = queue
    assert.equal((await own.ask('POST', '/api/queue/hold', { transportId })).body.changed, 1)
    assert.deepEqual(
      [await stateOf('own@a.test'), await stateOf('other@a.test')],
      ['held', 'queued'],
    )
    assert.equal(
      (await own.ask('POST', '/api/queue/hold', { transportId: ownTransport })).body.changed,
      1,
    )
    const states = (body: TestBody) =>
      body.groups.map(({ transportId, state }: TestBody) => `${transportId} ${state}`).sort()
    const expected = [`${ownTransport} held`, `${queue.transportId} available`].sort()
    shared.clock.advance(60_000)
    assert.deepEqual(states((await own.ask('GET', '/api/queue')).body), expected)
    assert.deepEqual(states((await other.ask('GET', '/api/queue')).body), [
      `${queue.transportId} available`,
    ])
    assert.equal(
      (await own.ask('POST', '/api/queue/release', { transportId: ownTransport })).body.changed,
      1,
    )
    assert.equal((await own.ask('POST', '/api/queue/cancel', { all: true })).body.changed, 2)
    assert.equal(await stateOf('other@a.test'), 'queued')
  })

  test('counts any number of recipients that are due at the same time', async () => {
    const due = shared.clock.now() + hourMs
    await queue.addMany(25_000, { due_at: due })
    await queue.addMany(1, { due_at: due - 1 })
    await queue.addMany(11_000, { due_at: due + 1 })
    const { total } = await counts()
    assert.equal(total.deferred, 36_001)
  })

  test('lists recipients in pages, without body', async () => {
    for (let index = 0; index < 5; index += 1) await add({ recipient: `${index}@a.test` })
    const first = await ask('GET', '/api/queue/messages?limit=2')
    assert.deepEqual(addressesOf(first), ['4@a.test', '3@a.test'])
    assert.doesNotMatch(JSON.stringify(first.body), /body|key/i)
    const second = await ask('GET', `/api/queue/messages?limit=2&next=${first.body.next}`)
    assert.deepEqual(addressesOf(second), ['2@a.test', '1@a.test'])
    const third = await ask('GET', `/api/queue/messages?limit=2&next=${second.body.next}`)
    assert.deepEqual([addressesOf(third), third.body.next], [['0@a.test'], null])
  })

  test('finds recipients by each filter', async () => {
    const { transportId } = queue
    const now = shared.clock.now()
    await add({ recipient: 'Ann@A.test', transport_id: transportId, email_id: 3 })
    await add({ recipient: 'bob@b.test', lane: 'bulk', sender: 'news@b.test', state: 'held' })
    await add({ recipient: 'cid@b.test', due_at: now + hourMs, created_at: now - hourMs })
    await add({ recipient: 'dee@d.test', mautic_id: 7, email_id: 3, subject: 'Ihre Rechnung 12' })
    const before = new Date(now - 1_000).toISOString()
    const found: Record<string, string[]> = {
      'recipient=ann@a.test': ['Ann@A.test'],
      'recipient=*@b.test': ['cid@b.test', 'bob@b.test'],
      'sender=NEWS*': ['bob@b.test'],
      'recipient=NN': ['Ann@A.test'],
      'recipient=cid@': ['cid@b.test'],
      'recipient=@b.test': ['cid@b.test', 'bob@b.test'],
      'recipient=cid@b.tes': [],
      'sender=b.test': ['bob@b.test'],
      'subject=rechnung': ['dee@d.test'],
      'subject=%25': [],
      'state=held,deferred': ['cid@b.test', 'bob@b.test'],
      'state=deferred': ['cid@b.test'],
      'lane=bulk': ['bob@b.test'],
      [`transportId=${transportId}`]: ['Ann@A.test'],
      'transport=none': ['dee@d.test', 'cid@b.test', 'bob@b.test'],
      'emailId=3': ['Ann@A.test'],
      'mautic=7': ['dee@d.test'],
      'mautic=7&emailId=3': ['dee@d.test'],
      [`addedBefore=${before}`]: ['cid@b.test'],
      'recipient=*@b.test&lane=transactional': ['cid@b.test'],
    }
    for (const [filter, expected] of Object.entries(found))
      assert.deepEqual(addressesOf(await ask('GET', `/api/queue/messages?${filter}`)), expected)
    const none = await ask('GET', '/api/queue/messages?recipient=cid@b.tes')
    assert.match(none.body.warnings[0], /^No recipient is exactly "cid@b\.tes"\./)
    const wrong = await ask('GET', '/api/queue/messages?state=sent&lane=slow&recipient=*a*b*c*')
    assert.deepEqual(Object.keys(wrong.body.details).sort(), ['lane', 'recipient', 'state'])
  })

  test('holds, releases and retries one message, which is due at once then, and shows it', async () => {
    const now = shared.clock.now()
    await add({ recipient: 'one@a.test', due_at: now + hourMs })
    const path = `/api/queue/messages/${await idOf('one@a.test')}`
    const act = async (action: string) => (await ask('POST', `${path}/${action}`)).body.message
    assert.equal((await act('hold')).state, 'held')
    assert.equal((await act('hold')).state, 'held', 'holding it again changes nothing')
    assert.equal((await ask('POST', `${path}/retry`)).status, 409)
    assert.equal((await act('release')).state, 'queued', 'it is due at once')
    await add({ recipient: 'late@a.test', due_at: now + hourMs })
    const late = `/api/queue/messages/${await idOf('late@a.test')}/retry`
    assert.equal((await ask('POST', late)).body.message.state, 'queued')
    assert.equal((await ask('POST', '/api/queue/messages/999999/retry')).status, 404)
  })

  test('names the queued messages of a transport that is deleted', async () => {
    const id = queue.transportId
    const deletion = () => shared.ask('DELETE', `/api/multipleTransports/${id}/delete?dryRun=1`)
    assert.equal((await deletion()).body.message.includes('queued'), false)
    await add({ recipient: 'first@a.test', transport_id: id })
    await add({ recipient: 'held@a.test', transport_id: id, state: 'held' })
    await add({ recipient: 'other@a.test', transport_id: defaultTransport })
    assert.match((await deletion()).body.message, / 2 queued messages are routed again\.$/)
  })

  test('cancels a message: its body is deleted and the delivery log has the outcome', async () => {
    await add({ recipient: 'gone@a.test', problem: '451 4.3.0 later', email_id: 7 })
    const id = await idOf('gone@a.test')
    const { status, body } = await ask('POST', `/api/queue/messages/${id}/cancel`)
    assert.deepEqual([status, body.message.recipient], [200, 'gone@a.test'])
    assert.equal(await queue.countMessages(), 0)
    const [delivery] = (await ask('GET', '/api/deliveries?recipient=gone@a.test')).body.deliveries
    assert.deepEqual([delivery.outcome, delivery.emailId], ['cancelled', 7])
    assert.match(delivery.reason, /451 4\.3\.0 later$/)
  })

  test('keeps the body while another recipient of the message waits', async () => {
    await add({ recipient: ['a@two.test', 'b@two.test'] })
    await ask('POST', `/api/queue/messages/${await idOf('a@two.test')}/cancel`)
    assert.equal(await queue.countMessages(), 1)
    await ask('POST', `/api/queue/messages/${await idOf('b@two.test')}/cancel`)
    assert.equal(await queue.countMessages(), 0)
  })

  test('refuses to change a message that is being sent', async () => {
    await add({ recipient: 'busy@a.test', state: 'claimed' })
    const id = await idOf('busy@a.test')
    for (const action of ['retry', 'hold', 'release', 'cancel']) {
      const { status } = await ask('POST', `/api/queue/messages/${id}/${action}`)
      assert.equal(status, 409, action)
    }
    const all = await ask('POST', '/api/queue/cancel', { all: true })
    assert.deepEqual(all.body, { changed: 0, skipped: 1, next: null })
    assert.equal(await queue.countMessages(), 1)
  })

  test('shows one message with its attempts, its other recipients, and what can be done with it', async () => {
    const recipient = ['one@a.test', 'two@a.test']
    const attempted = { attempts: 1, problem: '451 4.3.0 later', subject: 'Hello' }
    await add({ recipient, ...attempted })
    const deliveryId = await queue.addUncertainDelivery('one@a.test')
    await queue.nameDelivery(deliveryId, '<m@a.test>', shared.clock.now())
    const get = async (address: string) =>
      (await ask('GET', `/api/queue/messages/${await idOf(address)}`)).body
    const { message, recipients, attempts, actions, ...others } = await get('one@a.test')
    assert.deepEqual([message.recipient, message.subject], ['one@a.test', 'Hello'])
    assert.deepEqual([recipients.length, recipients[0].recipient], [1, 'two@a.test'])
    assert.deepEqual([attempts.length, attempts[0].id], [1, deliveryId])
    assert.deepEqual(actions, ['retry', 'hold', 'cancel'])
    assert.deepEqual([others.deliveryId, others.headers], [null, null])
    assert.match(others.headersNote, /cannot be decrypted/)
    assert.deepEqual((await get('two@a.test')).attempts, [])
    await ask('POST', '/api/queue/hold', { recipient: 'two@a.test' })
    assert.deepEqual((await get('two@a.test')).actions, ['release', 'cancel'])
    assert.equal((await ask('GET', '/api/queue/messages/999999')).status, 404)
  })

  test('names the delivery to settle for an uncertain message, and cancels it without a new outcome', async () => {
    await add({ recipient: 'unknown@a.test', state: 'uncertain' })
    const deliveryId = await queue.addUncertainDelivery('unknown@a.test')
    const path = `/api/queue/messages/${await idOf('unknown@a.test')}`
    const shown = (await ask('GET', path)).body
    assert.deepEqual([shown.deliveryId, shown.actions], [deliveryId, ['cancel']])
    const retried = await ask('POST', `${path}/retry`)
    assert.equal(retried.status, 409)
    assert.match(retried.body.error, new RegExp(`/api/deliveries/${deliveryId}/settle`))
    assert.equal((await ask('POST', `${path}/cancel`)).status, 200)
    const { deliveries } = (await ask('GET', '/api/deliveries?recipient=unknown@a.test')).body
    assert.deepEqual([deliveries.length, deliveries[0].outcome], [1, 'uncertain'])
  })

  test('changes all that match, and needs a filter or "all"', async () => {
    const { transportId } = queue
    await queue.addMany(450, { transport_id: transportId, due_at: shared.clock.now() + hourMs })
    await queue.addMany(5, { lane: 'bulk', due_at: shared.clock.now() + hourMs })
    for (const body of [{}, { all: false }, { next: 0 }, { sender: '**', recipient: '*' }]) {
      const { status, body: answer } = await ask('POST', '/api/queue/hold', body)
      assert.equal(status, 400)
      assert.ok(answer.details.all)
    }
    const change = async (action: string, body: object) =>
      (await ask('POST', `/api/queue/${action}`, body)).body
    const done = (changed: number, skipped = 0) => ({ changed, skipped, next: null })
    assert.deepEqual(await change('hold', { transportId }), done(450))
    assert.deepEqual(await change('hold', { all: true }), done(5, 450))
    assert.deepEqual(await change('release', { lane: 'bulk' }), done(5))
    assert.deepEqual(await change('retry', { state: ['queued'] }), done(5))
    assert.deepEqual(await change('hold', { mautic: 7 }), done(0))
    assert.deepEqual(await change('cancel', { recipient: '*@many.test' }), done(455))
    assert.equal(await queue.countMessages(), 0)
  })

  test('changes nothing if a filter is unknown, or two filters name a transport', async () => {
    await add({ recipient: 'ann@a.test' })
    for (const [field, filter] of [
      ['recipients', { lane: 'transactional', recipients: 'ben@a.test' }],
      ['transport', { transportId: queue.transportId, transport: 'none' }],
    ] as const) {
      const { status, body } = await ask('POST', '/api/queue/cancel', filter)
      assert.deepEqual([status, Object.keys(body.details)], [400, [field]])
    }
    assert.equal(await queue.countMessages(), 1)
  })

  test('hides recipients and transports from callers who may not see them', async () => {
    const { transportId } = queue
    await add({ recipient: 'secret@a.test', transport_id: transportId, problem: '451 host.test' })
    const as = await queue.addCaller({ queue: ['view'] })
    const [item] = (await ask('GET', '/api/queue/messages', undefined, { as })).body.messages
    assert.deepEqual([item.recipient, item.transport, item.problem], ['********', null, '451'])
    const { groups } = (await ask('GET', '/api/queue', undefined, { as })).body
    for (const group of groups) assert.deepEqual([group.transportId, group.transport], [null, null])
    const filtered = await ask('GET', '/api/queue/messages?recipient=a*', undefined, { as })
    assert.equal(filtered.status, 403)
    const bySubject = await ask('GET', '/api/queue/messages?subject=a', undefined, { as })
    assert.equal(bySubject.status, 403)
    const path = `/api/queue/messages/${await idOf('secret@a.test')}`
    const { body } = await ask('GET', path, undefined, { as })
    assert.deepEqual([body.message.recipient, body.message.subject], ['********', null])
    assert.deepEqual([body.headers, body.contact, body.actions], [null, null, []])
    assert.match(body.headersNote, /contact:view/)
    const held = await ask('POST', '/api/queue/hold', { all: true }, { as })
    assert.equal(held.status, 403)
  })

  test('tells a sender nothing about the mail of others, and lets it change none', async () => {
    await add({ recipient: 'ann@a.test', sender: 'bank@b.test' })
    const id = await idOf('ann@a.test')
    for (const permissions of [{ email: ['view', 'send'] }, { queue: ['edit'] }]) {
      const as = await queue.addCaller(permissions)
      for (const [path, body] of [
        ['hold', { sender: 'bank@b.test' }],
        ['hold?dryRun=1', { sender: 'bank@b.test' }],
        ['cancel', { all: true }],
        [`messages/${id}/cancel`, undefined],
      ] as const) {
        const answer = await ask('POST', `/api/queue/${path}`, body, { as })
        assert.equal(answer.status, 403, path)
        assert.doesNotMatch(answer.text, /changed|ann@|bank@/)
      }
      assert.equal((await ask('GET', '/api/queue', undefined, { as })).status, 403)
    }
    assert.equal((await counts()).total.queued, 1)
  })

  test('answers the number first, and changes nothing then', async () => {
    await queue.addMany(2_300, { due_at: shared.clock.now() + hourMs })
    await queue.addMany(3, { state: 'held' })
    const count = async (action: string, body: object) =>
      (await ask('POST', `/api/queue/${action}?dryRun=1`, body)).body
    const numbers = (changed: number, skipped: number) => ({ changed, skipped, next: null })
    assert.deepEqual(await count('hold', { all: true }), numbers(2_300, 3))
    assert.deepEqual(await count('release', { state: ['held'] }), numbers(3, 0))
    assert.deepEqual(await count('cancel', { sender: 'no@match.test' }), numbers(0, 0))
    assert.equal((await ask('POST', '/api/queue/hold?dryRun=1', {})).status, 400)
    for (const filter of ['recipient', 'sender', 'subject'])
      for (const value of [' ', '@', '*@*', '@ @']) {
        const answer = await ask('POST', '/api/queue/cancel?dryRun=1', { [filter]: value })
        assert.equal(answer.status, 400, `${filter} "${value}": ${answer.text}`)
      }
    // Beside another filter, a text that says nothing finds nothing.
    const nothing = await count('cancel', { state: ['held'], recipient: '@' })
    assert.deepEqual(nothing, numbers(0, 0))
    const { total } = await counts()
    assert.deepEqual([total.deferred, total.held], [2_300, 3])
  })
})
