import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operator } from '../../src/edges/cli/session.ts'
import { unwrap } from '../../src/kit/batch-item-result.ts'
import { addClientCaller, addRole, addUser, uniqueName } from '../callers.ts'
import { onEachDatabase } from '../on-each-database.ts'
import type { TestApp, TestBody, TestCaller } from '../test-app.ts'

onEachDatabase('the last administrator', { isOwn: true }, (shared) => {
  const { ask } = shared

  test('cannot be removed, demoted or unpublished by any request, of their own or of their client', async () => {
    const weak = await addRole(shared.service, {})
    const { as } = await addClientCaller(shared.service, 'administrator')
    const user = { username: 'admin', email: 'admin@localhost', role: 1 }
    for (const [method, path, body] of [
      ['DELETE', 'users/1/delete', undefined],
      ['DELETE', 'users/batch/delete?ids=1', undefined],
      ['PATCH', 'users/1/edit', { role: weak }],
      ['PATCH', 'users/1/edit', { isPublished: false }],
      ['PATCH', 'users/1/edit', { validUntil: '2099-12-31' }],
      ['PUT', 'users/1/edit', { ...user, role: weak }],
      ['PUT', 'users/1/edit', { ...user, isPublished: false }],
      ['PATCH', 'users/batch/edit', [{ id: 1, role: weak }]],
      ['PUT', 'users/batch/edit', [{ id: 1, ...user, isPublished: false }]],
      ['PATCH', 'roles/1/edit', { isAdmin: false }],
      ['PATCH', 'roles/1/edit', { isPublished: false }],
      ['PUT', 'roles/1/edit', { name: 'no administrator any more' }],
      ['PATCH', 'roles/batch/edit', [{ id: 1, isAdmin: false }]],
      ['DELETE', 'roles/1/delete', undefined],
    ] as const) {
      for (const who of [undefined, as]) {
        const options = who === undefined ? {} : { as: who }
        const answer = await ask(method, `/api/${path}`, body, options)
        const codes = answer.body.statusCodes ?? [answer.status]
        assert.deepEqual(codes, [409], `${method} ${path}: ${answer.text}`)
      }
    }
    assert.equal((await ask('GET', '/api/users/self')).body.role.isAdmin, true)
  })

  test('is kept when a batch would remove or demote all of them', async () => {
    const other = await addUser(shared.service, 'administrator')
    const weak = await addRole(shared.service, {})
    const edits = [other.id, 1].map((id) => ({ id, role: weak }))
    const demoted = await ask('PATCH', '/api/users/batch/edit', edits)
    assert.deepEqual(demoted.body.statusCodes, [200, 409])
    const third = await addUser(shared.service, 'administrator')
    const gone = await ask('DELETE', `/api/users/batch/delete?ids=${third.id},1`)
    assert.deepEqual(gone.body.statusCodes, [200, 409])
    const fourth = await addUser(shared.service, 'administrator')
    const atomic = await ask('DELETE', `/api/users/batch/delete?atomic=1&ids=${fourth.id},1`)
    assert.equal(atomic.status, 409)
    assert.equal((await ask('GET', `/api/users/${fourth.id}`)).status, 200)
    await ask('DELETE', `/api/users/${fourth.id}/delete`)
  })

  test('is a published user with a published role and a log-in without an end', async () => {
    const hidden = await addUser(shared.service, 'administrator')
    await ask('PATCH', `/api/users/${hidden.id}/edit`, { isPublished: false })
    const roleless = await addUser(shared.service, 'administrator')
    await ask('PATCH', `/api/roles/${roleless.roleId}/edit`, { isPublished: false })
    const temporary = await addUser(shared.service, 'administrator')
    await ask('PATCH', `/api/users/${temporary.id}/edit`, { validUntil: '2099-12-31' })
    assert.equal((await ask('DELETE', '/api/users/1/delete')).status, 409)
    for (const { id } of [hidden, roleless, temporary])
      await ask('DELETE', `/api/users/${id}/delete`)
  })

  test('can be removed once there is another', async () => {
    const next = await addUser(shared.service, 'administrator')
    assert.equal((await ask('DELETE', '/api/users/1/delete')).status, 200)
    const self = await ask('GET', '/api/users/self', undefined, { as: next.as })
    assert.equal(self.body.role.isAdmin, true)
    assert.equal((await ask('GET', '/api/users/self')).status, 401)
    const own = await ask('DELETE', `/api/users/${next.id}/delete`, undefined, { as: next.as })
    assert.equal(own.status, 409)
  })
})

/** Counts the administrators in the database. */
async function countAdministrators(service: TestApp): Promise<number> {
  const db = service.app.storage.tables<{
    users: { role_id: number; is_published: boolean }
    roles: { id: number; is_admin: boolean; is_published: boolean }
  }>()
  const rows = await db
    .selectFrom('users')
    .innerJoin('roles', 'roles.id', 'users.role_id')
    .select('users.role_id')
    .where('users.is_published', '=', true)
    .where('roles.is_published', '=', true)
    .where('roles.is_admin', '=', true)
    .execute()
  return rows.length
}

const asOperator = { caller: operator, isAtomic: true }

/** Made from outside of the API, since its own administrator goes in the first round. */
async function addAdministrator({ app }: TestApp): Promise<{ id: number; as: TestCaller }> {
  const username = uniqueName('administrator')
  const password = `password of ${username}`
  const values = {
    username,
    email: `${username}@example.com`,
    role: 1,
    plainPassword: { password, confirm: password },
  }
  const [outcome] = await app.auth.users.create([values], asOperator)
  return { id: unwrap(outcome).item.id, as: [username, password] }
}

type Attack = (id: number, weakRole: number) => readonly ['PATCH' | 'DELETE', string, TestBody]

const attacks: Record<string, Attack> = {
  'demoting each other': (id, role) => ['PATCH', `/api/users/${id}/edit`, { role }],
  'unpublishing each other': (id) => ['PATCH', `/api/users/${id}/edit`, { isPublished: false }],
  'deleting each other': (id) => ['DELETE', `/api/users/${id}/delete`, undefined],
  'demoting each other in batches': (id, role) => [
    'PATCH',
    '/api/users/batch/edit',
    [{ id, role }],
  ],
}

onEachDatabase(
  'two administrators at the same moment, on two processes',
  { isOwn: true },
  (shared) => {
    for (const [what, attack] of Object.entries(attacks)) {
      test(`one is left after ${what}`, async () => {
        const { service } = shared
        const other = await shared.openAnother()
        const [role] = await service.app.auth.roles.create([{ name: 'weak' }], asOperator)
        const weakRole = unwrap(role).item.id
        const db = service.app.storage.tables<{ users: { id: number } }>()
        for (let round = 0; round < 3; round++) {
          const first = await addAdministrator(service)
          const second = await addAdministrator(service)
          const kept = [first.id, second.id]
          await db.deleteFrom('users').where('id', 'not in', kept).execute()
          // The passwords are verified before, so that both changes begin at once.
          await service.ask('GET', '/api/users/self', undefined, first)
          await other.ask('GET', '/api/users/self', undefined, second)
          assert.equal(await countAdministrators(service), 2)
          const answers = await Promise.all([
            service.ask(...attack(second.id, weakRole), first),
            other.ask(...attack(first.id, weakRole), second),
          ])
          for (const { status, text } of answers) assert.ok(status < 500, text)
          assert.equal(await countAdministrators(service), 1, `in round ${round}`)
        }
      })
    }
  },
)
