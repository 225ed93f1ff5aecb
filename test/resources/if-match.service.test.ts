import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { addUser, uniqueName } from '../callers.ts'
import { onMailyard } from '../on-each-database.ts'
import type { TestAnswer } from '../test-app.ts'

/** Every resource, with a good record of it and a change. */
const resources: [path: string, values: () => Record<string, unknown>, change: object][] = [
  ['/api/multipleTransports', () => ({ name: 'a', mailerDsn: 'null://null' }), { name: 'b' }],
  ['/api/twigTemplates', () => ({ name: uniqueName('a'), template: 'x' }), { template: 'y' }],
  ['/api/emails', () => ({ name: 'a', subject: 'a' }), { name: 'b' }],
  [
    '/api/contacts',
    () => ({ email: `${uniqueName('a')}@example.com`, firstname: 'a' }),
    { firstname: 'b' },
  ],
  ['/api/roles', () => ({ name: 'a' }), { name: 'b' }],
  [
    '/api/oauthClients',
    () => ({ name: 'a', redirectUris: ['https://a.example.com/'] }),
    { name: 'b' },
  ],
]

onMailyard('If-Match', (shared) => {
  const { ask } = shared
  const edit = (url: string, change: object, tag: string) =>
    ask('PATCH', `${url}/edit`, change, { headers: { 'if-match': tag } })
  const remove = (url: string, tag: string) =>
    ask('DELETE', `${url}/delete`, undefined, { headers: { 'if-match': tag } })
  const restore = (url: string, tag: string) =>
    ask('POST', `${url}/versions/1/restore`, {}, { headers: { 'if-match': tag } })

  /** Makes a record and changes it: its revision is 2. */
  const addEdited = async (path: string, values: object, change: object) => {
    const made = await ask('POST', `${path}/new`, values)
    assert.equal(made.status, 201, made.text)
    const url = String(made.headers['location'])
    assert.equal((await ask('PATCH', `${url}/edit`, change)).headers['etag'], '"2"')
    return url
  }
  const addTemplate = () =>
    addEdited('/api/twigTemplates', { name: uniqueName('t'), template: 'x' }, { template: 'y' })

  for (const [path, values, change] of resources) {
    test(`a record that was changed since it was read is not deleted from ${path}`, async () => {
      const url = await addEdited(path, values(), change)
      assertConflict(await remove(url, '"1"'))
      assert.equal((await ask('GET', url)).status, 200)
      assert.equal((await remove(url, '"2"')).status, 200)
      assert.equal((await ask('GET', url)).status, 404)
    })
  }

  test('a user that was changed since it was read is not deleted', async () => {
    const { id } = await addUser(shared.service, {})
    const url = `/api/users/${id}`
    await ask('PATCH', `${url}/edit`, { firstName: 'b' })
    assertConflict(await remove(url, '"1"'))
    assert.equal((await remove(url, '*')).status, 200)
  })

  test('a version is only restored if the template is as the caller has read it', async () => {
    const url = await addTemplate()
    assertConflict(await restore(url, '"1"'))
    assert.equal((await ask('GET', url)).body.twigTemplate.template, 'y')
    const restored = await restore(url, '"2"')
    assert.deepEqual([restored.status, restored.body.twigTemplate.template], [200, 'x'])
    assert.equal(restored.headers['etag'], '"3"')
    assert.equal((await restore(url, '*')).status, 200)
  })

  test('of an edit and a deletion of one revision at once, one goes through', async () => {
    for (let round = 0; round < 10; round += 1) {
      const url = await addTemplate()
      const edited = edit(url, { template: 'z' }, '"2"')
      const [{ status }, { status: removed }] = await Promise.all([edited, remove(url, '"2"')])
      const is = `${status}, ${removed}`
      assert.ok(['200, 409', '404, 200'].includes(is), is)
    }
  })

  describe('a list of tags', () => {
    test('is met where the record is at any of them', async () => {
      const url = await addTemplate()
      for (const tag of ['"1", "3"', '"1","3",', 'W/"1" , "30"']) {
        assertConflict(await edit(url, { template: 'no' }, tag))
        assertConflict(await remove(url, tag))
        assertConflict(await restore(url, tag))
      }
      assert.equal((await edit(url, { template: 'z' }, '"1", "2"')).status, 200)
      assert.equal((await restore(url, '"9","3"')).status, 200)
      assert.equal((await remove(url, '"1", , "4"')).status, 200)
    })

    test('that is none changes nothing', async () => {
      const url = await addTemplate()
      for (const tag of ['2', '"1" "2"', '"2", *', '"2", x', ',', '']) {
        for (const answer of [
          await edit(url, { template: 'no' }, tag),
          await remove(url, tag),
          await restore(url, tag),
        ]) {
          assert.deepEqual(
            [answer.status, /^If-Match must be/.test(answer.body.error)],
            [400, true],
          )
        }
      }
      assert.equal((await ask('GET', url)).headers['etag'], '"2"')
    })
  })
})

function assertConflict({ status, body }: TestAnswer): void {
  assert.equal(status, 409)
  assert.match(body.error, /has changed it since you read it/)
}
