import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { testDatabases } from '../databases.ts'
import { openTestApp, type TestAnswer, type TestApp } from '../test-app.ts'

/** Asks again until the status is this one; fails after three minutes. */
async function waitForStatus(service: TestApp, path: string, status: number): Promise<TestAnswer> {
  const deadline = Date.now() + 180_000
  for (;;) {
    const answer = await service.ask('GET', path)
    if (answer.status === status) return answer
    assert.ok(Date.now() < deadline, `${path} never answered ${status}`)
    await setTimeout(100)
  }
}

for (const { name, create } of testDatabases) {
  describe(`health, on ${name}`, () => {
    test('healthz and readyz answer 200 without a log-in; without its database only healthz does', async () => {
      const database = await create()
      const service = await openTestApp({ database })
      try {
        for (const path of ['/healthz', '/readyz']) {
          const { status } = await service.ask('GET', path, undefined, { as: 'anonymous' })
          assert.equal(status, 200)
        }
        if (database.url.startsWith('sqlite:')) rmSync(database.url.slice('sqlite:'.length))
        else await database.drop()
        await waitForStatus(service, '/readyz', 503)
        assert.equal((await service.ask('GET', '/healthz')).status, 200)
        const { body } = await waitForStatus(service, '/api/multipleTransports', 503)
        assert.equal(body.success, false)
        assert.match(body.error, /database/)
      } finally {
        await service.close()
        if (database.url.startsWith('sqlite:')) await database.drop()
      }
    })
  })
}
