import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { adminPassword } from '../../../test/administrator.ts'
import { testDatabases } from '../../../test/databases.ts'
import { openTestApp, type TestApp } from '../../../test/test-app.ts'
import type { Config } from '../config/index.ts'

const publicUrl = 'https://mail.example.com'
const otherUrl = 'https://copy.example.com'
const otherReason = { reason: 'otherUrl', servedAs: publicUrl }

const unconfirmedOf = async (service: TestApp) => {
  const login = { username: 'admin', password: adminPassword }
  return (await service.askFor('POST', '/api/session', login, { as: 'anonymous' })).unconfirmed
}

for (const { name, createMigrated } of testDatabases)
  describe(`a copy of a database on ${name}`, () => {
    /** Creates a database, and what opens Mailyards on it. */
    const create = async (context: TestContext) => {
      const database = await createMigrated()
      const opened = new Set<TestApp>()
      context.after(async () => {
        for (const service of opened) await service.close()
        await database.drop()
      })
      const open = async (config: Partial<Config>) => {
        const service = await openTestApp({ config, database })
        opened.add(service)
        return service
      }
      return { open }
    }

    test('the public URL that was first set is remembered; a Mailyard without one is no copy', async (context) => {
      const { open } = await create(context)
      assert.equal(await unconfirmedOf(await open({})), undefined)
      assert.equal(await unconfirmedOf(await open({ publicUrl })), undefined)
      assert.equal(await unconfirmedOf(await open({})), undefined)
      assert.deepEqual(await unconfirmedOf(await open({ publicUrl: otherUrl })), otherReason)
    })

    test('MAILYARD_CONFIRM_URL confirms at the start, where it is the public URL', async (context) => {
      const { open } = await create(context)
      await open({ publicUrl })
      const wrong = await open({ publicUrl: otherUrl, confirmUrl: publicUrl })
      assert.deepEqual(await unconfirmedOf(wrong), otherReason)
      const right = await open({ publicUrl: otherUrl, confirmUrl: otherUrl })
      assert.equal(await unconfirmedOf(right), undefined)
      assert.equal(await unconfirmedOf(await open({ publicUrl: otherUrl })), undefined)
    })
  })
