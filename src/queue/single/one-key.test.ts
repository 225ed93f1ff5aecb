import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createBroadcastFixture } from '../../../test/broadcasts/broadcast-fixture.ts'
import { useScriptedServer } from '../../../test/scripted-server.ts'
import { addClientCaller, addUser } from '../../../test/callers.ts'
import { onEachDatabase } from '../../../test/on-each-database.ts'

const roundCount = 40

onEachDatabase('one Idempotency-Key at both endpoints', (shared) => {
  const fixture = createBroadcastFixture(() => shared.service)
  const server = useScriptedServer()

  test('sends once, even concurrently, and refuses only one of the two requests', async () => {
    const transport = await fixture.transport(server.dsn)
    const emailId = await fixture.email(transport)
    const { contacts } = await fixture.segment(roundCount)
    for (const [round, { id }] of contacts.entries()) {
      const headers = { 'idempotency-key': `round ${round}` }
      const ask = async (path: string, body: object, turnsLate: number) => {
        for (let turn = 0; turn < turnsLate; turn++) await setImmediate()
        return shared.service.ask('POST', `/api/emails/${emailId}/${path}`, body, { headers })
      }
      // Alternate which request is a little earlier.
      const [one, many] = await Promise.all([
        ask(`contact/${id}/send`, {}, Math.max(0, roundCount / 2 - round)),
        ask('send', { contactIds: [id] }, Math.max(0, round - roundCount / 2)),
      ])
      assert.deepEqual([one.status, many.status].sort(), [200, 409], `${one.text} ${many.text}`)
      const job = many.body.job?.id
      if (job !== undefined) await fixture.until(job, ({ state }) => state === 'done')
    }
    assert.deepEqual([...server.taken].sort(), contacts.map(({ email }) => email).sort())
  })

  test('belongs to its caller, even after the caller was renamed', async () => {
    const emailId = await fixture.email(await fixture.transport(server.dsn))
    const { segment, contacts } = await fixture.segment(2)
    const user = await addUser(shared.service, 'administrator')
    const client = await addClientCaller(shared.service, 'administrator')
    const callers = [
      { as: user.as, path: `users/${user.id}`, renamed: { firstName: 'Someone' } },
      { as: client.as, path: `oauthClients/${client.id}`, renamed: { name: 'Something' } },
    ]
    for (const [index, { as, path, renamed }] of callers.entries()) {
      const options = { as, headers: { 'idempotency-key': 'renamed' } }
      const send = () =>
        shared.service.ask(
          'POST',
          `/api/emails/${emailId}/contact/${contacts[index]?.id}/send`,
          {},
          options,
        )
      assert.deepEqual((await send()).body, { success: true })
      const answer = await shared.service.ask('PATCH', `/api/${path}/edit`, renamed)
      assert.equal(answer.status, 200, answer.text)
      assert.deepEqual((await send()).body, { success: true })
    }
    assert.equal(server.taken.filter((address) => address.startsWith(`${segment}-`)).length, 2)
  })

  test('returns its answer even if the email or the contact was deleted', async () => {
    const emailId = await fixture.email(await fixture.transport(server.dsn))
    const { contacts } = await fixture.segment(1)
    const contactId = contacts[0]?.id
    const send = (key: string) =>
      shared.service.ask(
        'POST',
        `/api/emails/${emailId}/contact/${contactId}/send`,
        {},
        { headers: { 'idempotency-key': key } },
      )
    assert.deepEqual((await send('repeated')).body, { success: true })
    for (const gone of [`contacts/${contactId}`, `emails/${emailId}`]) {
      assert.equal((await shared.service.ask('DELETE', `/api/${gone}/delete`)).status, 200)
      assert.deepEqual((await send('repeated')).body, { success: true })
      assert.equal((await send('another')).status, 404)
    }
    assert.equal(server.taken.filter((address) => address === contacts[0]?.email).length, 1)
  })
})
