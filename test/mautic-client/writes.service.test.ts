import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { adminPassword } from '../administrator.ts'
import { addClient, addRole, addTransport, getClientToken, uniqueName } from '../callers.ts'
import { onMailyard } from '../on-each-database.ts'
import { basic, createLibraryClient, type LibraryClient } from './library-client.ts'

/** What the library takes; any other status is an error to it, 204 among them. */
const taken = [200, 201]

onMailyard("what Mautic's client writes", { isOwn: true }, (shared) => {
  let url: string
  let client: LibraryClient

  before(async () => {
    url = await shared.service.listen()
    client = createLibraryClient(url, basic('admin', adminPassword))
  })
  after(() => client.close())

  const write = async (method: string, path: string, parameters?: unknown) => {
    const { status, body } = await client.call(method, path, parameters)
    assert.ok(taken.includes(status), `${status} ${JSON.stringify(body)}`)
    return body
  }

  test('create, get, edit and delete of one', async () => {
    const values = { name: uniqueName('one'), template: 'Hello' }
    const { id } = (await write('POST', 'twigTemplates/new', values)).twigTemplate
    const read = await client.call('GET', `twigTemplates/${id}`)
    assert.equal(read.body.twigTemplate.name, values.name)
    const edited = await write('PATCH', `twigTemplates/${id}/edit`, { template: 'Bye' })
    assert.deepEqual([edited.twigTemplate.template, edited.twigTemplate.name], ['Bye', values.name])
    const removed = await write('DELETE', `twigTemplates/${id}/delete`)
    assert.equal(removed.twigTemplate.id, null)
    assert.equal((await client.call('GET', `twigTemplates/${id}`)).status, 404)
  })

  test('create and edit of one with OAuth', async () => {
    const role = await addRole(shared.service, { twigtemplates: ['create', 'edit'] })
    const own = await addClient(shared.service, { grantTypes: ['client_credentials'], role })
    const { access_token: token } = await getClientToken(shared.service, own)
    const byToken = createLibraryClient(url, `Bearer ${token}`)
    const values = { name: uniqueName('token'), template: 'Hello' }
    const made = await byToken.call('POST', 'twigTemplates/new', values)
    const path = `twigTemplates/${made.body.twigTemplate.id}/edit`
    const edited = await byToken.call('PATCH', path, { template: 'Bye' })
    byToken.close()
    assert.deepEqual([made.status, edited.status], [201, 200])
  })

  test('an empty array where it has no parameters', async () => {
    const { id } = await addTransport(shared.service)
    assert.equal((await write('POST', `multipleTransports/send/test/${id}`)).success, true)
    assert.equal((await write('PATCH', `multipleTransports/${id}/edit`)).id, id)
    assert.deepEqual((await write('POST', 'twigTemplates/batch/new')).statusCodes, [])
    assert.equal((await client.call('POST', 'twigTemplates/new')).status, 400)
    const role = await write('POST', 'roles/new', { name: uniqueName('role'), rawPermissions: [] })
    assert.deepEqual(role.role.rawPermissions, {})
  })

  test('numbers and booleans as text, as in a form; other wrong types are refused', async () => {
    const { id } = await addTransport(shared.service)
    const transport = (values: string) =>
      `PATCH multipleTransports/${id}/edit {"isPublished":${values}`
    const requests = [
      ...['"0"', '"false"', '"NO"', '"off"'].map((no) =>
        transport(`${no}} 200 "isPublished":false`),
      ),
      ...['"1"', '"true"', '"Yes"', '"on"'].map((yes) =>
        transport(`${yes}} 200 "isPublished":true`),
      ),
      ...['""', '"maybe"', '1', 'null', '["1"]'].map((wrong) => transport(`${wrong}} 400`)),
      'POST contacts/new {"points":"-7","owner":"1","isPublished":"0"} 201 "points":-7',
      'POST contacts/new {"points":"1.5"} 400',
      'POST contacts/batch/new [{"points":"7","owner":""}] 201 "points":7',
      'POST contacts/batch/new {"first":{"points":"7"}} 201 "points":7',
      'POST emails/new {"name":"n","subject":"s","isTwig":"1"} 201 "isTwig":true',
      'POST emails/new {"name":5,"subject":"s"} 400',
      'POST users/new {"username":"text","email":"t@x.test","role":"1","plainPassword":{"password":"long enough 1","confirm":"long enough 1"}} 201 "isAdmin":true',
      `POST multipleTransport/transportEmail/1 {"transportId":"${id}","useOwnerTransport":"1"} 200 "useOwnerTransport":true`,
    ]
    for (const request of requests) {
      const [, method = '', path = '', values = '', status, shown = ''] =
        /^(\S+) (\S+) (.*) (\d{3}) ?(.*)$/.exec(request) ?? []
      const answer = await client.call(method, path, JSON.parse(values))
      assert.equal(answer.status, Number(status), `${request} ${JSON.stringify(answer.body)}`)
      assert.ok(JSON.stringify(answer.body).includes(shown), request)
    }
  })

  test('batches: a list, a list with gaps as an object, and ids in brackets', async () => {
    const items = ['x', 'y', 'z'].map((template) => ({ name: uniqueName('batch'), template }))
    const made = await write('POST', 'twigTemplates/batch/new', items)
    const ids: number[] = made.twigTemplates.map(({ id }: { id: number }) => id)
    assert.deepEqual(made.statusCodes, [201, 201, 201])
    const gaps = { 0: { id: String(ids[0]), template: '1' }, 2: { id: ids[2], template: '3' } }
    const edited = await write('PATCH', 'twigTemplates/batch/edit', gaps)
    assert.deepEqual(edited.statusCodes, [200, 200])
    const replaced = await write('PUT', 'twigTemplates/batch/edit', [{ id: ids[1], ...items[1] }])
    assert.deepEqual(replaced.statusCodes, [200])
    const removed = await write('DELETE', 'twigTemplates/batch/delete', { ids })
    const shownIds = removed.twigTemplates.map(({ id }: { id: number }) => id)
    assert.deepEqual(shownIds, ids)
  })
})
