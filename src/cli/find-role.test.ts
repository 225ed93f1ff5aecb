import assert from 'node:assert/strict'
import { test } from 'node:test'
import { uniqueName } from '../../test/callers.ts'
import { onEachDatabase } from '../../test/on-each-database.ts'
import { findRole } from './find-role.ts'

onEachDatabase('a role on the command line', (shared) => {
  const addRole = async (name: string): Promise<number> => {
    const { body } = await shared.yard.ask('POST', '/api/roles/new', { name })
    return body.role.id
  }

  test('is found by its id or its name, whatever the letter case and outer blanks', async () => {
    const name = uniqueName('Änderer')
    const id = await addRole(name)
    for (const text of [name, ` ${name.toUpperCase()} `, String(id)]) {
      assert.equal(await findRole(shared.yard.app, text), id)
    }
    await assert.rejects(findRole(shared.yard.app, `${name}s`), /There is no role/)
  })

  test('whose name several roles have is refused with their ids', async () => {
    const name = uniqueName('twin')
    const ids = [await addRole(name), await addRole(name.toUpperCase())]
    const sentence = `Two roles are named "${name}" (ids ${ids.join(', ')}). Use the id of one of them.`
    await assert.rejects(findRole(shared.yard.app, name), { message: sentence })
    assert.equal(await findRole(shared.yard.app, String(ids[1])), ids[1])
  })
})
