import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { addTransport, uniqueName } from '../../../test/callers.ts'
import { addMautic, synchronizeMautic } from '../../../test/mautics.ts'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import { useAssignedMautic } from '../../../test/queue/assigned-mautic.ts'

onEachDatabase('a message that waits for an answer of its Mautic', { isOwn: true }, (shared) => {
  const {
    right,
    fallback,
    mautic,
    throughRight,
    ask,
    assign,
    submit,
    hold,
    assertWaits,
    assertSent,
  } = useAssignedMautic(shared)
  beforeEach(() => assign('transportEmail/8'))

  test('goes on once its Mautic answers for another one, whatever another Mautic has answered meanwhile', async () => {
    mautic.double.behaviour.fault = () => 503
    const refused = [await submit(), await submit(), await submit()]
    await assertWaits(refused[0] ?? '')
    const { service } = shared
    const { id: transportId } = await addTransport(service, { mailerDsn: fallback.dsn })
    const other = await addMautic(service, { emails: [8], transportId })
    await assign('transportEmail/8', throughRight, other)
    await assertSent(right, await submit({}, other))
    await service.app.idle()
    mautic.double.behaviour.fault = () => undefined
    // It is not asked for some seconds.
    shared.clock.advance(5_000)
    const next = await submit()
    for (const to of [...refused, next]) await assertSent(right, to)
  })

  test('does not wait where its Mautic has no assignments, or it names its transport', async () => {
    await assign('transportEmail/8', { transportId: null })
    const answer = hold()
    const to = await submit()
    await assertSent(fallback, to)
    await assign('transportEmail/8')
    await assertSent(right, await submit({ transport: throughRight.transportId }))
    answer()
  })

  test('is sent without the answer where a person decides so, alone or with all others', async () => {
    const answer = hold()
    const [one, other, third] = [await submit(), await submit(), await submit()]
    const { id } = await assertWaits(one)
    await ask(`/api/queue/messages/${id}/sendUnanswered`, {})
    await assertSent(fallback, one)
    const filter = { transport: 'unanswered' }
    const { changed } = await ask('/api/queue/sendUnanswered?dryRun=1', filter)
    assert.equal(changed, 2)
    await ask('/api/queue/sendUnanswered', filter)
    for (const to of [other, third]) await assertSent(fallback, to)
    await shared.service.app.idle()
    const { deliveries } = await ask(`/api/deliveries?recipient=${one}`)
    const reasons = deliveries[0].trace.map(({ reason }: { reason: string }) => reason)
    assert.ok(reasons.includes('Admin has decided to send it without the answer'), reasons.join())
    assert.deepEqual(right.taken, [])
    answer()
  })

  test('waits where the answer says whether unsubscribed contacts get it, and is withheld where a person decides', async () => {
    await assign('transportEmail/8', { transportId: null })
    Object.assign(mautic.double.data.emails.get(8), { sendToDnc: true })
    await synchronizeMautic(shared.service, mautic.id)
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
    await shared.service.app.idle()
    const { deliveries } = await ask(`/api/deliveries?recipient=${decided}`)
    assert.equal(deliveries[0].outcome, 'suppressed')
    assert.deepEqual(fallback.taken, [])
    answer()
    await assertSent(fallback, answered)
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
    const { text } = await shared.ask('GET', '/metrics')
    assert.match(text, /mailyard_queue_messages\{transport="unanswered",.*\} 1/)
    answer()
  })
})
