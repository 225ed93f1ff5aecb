import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { testDatabases } from '../test/databases.ts'
import { openTestApp } from '../test/test-app.ts'

for (const { name, create } of testDatabases) {
  describe(`a fresh installation on ${name}`, () => {
    test('has administrator 1, role 1 and email 1, and every resource answers', async () => {
      const database = await create()
      const yard = await openTestApp({ database })
      try {
        const { body: self } = await yard.ask('GET', '/api/users/self')
        assert.deepEqual([self.id, self.role.id, self.role.isAdmin], [1, 1, true])
        assert.equal((await yard.ask('GET', '/api/emails/1')).body.email.id, 1)
        for (const path of [
          'multipleTransports',
          'twigTemplates',
          'users',
          'roles',
          'emails',
          'contacts',
          'oauthClients',
        ]) {
          assert.equal((await yard.ask('GET', `/api/${path}`)).status, 200, path)
        }
      } finally {
        await yard.close()
        await database.drop()
      }
    })

    test('opened again it is the same installation, also by several processes at once', async () => {
      const database = await create()
      const yards = await Promise.all([1, 2, 3].map(() => openTestApp({ database })))
      const { body } = (await yards[0]?.ask('GET', '/api/users')) ?? {}
      assert.equal(body.total, 1)
      await Promise.all(yards.map((yard) => yard.close()))
      const again = await openTestApp({ database })
      assert.equal((await again.ask('GET', '/api/users')).body.total, 1)
      await again.close()
      await database.drop()
    })
  })
}
