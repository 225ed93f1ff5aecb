import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addUser } from '../callers.ts'
import { onMailyard } from '../on-each-database.ts'

const salt = 'c29tZXNhbHQ'
const tag = 'CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'
/** It would take minutes and a gigabyte. */
const planted = `$argon2id$v=19$m=1048576,t=1000,p=1$${salt}$${tag}`

onMailyard('a password hash', (shared) => {
  test('is never taken from a request', async () => {
    const { service } = shared
    const user = await addUser(service, {})
    const names = ['newPasswordHash', 'passwordHash', 'password_hash', 'password', 'hash']
    const values = Object.fromEntries(names.map((name) => [name, planted]))
    const path = `/api/users/${user.id}/edit`
    assert.equal((await service.ask('PATCH', path, values)).status, 200)
    const batch = [{ id: user.id, ...values }]
    assert.equal((await service.ask('PATCH', '/api/users/batch/edit', batch)).status, 200)
    const replaced = { username: user.username, email: user.email, role: user.roleId, ...values }
    assert.equal((await service.ask('PUT', path, replaced)).status, 200)
    await service.askFor('GET', '/api/users/self', undefined, { as: user.as })
    const fields = { email: `other-${user.email}`, role: user.roleId, ...values }
    const created = await service.ask('POST', '/api/users/new', { username: 'hashed', ...fields })
    assert.equal(created.status, 400, 'no password was given')
  })
})
