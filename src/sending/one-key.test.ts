import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { addClientCaller, addUser } from '../../test/callers.ts'
import { onEachDatabase } from '../../test/on-each-database.ts'
import { createJobWorld } from '../../test/sending-jobs/job-world.ts'
import { useScriptedServer } from '../../test/sending-jobs/scripted-server.ts'

const roundCount = 40

onEachDatabase('one Idempotency-Key at both addresses', (shared) => {
  const world = createJobWorld(() => shared.yard)
  const server = useScriptedServer()

  test('sends once, also at the very same moment, and refuses only one of the two', async () => {
    const transport = await world.transport(server.dsn)
    const emailId = await world.email(transport)
    const { contacts } = await world.segment(roundCount)
    for (const [round, { id }] of contacts.entries()) {
      const headers = { 'idempotency-key': `round ${round}` }
      const ask = async (path: string, body: object, turnsLate: number) => {
        for (let turn = 0; turn < turnsLate; turn++) await setImmediate()
        return shared.yard.ask('POST', `/api/emails/${emailId}/${path}`, body, { headers })
      }
      // Now one is a little earlier, now the other.
      const [one, many] = await Promise.all([
        ask(`contact/${id}/send`, {}, Math.max(0, roundCount / 2 - round)),
        ask('send', { contactIds: [id] }, Math.max(0, round - roundCount / 2)),
      ])
      assert.deepEqual([one.status, many.status].sort(), [200, 409], `${one.text} ${many.text}`)
      const job = many.body.job?.id
      if (job !== undefined) await world.until(job, ({ status }) => status === 'done')
    }
    assert.deepEqual([...server.taken].sort(), contacts.map(({ email }) => email).sort())
  })

  test("is its caller's whatever he is called by now", async () => {
    const emailId = await world.email(await world.transport(server.dsn))
    const { segment, contacts } = await world.segment(2)
    const user = await addUser(shared.yard, 'administrator')
    const client = await addClientCaller(shared.yard, 'administrator')
    const callers = [
      { as: user.as, path: `users/${user.id}`, renamed: { firstName: 'Somebody' } },
      { as: client.as, path: `oauthClients/${client.id}`, renamed: { name: 'Something' } },
    ]
    for (const [index, { as, path, renamed }] of callers.entries()) {
      const options = { as, headers: { 'idempotency-key': 'renamed' } }
      const send = () =>
        shared.yard.ask(
          'POST',
          `/api/emails/${emailId}/contact/${contacts[index]?.id}/send`,
          {},
          options,
        )
      assert.deepEqual((await send()).body, { success: true })
      const answer = await shared.yard.ask('PATCH', `/api/${path}/edit`, renamed)
      assert.equal(answer.status, 200, answer.text)
      assert.deepEqual((await send()).body, { success: true })
    }
    assert.equal(server.taken.filter((address) => address.startsWith(`${segment}-`)).length, 2)
  })

  test('tells of its message also once the email or the contact is gone', async () => {
    const emailId = await world.email(await world.transport(server.dsn))
    const { contacts } = await world.segment(1)
    const contactId = contacts[0]?.id
    const send = (key: string) =>
      shared.yard.ask(
        'POST',
        `/api/emails/${emailId}/contact/${contactId}/send`,
        {},
        { headers: { 'idempotency-key': key } },
      )
    assert.deepEqual((await send('told again')).body, { success: true })
    for (const gone of [`contacts/${contactId}`, `emails/${emailId}`]) {
      assert.equal((await shared.yard.ask('DELETE', `/api/${gone}/delete`)).status, 200)
      assert.deepEqual((await send('told again')).body, { success: true })
      assert.equal((await send('another')).status, 404)
    }
    assert.equal(server.taken.filter((address) => address === contacts[0]?.email).length, 1)
  })
})
