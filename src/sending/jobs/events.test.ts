import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { asAdmin } from '../../../test/administrator.ts'
import { createJobWorld, type JobWorld } from '../../../test/sending-jobs/job-world.ts'
import {
  type ScriptedServer,
  startScriptedServer,
} from '../../../test/sending-jobs/scripted-server.ts'
import { openTestApp, type TestApp } from '../../../test/test-app.ts'

describe('the events of a sending', () => {
  let yard: TestApp
  let world: JobWorld
  let server: ScriptedServer
  let url: string
  before(async () => {
    server = await startScriptedServer()
    yard = await openTestApp()
    world = createJobWorld(() => yard)
    url = await yard.listen()
  })
  after(async () => {
    await yard.close()
    await server.stop()
  })

  const open = async (id: number) => {
    const answer = await fetch(`${url}/api/sendings/${id}/events`, {
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

  test('tell the truth and end with the sending, whoever reads slowly', async () => {
    server.delayMs = 30
    const emailId = await world.email(await world.transport(server.dsn))
    const { segment } = await world.segment(1_500)
    const id = await world.send(emailId, { segment })
    const [quick, slow] = await Promise.all([read(await open(id)), read(await open(id), 700)])
    for (const events of [quick, slow]) {
      for (const { total, accepted, refused, uncertain, remaining } of events)
        assert.equal(total, accepted + refused + uncertain + remaining)
      const counts = events.map(({ accepted }) => accepted)
      assert.deepEqual(
        counts,
        counts.toSorted((one, other) => one - other),
      )
      assert.deepEqual([events.at(-1).status, events.at(-1).accepted], ['done', 1_500])
    }
    assert.ok(quick.length > 1)
  })

  test('of a sending that has ended are its end', async () => {
    const emailId = await world.email(await world.transport(server.dsn))
    const { segment } = await world.segment(1)
    const id = await world.send(emailId, { segment })
    await world.act(id, 'cancel')
    const events = await read(await open(id))
    assert.deepEqual(
      events.map(({ status }) => status),
      ['cancelled'],
    )
  })

  test('are made for nobody who has left, nor for who asks for their head only', async () => {
    const { segment } = await world.segment(1)
    const id = await world.send(await world.email(null), { segment })
    const path = `${url}/api/sendings/${id}/events`
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
      await setTimeout(1_500)
      assert.ok(timers() < before + 10, `${method}: ${timers()} timers, ${before} before`)
    }
    await world.act(id, 'cancel')
  })

  test('keep no server from stopping', async () => {
    const other = await openTestApp()
    const elsewhere = createJobWorld(() => other)
    const base = await other.listen()
    const emailId = await elsewhere.email(await elsewhere.transport('null://null'))
    const { segment } = await elsewhere.segment(1)
    const id = await elsewhere.send(emailId, { segment })
    await elsewhere.act(id, 'pause').catch(() => undefined)
    const paused = await elsewhere.email(null)
    const waiting = await elsewhere.send(paused, { segment })
    const answer = await fetch(`${base}/api/sendings/${waiting}/events`, {
      headers: { authorization: asAdmin },
    })
    assert.equal(answer.status, 200)
    const ended = answer.text().catch(() => '')
    await setTimeout(200)
    const startedAt = performance.now()
    await other.close()
    assert.ok(performance.now() - startedAt < 10_000, 'it stops in a moment')
    await ended
  })
})
