import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { asAdmin } from '../../test/administrator.ts'
import {
  type BroadcastFixture,
  createBroadcastFixture,
} from '../../test/broadcasts/broadcast-fixture.ts'
import { type ScriptedServer, startScriptedServer } from '../../test/scripted-server.ts'
import { openTestApp, type TestApp } from '../../test/test-app.ts'
import { until } from '../../test/until.ts'

describe('the events of a broadcast', () => {
  let service: TestApp
  let fixture: BroadcastFixture
  let server: ScriptedServer
  let url: string
  before(async () => {
    server = await startScriptedServer()
    service = await openTestApp()
    fixture = createBroadcastFixture(() => service)
    url = await service.listen()
  })
  after(async () => {
    await service.close()
    await server.stop()
  })

  const open = async (id: number) => {
    const answer = await fetch(`${url}/api/broadcasts/${id}/events`, {
      headers: { authorization: asAdmin },
    })
    assert.equal(answer.status, 200)
    assert.ok(answer.body)
    return answer.body
  }
  const read = async (body: ReadableStream<Uint8Array>, waitMs = 0) => {
    let text = ''
    for await (const chunk of body) {
      text += Buffer.from(chunk).toString()
      if (waitMs > 0) await setTimeout(waitMs)
    }
    return text
      .split('\n')
      .filter((line) => line.startsWith('data: '))
      .map((line) => JSON.parse(line.slice(6)))
  }

  test('are correct and end with the broadcast, even for a slow reader', async () => {
    server.delayMs = 30
    const emailId = await fixture.email(await fixture.transport(server.dsn))
    const { segment } = await fixture.segment(1_500)
    const id = await fixture.send(emailId, { segment })
    const [quick, slow] = await Promise.all([read(await open(id)), read(await open(id), 700)])
    for (const events of [quick, slow]) {
      for (const { total, accepted, refused, uncertain, remaining } of events)
        assert.equal(total, accepted + refused + uncertain + remaining)
      const counts = events.map(({ accepted }) => accepted)
      assert.deepEqual(
        counts,
        counts.toSorted((one, other) => one - other),
      )
      assert.deepEqual([events.at(-1).state, events.at(-1).accepted], ['done', 1_500])
    }
    assert.ok(quick.length > 1)
  })

  test('of a broadcast that has ended are one final event', async () => {
    const emailId = await fixture.email(null)
    const { segment } = await fixture.segment(1)
    const id = await fixture.send(emailId, { segment })
    await fixture.act(id, 'cancel')
    const events = await read(await open(id))
    assert.deepEqual(
      events.map(({ state }) => state),
      ['cancelled'],
    )
  })

  test('come also when nothing has changed since the last one', async () => {
    const { segment } = await fixture.segment(1)
    const id = await fixture.send(await fixture.email(null), { segment })
    await fixture.act(id, 'pause')
    const events: string[] = []
    for await (const chunk of await open(id)) {
      events.push(Buffer.from(chunk).toString())
      if (events.length === 3) await fixture.act(id, 'cancel')
    }
    assert.deepEqual(
      events.map((text) => text.split('\n')[0]),
      events.map(() => 'event: progress'),
    )
    assert.match(events.at(-1) ?? '', /"state":"cancelled"/)
  })

  test('stop for a client that disconnects, and for a HEAD request', async () => {
    const { segment } = await fixture.segment(1)
    const id = await fixture.send(await fixture.email(null), { segment })
    const path = `${url}/api/broadcasts/${id}/events`
    const timers = () => process.getActiveResourcesInfo().filter((one) => one === 'Timeout').length
    const listen = async (method: string) => {
      const leaving = new AbortController()
      const options = { method, headers: { authorization: asAdmin }, signal: leaving.signal }
      assert.equal((await fetch(path, options)).status, 200)
      return leaving
    }
    for (const method of ['GET', 'HEAD']) {
      const before = timers()
      for (let count = 0; count < 20; count++) (await listen(method)).abort()
      await until(() => timers() < before + 10, `the timers after ${method} have ended`)
    }
    await fixture.act(id, 'cancel')
  })

  test('do not delay a stop of the server', { timeout: 120_000 }, async () => {
    const other = await openTestApp()
    const elsewhere = createBroadcastFixture(() => other)
    const base = await other.listen()
    const emailId = await elsewhere.email(await elsewhere.transport('null://null'))
    const { segment } = await elsewhere.segment(1)
    const id = await elsewhere.send(emailId, { segment })
    await elsewhere.act(id, 'pause').catch(() => undefined)
    const paused = await elsewhere.email(null)
    const waiting = await elsewhere.send(paused, { segment })
    const answer = await fetch(`${base}/api/broadcasts/${waiting}/events`, {
      headers: { authorization: asAdmin },
    })
    assert.equal(answer.status, 200)
    const ended = answer.text().catch(() => '')
    await setTimeout(200)
    // The events of a broadcast that waits do not end by themselves.
    await other.close()
    await ended
  })
})
