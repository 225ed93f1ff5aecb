import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { addTransport, uniqueName } from '../../test/callers.ts'
import { slowly } from '../../test/mautic-double/mautic-double.ts'
import { addMautic, closeMautics, type TestMautic } from '../../test/mautics.ts'
import { onEachDatabase } from '../../test/on-each-database.ts'
import { type QueuedSubmission, submitQueued } from '../../test/queue/submit-queued.ts'
import { useScriptedServer } from '../../test/scripted-server.ts'
import { until } from '../../test/until.ts'

onEachDatabase('a message that waits for an answer of its Mautic', { isOwn: true }, (shared) => {
  after(closeMautics)
  const [right, fallback] = [useScriptedServer(), useScriptedServer()]
  let mautic: TestMautic
  let rightId: number
  beforeEach(async () => {
    const { service } = shared
    for (const server of [right, fallback]) {
      server.taken = []
      server.act = () => undefined
    }
    rightId = (await addTransport(service, { mailerDsn: right.dsn })).id
    const { id: transportId } = await addTransport(service, { mailerDsn: fallback.dsn })
    const data = { emails: [8], users: { 5: 'olga@brand.test' }, transportId }
    mautic = await addMautic(service, data)
    await assign('transportEmail/8', { transportId: rightId })
  })
  const ask = async (path: string, body?: unknown) => {
    const answer = await shared.service.ask(body === undefined ? 'GET' : 'POST', path, body)
    assert.ok(answer.status < 300, answer.text)
    return answer.body
  }
  const assign = (path: string, body: object) =>
    ask(`/api/multipleTransport/${path}?mautic=${mautic.id}`, body)
  const idle = () => shared.service.app.idle()
  const waiting = async () => (await ask('/api/queue/messages?transport=unanswered')).messages
  /** Lets the Mautic answer only once the function that it returns is called. */
  const hold = () => {
    const { promise, resolve } = Promise.withResolvers<undefined>()
    mautic.double.behaviour.fault = () => promise
    return () => resolve(undefined)
  }
  /** Submits a message that only the statistics of the Mautic name the email of. */
  const submit = (submission: QueuedSubmission = {}) => {
    const { to = `${uniqueName('to')}@rcpt.test` } = submission
    const hash = `${Math.random()}`.slice(2, 14).padEnd(22, '0')
    const known = { tracking_hash: hash, email_id: '8', lead_id: null, email_address: to }
    mautic.double.data.stats.push(known)
    const head = `List-Unsubscribe: <https://brand.test/email/unsubscribe/${hash}>`
    return submitQueued(shared.service, { mautic, to, head, ...submission })
  }
  const assertWaits = async (to: string) => {
    await idle()
    assert.deepEqual([right.taken, fallback.taken], [[], []])
    const [message] = (await waiting()).filter(
      (each: { recipient: string }) => each.recipient === to,
    )
    assert.deepEqual([message.state, message.transport, message.attempts], ['deferred', null, 0])
    assert.equal(message.isUnanswered, true)
    assert.match(
      message.problem,
      /^451 4\.4\.3 Mautic ".+" has not answered( yet| \(.+\)), and the message/,
    )
    return message
  }
  const sentThroughRight = async (to: string) => {
    await until(() => right.taken.includes(to), 'it is sent')
    assert.deepEqual(fallback.taken, [])
  }

  for (const mode of ['queue', 'hybrid'] as const)
    test(`is stored in ${mode}, and sent through the transport of its email once it is known`, async () => {
      const answer = hold()
      const to = await submit({ mode })
      await assertWaits(to)
      answer()
      await sentThroughRight(to)
      await idle()
      assert.deepEqual(await waiting(), [])
    })

  test('is refused for now in direct', async () => {
    const answer = hold()
    await submit({ mode: 'direct', reply: /^451 4\.4\.3$/ })
    answer()
    assert.deepEqual([right.taken, fallback.taken], [[], []])
  })

  test('waits while its Mautic refuses to answer, and is sent when the problem is solved', async () => {
    const { mautics } = shared.service.app
    mautic.double.behaviour.fault = () => 'reset'
    const to = await submit()
    await assertWaits(to)
    await mautics.synchronize(mautic.id)
    await assertWaits(to)
    mautic.double.behaviour.fault = () => undefined
    await mautics.synchronize(mautic.id)
    await idle()
    await sentThroughRight(to)
  })

  test('goes on once its Mautic answers for another one', async () => {
    mautic.double.behaviour.fault = () => 503
    const refused = [await submit(), await submit(), await submit()]
    await assertWaits(refused[0] ?? '')
    mautic.double.behaviour.fault = slowly()
    // It is not asked for some seconds.
    shared.clock.advance(5_000)
    const other = await submit()
    for (const to of [...refused, other]) await sentThroughRight(to)
  })

  test('goes on once its Mautic answers, whatever another Mautic has answered meanwhile', async () => {
    const [own, ownRight] = [mautic, rightId]
    own.double.behaviour.fault = () => 503
    const refused = await submit()
    await assertWaits(refused)
    const { service } = shared
    const { id: transportId } = await addTransport(service, { mailerDsn: fallback.dsn })
    mautic = await addMautic(service, { emails: [8], transportId })
    await assign('transportEmail/8', { transportId: ownRight })
    mautic.double.behaviour.fault = slowly()
    await sentThroughRight(await submit())
    await idle()
    shared.clock.advance(5_000)
    own.double.behaviour.fault = slowly()
    mautic = own
    const next = await submit()
    for (const to of [next, refused]) await sentThroughRight(to)
  })

  test('waits while an email with its subject may not be read yet', async () => {
    const { mautics } = shared.service.app
    const subject = 'Subject: News 8 for [First Name]'
    mautic.double.behaviour.fault = () => 'reset'
    await mautics.synchronize(mautic.id)
    const reset = 'Subject: Reset your password'
    const other = await submitQueued(shared.service, { mautic, head: reset })
    const to = await submitQueued(shared.service, { mautic, head: subject })
    await idle()
    assert.deepEqual([right.taken, fallback.taken], [[], [other]])
    fallback.taken = []
    assert.deepEqual(
      (await waiting()).map((each: { recipient: string }) => each.recipient),
      [to],
    )
    mautic.double.behaviour.fault = () => undefined
    await mautics.synchronize(mautic.id)
    await idle()
    await sentThroughRight(to)
  })

  test('waits for the owner of its contact where users have transports', async () => {
    await assign('transportEmail/8', { transportId: null, useOwnerTransport: true })
    const answer = hold()
    const head = 'X-EMAIL-ID: 8\nX-Contact-Id: 9'
    const to = await submit({ head })
    await until(() => fallback.taken.includes(to), 'no user has a transport')
    fallback.taken = []
    await assign('transportUser/5', { transportId: rightId })
    const other = await submit({ head })
    await assertWaits(other)
    answer()
    await ask('/api/queue/cancel', { all: true })
  })

  test('does not wait where its Mautic has no assignments, or it names its transport', async () => {
    await assign('transportEmail/8', { transportId: null })
    const answer = hold()
    const to = await submit()
    await until(() => fallback.taken.includes(to), 'it is sent through the default')
    await assign('transportEmail/8', { transportId: rightId })
    const named = await submit({ transport: rightId })
    await until(() => right.taken.includes(named), 'it is sent through the transport that it names')
    answer()
  })

  test('is sent without the answer where a person decides so, alone or with all others', async () => {
    const answer = hold()
    const [one, other, third] = [await submit(), await submit(), await submit()]
    const { id } = await assertWaits(one)
    await ask(`/api/queue/messages/${id}/sendUnanswered`, {})
    await until(() => fallback.taken.includes(one), 'it is sent through the default')
    const filter = { transport: 'unanswered' }
    const { changed } = await ask('/api/queue/sendUnanswered?dryRun=1', filter)
    assert.equal(changed, 2)
    await ask('/api/queue/sendUnanswered', filter)
    for (const to of [other, third])
      await until(() => fallback.taken.includes(to), 'the others are sent, too')
    await idle()
    const { deliveries } = await ask(`/api/deliveries?recipient=${one}`)
    const reasons = deliveries[0].trace.map(({ reason }: { reason: string }) => reason)
    assert.ok(reasons.includes('Admin has decided to send it without the answer'), reasons.join())
    assert.deepEqual(right.taken, [])
    answer()
  })

  test('waits where the answer says whether unsubscribed contacts get it, and is withheld where a person decides', async () => {
    await assign('transportEmail/8', { transportId: null })
    Object.assign(mautic.double.data.emails.get(8), { sendToDnc: true })
    await shared.service.app.mautics.synchronize(mautic.id)
    const submitUnsubscribed = async () => {
      const address = `${uniqueName('to')}@rcpt.test`
      const source = `mautic ${mautic.id}`
      const suppression = { address, reason: 'unsubscribed', senderDomain: 'brand.test', source }
      await ask('/api/suppressions/new', suppression)
      return submit({ to: address, isBulk: true })
    }
    const answer = hold()
    const [decided, answered] = [await submitUnsubscribed(), await submitUnsubscribed()]
    await assertWaits(answered)
    const { id } = await assertWaits(decided)
    await ask(`/api/queue/messages/${id}/sendUnanswered`, {})
    await idle()
    const { deliveries } = await ask(`/api/deliveries?recipient=${decided}`)
    assert.equal(deliveries[0].outcome, 'suppressed')
    assert.deepEqual(fallback.taken, [])
    answer()
    await until(() => fallback.taken.includes(answered), 'it is sent')
  })

  test('cannot be sent without an answer that it does not wait for', async () => {
    fallback.act = () => ({ code: 451, text: '4.7.1 greylisted' })
    await assign('transportEmail/8', { transportId: null })
    const to = await submit()
    await idle()
    const { messages } = await ask(`/api/queue/messages?recipient=${to}`)
    const path = `/api/queue/messages/${messages[0].id}/sendUnanswered`
    const { status, body } = await shared.service.ask('POST', path, {})
    assert.equal(status, 409)
    assert.match(body.error, /does not wait for the answer/)
    await ask('/api/queue/cancel', { all: true })
  })

  test('is counted in the queue, the findings and the metrics', async () => {
    const answer = hold()
    await assertWaits(await submit())
    const { groups } = await ask('/api/queue')
    const group = groups.find(({ state }: { state: string }) => state === 'unanswered')
    assert.deepEqual([group.transport, group.deferred], [null, 1])
    const { findings } = await ask('/api/health/findings')
    const found = findings.find(({ check }: { check: string }) => check === 'unanswered messages')
    const counted = `1 message waits, 1 of the Mautic "${mautic.name}". One of them: 451 4.4.3 `
    assert.ok(found.detail.includes(counted), found.detail)
    const { text } = await shared.service.ask('GET', '/metrics')
    assert.match(text, /mailyard_queue_messages\{transport="unanswered",.*\} 1/)
    answer()
    await ask('/api/queue/cancel', { all: true })
  })
})
