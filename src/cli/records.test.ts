import assert from 'node:assert/strict'
import { test } from 'node:test'
import { uniqueName } from '../../test/callers.ts'
import { onEachDatabase } from '../../test/on-each-database.ts'
import { findId, recordKinds } from './records.ts'

onEachDatabase('a role on the command line', (shared) => {
  const addRole = async (name: string): Promise<number> => {
    const { body } = await shared.service.ask('POST', '/api/roles/new', { name })
    return body.role.id
  }

  test('is found by its id or its name; letter case and outer blanks are ignored', async () => {
    const name = uniqueName('Änderer')
    const id = await addRole(name)
    for (const text of [name, ` ${name.toUpperCase()} `, String(id)]) {
      assert.equal(await findId(shared.service.app, recordKinds.role, text), id)
    }
    await assert.rejects(
      findId(shared.service.app, recordKinds.role, `${name}s`),
      /Role .* was not found/,
    )
  })

  test('with an ambiguous name is rejected with the ids', async () => {
    const name = uniqueName('twin')
    const ids = [await addRole(name), await addRole(name.toUpperCase())]
    const sentence = `Two roles are named "${name}" (ids ${ids.join(', ')}). Use the id of one of them.`
    await assert.rejects(findId(shared.service.app, recordKinds.role, name), { message: sentence })
    assert.equal(await findId(shared.service.app, recordKinds.role, String(ids[1])), ids[1])
  })

  test('is not guessed where the id of one is the name of another', async () => {
    const name = uniqueName('numbered')
    const id = await addRole(name)
    const other = await addRole(String(id))
    const message = `${id} is the id of the role "${name}", and the name of another one (id ${other}). Use the name of the first, or the id of the other.`
    const find = (text: string) => findId(shared.service.app, recordKinds.role, text)
    await assert.rejects(find(` ${id} `), { code: 'role_name_ambiguous', message })
    assert.deepEqual([await find(name), await find(String(other))], [id, other])
  })
})
