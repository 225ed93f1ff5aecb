import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addTransport } from '../../../../test/callers.ts'
import { addMautic, callerOf, submitMessage } from '../../../../test/mautics.ts'
import { onMailyard } from '../../../../test/on-each-database.ts'
import type { TestBody } from '../../../../test/test-app.ts'

onMailyard('a fire drill of a Mautic', (shared) => {
  const drill = async (down: number[], mautic?: number) => {
    const body = { down, ...(mautic === undefined ? {} : { mautic }) }
    return shared.askFor('POST', '/api/multipleTransport/drill', body)
  }
  const addInbox = async () =>
    (await addTransport(shared.service, { mailerDsn: 'inbox://local' })).id
  const targetsOf = ({ targets }: TestBody) =>
    targets.map(({ to, emails, users, deliveries }: TestBody) => [
      to.transport?.id ?? to.kind,
      emails,
      users,
      deliveries,
    ])

  test('says where its emails, and the last day of its deliveries, would be sent', async () => {
    const { service } = shared
    const { assignments, mautics } = service.app
    const [first, second, ofAll] = [await addInbox(), await addInbox(), await addInbox()]
    const mautic = await addMautic(service, {
      emails: [1, 2, 3],
      users: { 5: 'olga@brand.test' },
      contacts: { 9: { email: 'ann@rcpt.test', ownerId: 5 } },
      transportId: ofAll,
    })
    const caller = callerOf(mautic)
    await assignments.set('email', { id: 1, transportId: first }, caller)
    await assignments.set('email', { id: 2, transportId: second, useOwnerTransport: true }, caller)
    await assignments.set('user', { id: 5, transportId: first }, caller)
    // It is known, so that nothing depends on how fast the Mautic answers.
    await mautics.contacts.find(mautic.id, 9)
    const send = async (head: string) => {
      const message = {
        to: 'ann@rcpt.test',
        text: `${head}X-Contact-Id: 9\nSubject: Hello\n\nHello`,
      }
      assert.deepEqual(await submitMessage(service, mautic, message), ['250 2.0.0'])
    }
    for (const head of ['X-EMAIL-ID: 1\n', 'X-EMAIL-ID: 2\n', 'X-EMAIL-ID: 3\n']) await send(head)

    const report = await drill([first], mautic.id)
    assert.deepEqual(
      report.emails.items.map(({ email, from, to, deliveries }: TestBody) => [
        ...[email.id, email.name, from?.id ?? null, to.transport?.id, deliveries],
      ]),
      [
        [1, 'Newsletter 1', first, ofAll, 1],
        [2, 'Newsletter 2', null, second, 1],
      ],
    )
    const [user] = report.users.items
    assert.deepEqual([user.user.id, user.to.transport.id], [5, ofAll])
    assert.deepEqual(targetsOf(report), [
      [ofAll, 1, 1, 1],
      [second, 1, 0, 1],
    ])
    const withoutDefault = await drill([ofAll], mautic.id)
    assert.deepEqual(targetsOf(withoutDefault), [['none', 0, 0, 1]])
    const withoutBoth = await drill([first, ofAll], mautic.id)
    assert.deepEqual(targetsOf(withoutBoth), [
      ['none', 1, 1, 2],
      [second, 1, 0, 1],
    ])
  })

  test("counts nothing of Mailyard's own, and Mailyard's own drill nothing of it", async () => {
    const transportId = await addInbox()
    const mautic = await addMautic(shared.service, { emails: [1] })
    await shared.service.app.assignments.set('email', { id: 1, transportId }, callerOf(mautic))
    const own = await drill([transportId])
    assert.deepEqual([own.emails.total, own.users.total], [0, 0])
    const other = await drill([transportId], (await addMautic(shared.service)).id)
    assert.equal(other.emails.total, 0)
    const missing = { down: [transportId], mautic: 999_999 }
    const answer = await shared.ask('POST', '/api/multipleTransport/drill', missing)
    assert.deepEqual([answer.status, answer.body.error], [404, 'Mautic not found: 999999'])
  })
})
