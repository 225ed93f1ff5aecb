import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addTransport } from '../../test/callers.ts'
import { onEachDatabase } from '../../test/on-each-database.ts'
import { submitQueued } from '../../test/queue/submit-queued.ts'
import { useScriptedServer } from '../../test/scripted-server.ts'
import type { TestBody } from '../../test/test-app.ts'

const minuteMs = 60_000

onEachDatabase('the hold of a transport', { isOwn: true }, (shared) => {
  const server = useScriptedServer()
  const post = async (path: string, body?: unknown) => {
    const answer = await shared.service.ask('POST', path, body)
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }
  /** Submits a message to the queue; returns its recipient. */
  const submit = async (transport: string, isBulk = false) => {
    const to = await submitQueued(shared.service, { transport, isBulk })
    await shared.service.app.idle()
    return to
  }
  const stateOf = async (to: string): Promise<TestBody | undefined> =>
    (await shared.service.ask('GET', `/api/queue/messages?recipient=${to}`)).body.messages[0]?.state

  test('holds what arrives later, of each lane, until it is released', async () => {
    const { id: transportId, name } = await addTransport(shared.service, { mailerDsn: server.dsn })
    await post('/api/queue/hold', { transportId })
    const groupsOf = async (): Promise<TestBody[]> => {
      // The numbers are kept for some seconds.
      shared.clock.advance(minuteMs)
      const { groups } = (await shared.service.ask('GET', '/api/queue')).body
      return groups.filter((each: TestBody) => each.transportId === transportId)
    }
    const [empty] = await groupsOf()
    assert.deepEqual(
      [empty?.lane, empty?.state, empty?.queued, empty?.oldest],
      [null, 'held', 0, null],
    )
    const all = [await submit(name), await submit(name, true)]
    for (const to of all) assert.equal(await stateOf(to), 'held')
    const groups = await groupsOf()
    assert.deepEqual(groups.map(({ lane, state, held }) => [lane, state, held]).toSorted(), [
      ['bulk', 'held', 1],
      ['transactional', 'held', 1],
    ])
    for (const { problem } of groups) assert.match(problem, /held by .*Release them/)
    assert.ok(!server.taken.some((to) => all.includes(to)))
    await post('/api/queue/release', { transportId })
    await shared.service.app.idle()
    all.push(await submit(name))
    assert.deepEqual(server.taken.toSorted(), all.toSorted())
  })

  test('is known in all processes', async () => {
    const { id: transportId, name } = await addTransport(shared.service, { mailerDsn: server.dsn })
    const other = await shared.openAnother({ isStarted: false })
    assert.equal((await other.ask('POST', '/api/queue/hold', { transportId })).status, 200)
    await shared.service.app.idle()
    assert.equal(await stateOf(await submit(name)), 'held')
  })
})
