import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { addClientCaller, addUser } from '../../../../test/callers.ts'
import { onMailyard } from '../../../../test/on-each-database.ts'
import { useScriptedServer } from '../../../../test/scripted-server.ts'
import { createSendFixture } from '../../../../test/send-fixture.ts'

const roundCount = 40

onMailyard('one Idempotency-Key', (shared) => {
  const fixture = createSendFixture(() => shared.service)
  const server = useScriptedServer()

  test('sends once, even concurrently, and refuses the other of two requests', async () => {
    const transport = await fixture.transport(server.dsn)
    const emailIds = [await fixture.email(transport), await fixture.email(transport)]
    const contacts = await fixture.contacts(roundCount)
    for (const [round, { id }] of contacts.entries()) {
      const headers = { 'idempotency-key': `round ${round}` }
      const ask = async (emailId: number | undefined, turnsLate: number) => {
        for (let turn = 0; turn < turnsLate; turn++) await setImmediate()
        const path = `/api/emails/${emailId}/contact/${id}/send`
        return shared.ask('POST', path, {}, { headers })
      }
      // Alternate which request is a little earlier.
      const [one, other] = await Promise.all([
        ask(emailIds[0], Math.max(0, roundCount / 2 - round)),
        ask(emailIds[1], Math.max(0, round - roundCount / 2)),
      ])
      assert.deepEqual([one.status, other.status].sort(), [200, 409], `${one.text} ${other.text}`)
    }
    assert.deepEqual([...server.taken].sort(), contacts.map(({ email }) => email).sort())
  })

  test('belongs to its caller, even after the caller was renamed', async () => {
    const emailId = await fixture.email(await fixture.transport(server.dsn))
    const contacts = await fixture.contacts(2)
    const user = await addUser(shared.service, 'administrator')
    const client = await addClientCaller(shared.service, 'administrator')
    const callers = [
      { as: user.as, path: `users/${user.id}`, renamed: { firstName: 'Someone' } },
      { as: client.as, path: `oauthClients/${client.id}`, renamed: { name: 'Something' } },
    ]
    for (const [index, { as, path, renamed }] of callers.entries()) {
      const options = { as, headers: { 'idempotency-key': 'renamed' } }
      const send = () =>
        shared.ask(
          'POST',
          `/api/emails/${emailId}/contact/${contacts[index]?.id}/send`,
          {},
          options,
        )
      assert.deepEqual((await send()).body, { success: true })
      await shared.askFor('PATCH', `/api/${path}/edit`, renamed)
      assert.deepEqual((await send()).body, { success: true })
    }
    for (const { email } of contacts)
      assert.equal(server.taken.filter((address) => address === email).length, 1)
  })

  test('returns its answer even if the email or the contact was deleted', async () => {
    const emailId = await fixture.email(await fixture.transport(server.dsn))
    const [contact] = await fixture.contacts(1)
    const contactId = contact?.id
    const send = (key: string) =>
      shared.ask(
        'POST',
        `/api/emails/${emailId}/contact/${contactId}/send`,
        {},
        { headers: { 'idempotency-key': key } },
      )
    assert.deepEqual((await send('repeated')).body, { success: true })
    for (const gone of [`contacts/${contactId}`, `emails/${emailId}`]) {
      assert.equal((await shared.ask('DELETE', `/api/${gone}/delete`)).status, 200)
      assert.deepEqual((await send('repeated')).body, { success: true })
      assert.equal((await send('another')).status, 404)
    }
    assert.equal(server.taken.filter((address) => address === contact?.email).length, 1)
  })
})
