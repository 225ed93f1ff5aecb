import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { markReinstalled, synchronizeMautic } from '../../../test/mautics.ts'
import { onMailyard } from '../../../test/on-each-database.ts'
import { useAssignedMautic } from '../../../test/queue/assigned-mautic.ts'

onMailyard('a message that waits for an answer of its Mautic', { isOwn: true }, (shared) => {
  const {
    right,
    fallback,
    mautic,
    throughRight,
    ask,
    assign,
    submit,
    hold,
    waiting,
    assertWaits,
    assertSent,
  } = useAssignedMautic(shared)
  beforeEach(() => assign('transportEmail/8'))

  for (const mode of ['queue', 'hybrid'] as const)
    test(`is stored in ${mode}, and sent through the transport of its email once it is known`, async () => {
      const answer = hold()
      const to = await submit({ mode })
      await assertWaits(to)
      answer()
      await assertSent(right, to)
      await shared.service.app.idle()
      assert.deepEqual(await waiting(), [])
    })

  test('is refused for now in direct', async () => {
    const answer = hold()
    await submit({ mode: 'direct', reply: /^451 4\.4\.3$/ })
    answer()
    assert.deepEqual([right.taken, fallback.taken], [[], []])
  })

  test('waits while its Mautic refuses to answer, and is sent when the problem is solved', async () => {
    mautic.double.behaviour.fault = () => 'reset'
    const to = await submit()
    await assertWaits(to)
    await synchronizeMautic(shared.service, mautic.id)
    await assertWaits(to)
    mautic.double.behaviour.fault = () => undefined
    await synchronizeMautic(shared.service, mautic.id)
    await shared.service.app.idle()
    await assertSent(right, to)
  })

  test('waits while an email with its subject may not be read yet', async () => {
    mautic.double.behaviour.fault = () => 'reset'
    await synchronizeMautic(shared.service, mautic.id)
    const other = await submit({ head: 'Subject: Reset your password' })
    const to = await submit({ head: 'Subject: News 8 for [First Name]' })
    await assertSent(fallback, other)
    await assertWaits(to)
    mautic.double.behaviour.fault = () => undefined
    await synchronizeMautic(shared.service, mautic.id)
    await shared.service.app.idle()
    await assertSent(right, to)
  })

  test('waits while its Mautic is reinstalled, until an administrator accepts that or decides about the message', async () => {
    await markReinstalled(shared.service, mautic.id)
    await submit({ mode: 'direct', head: 'X-EMAIL-ID: 8', reply: /^451 4\.4\.3$/ })
    const decided = await submit({ mode: 'hybrid', head: 'X-EMAIL-ID: 8' })
    const held = await submit()
    const { id } = await assertWaits(decided)
    await ask(`/api/queue/messages/${(await assertWaits(held)).id}/hold`, {})
    const accepted = await submit()
    await assertWaits(accepted)
    await ask(`/api/queue/messages/${id}/sendUnanswered`, {})
    await assertSent(fallback, decided)
    await assertWaits(accepted)
    await ask(`/api/mautics/${mautic.id}/accept`, {})
    await assertSent(fallback, accepted)
    await assign('transportEmail/8')
    await ask('/api/queue/release', { transport: 'unanswered' })
    await assertSent(right, held)
  })

  test('does not wait for a reinstalled Mautic where it names its transport, or nothing is assigned', async () => {
    await markReinstalled(shared.service, mautic.id)
    await assertSent(right, await submit({ transport: throughRight.transportId }))
    await assign('transportEmail/8', { transportId: null })
    await assertSent(fallback, await submit({ head: 'X-EMAIL-ID: 8' }))
  })

  test('waits for a person once its Mautic is deleted', async () => {
    mautic.double.behaviour.fault = () => 503
    const to = await submit()
    const { id } = await assertWaits(to)
    await shared.service.askFor('DELETE', `/api/mautics/${mautic.id}/delete`)
    const { problem } = await assertWaits(to)
    assert.match(problem, /was deleted/)
    await ask(`/api/queue/messages/${id}/sendUnanswered`, {})
    await shared.service.app.idle()
    // Without the Mautic, nothing leads to a transport.
    const { messages } = await ask('/api/queue/messages?transport=none')
    assert.deepEqual(
      messages.map(({ recipient }: { recipient: string }) => recipient),
      [to],
    )
  })

  test('waits for the owner of its contact where users have transports', async () => {
    await assign('transportEmail/8', { transportId: null, useOwnerTransport: true })
    const answer = hold()
    const head = 'X-EMAIL-ID: 8\nX-Contact-Id: 9'
    const to = await submit({ head })
    await assertSent(fallback, to)
    await assign('transportUser/5')
    const other = await submit({ head })
    await assertWaits(other)
    answer()
  })

  test('cannot be sent without an answer that it does not wait for', async () => {
    fallback.act = () => ({ code: 451, text: '4.7.1 greylisted' })
    await assign('transportEmail/8', { transportId: null })
    const to = await submit()
    await shared.service.app.idle()
    const { messages } = await ask(`/api/queue/messages?recipient=${to}`)
    const path = `/api/queue/messages/${messages[0].id}/sendUnanswered`
    const { status, body } = await shared.ask('POST', path, {})
    assert.equal(status, 409)
    assert.match(body.error, /does not wait for the answer/)
  })
})
