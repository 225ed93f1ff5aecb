import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { addUser } from '../../test/callers.ts'
import { onEachDatabase } from '../../test/on-each-database.ts'

onEachDatabase('users from before look-alike names were refused', (shared) => {
  test('keep their names, and keep others from taking what looks like them', async () => {
    const { yard } = shared
    const { id } = await addUser(yard, {})
    const db = yard.app.storage.tables()
    await sql`update users set username = 'Ada', username_key = 'ada' where id = ${id}`.execute(db)
    await sql`drop index users_username_skeleton`.execute(db)
    await sql`alter table users drop column username_skeleton`.execute(db)
    await sql`delete from migrations where name = '20261122_04_username_skeletons'`.execute(db)
    const migrated = await shared.openAnother()
    const answer = await migrated.ask('POST', '/api/users/new', {
      username: '\u0410d\u0430',
      email: 'other@example.com',
      role: 1,
      plainPassword: { password: 'a long password', confirm: 'a long password' },
    })
    assert.equal(answer.status, 400)
    assert.match(answer.body.details.username[0], /looks like/)
    const edited = await migrated.ask('PATCH', `/api/users/${id}/edit`, { firstName: 'Ada' })
    assert.equal(edited.status, 200)
  })
})
