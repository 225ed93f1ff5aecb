import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultPasswordCost } from '../../src/platform/auth/credentials.ts'
import { addRole, uniqueName } from '../callers.ts'
import { onMailyard, type SharedApp } from '../on-each-database.ts'

const hashUsers = (shared: SharedApp) => {
  test('hold up no other change while their passwords are hashed', async () => {
    const { service } = shared
    const users = Array.from({ length: 15 }, () => {
      const username = uniqueName('many')
      const password = `password of ${username}`
      const plainPassword = { password, confirm: password }
      return { username, email: `${username}@example.com`, role: 1, plainPassword }
    })
    let isBatchDone = false
    const batch = service.ask('POST', '/api/users/batch/new', users).then((answer) => {
      isBatchDone = true
      return answer
    })
    await addRole(service, {})
    assert.equal(isBatchDone, false)
    const { status, body } = await batch
    assert.equal(status, 201)
    assert.ok(body.statusCodes.every((code: number) => code === 201))
    const [first] = users
    assert.ok(first !== undefined)
    const as = [first.username, first.plainPassword.password] as const
    assert.equal((await service.ask('GET', '/api/users/self', undefined, { as })).status, 200)
  })
}

onMailyard('many users at once', { passwordCost: defaultPasswordCost }, hashUsers)
