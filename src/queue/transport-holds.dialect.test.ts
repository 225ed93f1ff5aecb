import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addTransport, uniqueName } from '../../test/callers.ts'
import { submitMessage } from '../../test/mautics.ts'
import { onEachDatabase } from '../../test/on-each-database.ts'
import { useScriptedServer } from '../../test/scripted-server.ts'
import { quickIntervals } from '../../test/send-fixture.ts'
import type { TestBody } from '../../test/test-app.ts'
import { until } from '../../test/until.ts'

const minuteMs = 60_000

onEachDatabase('the hold of a transport', { intervals: quickIntervals }, (shared) => {
  const server = useScriptedServer()
  const post = async (path: string, body?: unknown) => {
    const answer = await shared.service.ask('POST', path, body)
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }
  /** Submits a message to the queue; returns its recipient. */
  const submit = async (transport: string, isBulk = false) => {
    const to = `${uniqueName('held')}@example.com`
    const bulk = isBulk ? 'Precedence: bulk\n' : ''
    const text = `${bulk}X-Mailyard-Transport: ${transport}\nMessage-ID: <${to}>\n\nHello`
    const replies = await submitMessage(shared.service, undefined, { to, text, mode: 'queue' })
    assert.deepEqual(replies, ['250 2.0.0'])
    return to
  }
  const find = async (to: string): Promise<TestBody | undefined> =>
    (await shared.service.ask('GET', `/api/queue/messages?recipient=${to}`)).body.messages[0]

  test('holds what arrives later, of each lane, until it is released', async () => {
    const { id: transportId, name } = await addTransport(shared.service, {
      mailerDsn: server.dsn,
    })
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
    for (const to of all)
      await until(async () => (await find(to))?.state === 'held', 'the message is held')
    const groups = await groupsOf()
    assert.deepEqual(groups.map(({ lane, state, held }) => [lane, state, held]).toSorted(), [
      ['bulk', 'held', 1],
      ['transactional', 'held', 1],
    ])
    for (const { problem } of groups) assert.match(problem, /held by .*Release them/)
    assert.ok(!server.taken.some((to) => all.includes(to)))
    await post('/api/queue/release', { transportId })
    await until(() => all.every((to) => server.taken.includes(to)), 'they are sent')
    const more = await submit(name)
    await until(() => server.taken.includes(more), 'what arrives then is sent')
  })

  test('is known in all processes', async () => {
    const { id: transportId, name } = await addTransport(shared.service, {
      mailerDsn: server.dsn,
    })
    const other = await shared.openAnother({ isStarted: false })
    assert.equal((await other.ask('POST', '/api/queue/hold', { transportId })).status, 200)
    await until(async () => {
      const to = await submit(name)
      const isSettled = async () => {
        const state = (await find(to))?.state
        return state !== 'queued' && state !== 'sending'
      }
      await until(isSettled, 'it was looked at')
      return (await find(to))?.state === 'held'
    }, 'the process that sends knows the hold')
    await post('/api/queue/release', { transportId })
  })
})
