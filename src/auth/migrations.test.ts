import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addRole } from '../../test/callers.ts'
import { onEachDatabase } from '../../test/on-each-database.ts'
import { authMigrations } from './migrations.ts'

onEachDatabase('the upgrade of roles', (shared) => {
  test('leaves the queue to those who could see all of it', async () => {
    const { storage } = shared.service.app
    const all = { contact: ['view'], multipleTransports: ['full'] }
    const roles: [before: Record<string, string[]>, queue: string[] | undefined][] = [
      [{ email: ['view', 'send'], ...all }, ['view', 'edit']],
      [{ email: ['full'], ...all }, ['view', 'edit']],
      [{ email: ['view', 'send'] }, ['view']],
      [{ email: ['view'], ...all }, ['view']],
      [{ email: ['send'], ...all }, undefined],
      [{ contact: ['full'] }, undefined],
    ]
    const ids: number[] = []
    for (const [permissions] of roles) ids.push(await addRole(shared.service, permissions))
    await authMigrations['20261124_72_queue_permissions']?.(
      storage.tables(),
      storage,
      () => undefined,
    )
    for (const [index, [before, queue]] of roles.entries()) {
      const { body } = await shared.service.ask('GET', `/api/roles/${ids[index]}`)
      const after = queue === undefined ? before : { ...before, queue }
      assert.deepEqual(body.role.rawPermissions, after)
    }
  })
})
