import assert from 'node:assert/strict'
import { test } from 'node:test'
import { uniqueName } from '../../test/callers.ts'
import { onEachDatabase } from '../../test/on-each-database.ts'
import { unwrap } from '../kit/batch-item-result.ts'

const editor = { userId: 1, name: 'Ann', email: undefined, isAdmin: true, can: () => true }
const creator = { ...editor, can: (permission: string) => permission.endsWith(':create') }
const context = { caller: editor, isAtomic: false }

onEachDatabase('contacts', (shared) => {
  const open = () => shared.service.app.contacts
  const create = async (...inputs: object[]) =>
    (await open().create(inputs, context)).map((result) => unwrap(result))
  const edit = async (id: number, values: object) =>
    unwrap((await open().edit([{ id, mode: 'patch', values }], context))[0]).item

  test('with an address that exists change that contact', async () => {
    const email = `${uniqueName('Ann')}@example.com`
    const [first] = await create({ email, firstname: 'Ann', city: 'Bern' })
    const [second] = await create({ email: ` ${email.toUpperCase()} `, city: 'Basel' })
    assert.deepEqual([second?.isNew, second?.item.id], [false, first?.item.id])
    const { all } = second?.item.fields ?? assert.fail()
    assert.deepEqual([all['firstname'], all['city']], ['Ann', 'Basel'])
  })

  test('are listed by a tag that they have, and by no part of one', async () => {
    const vip = `${uniqueName('Vip')} "A" é`
    const [first, second] = await create(
      { email: `${uniqueName('a')}@example.com`, tags: ['x', vip] },
      { email: `${uniqueName('b')}@example.com`, tags: [vip] },
      { email: `${uniqueName('c')}@example.com`, tags: [`${vip} 2`] },
    )
    const idsWith = async (tag: string) => {
      const { body } = await shared.service.ask(
        'GET',
        `/api/contacts?${new URLSearchParams({ tag })}`,
      )
      return Object.keys(body.contacts).map(Number)
    }
    assert.deepEqual(await idsWith(vip), [first?.item.id, second?.item.id])
    assert.deepEqual(await idsWith(vip.slice(1)), [])
  })

  test('of one batch with the same address become one contact', async () => {
    const email = `${uniqueName('one')}@example.com`
    const [first, second] = await create({ email, firstname: 'A' }, { email, lastname: 'B' })
    assert.deepEqual([first?.isNew, second?.isNew], [true, false])
    assert.equal(second?.item.id, first?.item.id)
    const { all } = second?.item.fields ?? assert.fail()
    assert.deepEqual([all['firstname'], all['lastname']], ['A', 'B'])
  })

  test('are not changed by a caller who may only create', async () => {
    const email = `${uniqueName('kept')}@example.com`
    const [kept] = await create({ email, city: 'Bern' })
    const [refused] = await open().create([{ email, city: 'Basel' }], {
      ...context,
      caller: creator,
    })
    const message = `Record ${kept?.item.id} has the same email, and you may not change it (contact:edit).`
    assert.equal(refused?.ok === false && refused.error.message, message)
  })

  test('keep their address from other contacts', async () => {
    const email = `${uniqueName('taken')}@example.com`
    const [, other] = await create({ email }, { firstname: 'Without address' })
    await assert.rejects(edit(other?.item.id ?? 0, { email }), /has the address .* already/)
  })

  test('get tags, and lose those with a minus, up to the limit', async () => {
    const [contact] = await create({ tags: ['a', 'b'] })
    const id = contact?.item.id ?? 0
    const { tags } = await edit(id, { tags: ['-a', 'c'] })
    assert.deepEqual(tags, [{ tag: 'b' }, { tag: 'c' }])
    const many = Array.from({ length: 199 }, (_, index) => `tag ${index}`)
    await assert.rejects(edit(id, { tags: many }), /tags must be 200 or fewer/)
  })

  test('with an owner that does not exist fail alone', async () => {
    const results = await open().create([{ owner: 999_999 }, { owner: 1 }], context)
    const [missing, found] = results
    assert.match(String(missing?.ok === false && missing.error.message), /owner names no user/)
    assert.equal(found?.ok && found.value.item.owner?.id, 1)
  })
})
