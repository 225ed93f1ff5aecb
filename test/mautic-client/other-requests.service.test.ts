import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { adminPassword } from '../administrator.ts'
import { addTransport, uniqueName } from '../callers.ts'
import { type Client, createClient, type RawAnswer } from '../http/send-request.ts'
import { onMailyard } from '../on-each-database.ts'
import { basic } from './library-client.ts'

const form = 'application/x-www-form-urlencoded'

onMailyard('requests of older clients and of scripts', { isOwn: true }, (shared) => {
  let client: Client

  before(async () => {
    client = createClient(await shared.service.listen())
  })
  after(() => client.close())

  const send = (
    method: string,
    target: string,
    { body, ...headers }: Record<string, string> = {},
  ): Promise<RawAnswer> =>
    client.send(
      { method, target, headers, body: body === undefined ? undefined : Buffer.from(body) },
      basic('admin', adminPassword),
    )
  const read = ({ text }: RawAnswer) => JSON.parse(text)

  test('a form, as PHP writes it: numbers, booleans and lists are read from text', async () => {
    const name = uniqueName('form')
    const body = `name=${name}&mailerDsn=smtp%3A%2F%2Fu%3Ap%2Bp%40127.0.0.1%3A25&isPublished=0`
    const made = await send('POST', '/api/multipleTransports/new', { body, 'content-type': form })
    assert.equal(made.status, 201, made.text)
    const { id, mailerDsn, isPublished } = read(made)
    assert.deepEqual([mailerDsn, isPublished], ['smtp://u:p+p@127.0.0.1:25', false])
    const changed = await send('PATCH', `/api/multipleTransports/${id}/edit`, {
      body: 'isPublished=1',
      'content-type': form,
    })
    assert.equal(read(changed).isPublished, true)
    const assigned = await send('POST', '/api/multipleTransport/transportEmail/1', {
      body: `transportId=${id}&useOwnerTransport=true`,
      'content-type': form,
    })
    assert.equal(read(assigned).transportEmail.useOwnerTransport, true)
    const permissions =
      'rawPermissions%5Bemail%5D%5B0%5D=view&rawPermissions%5Bemail%5D%5B1%5D=edit'
    const role = await send('POST', '/api/roles/new', {
      body: `name=${name}&${permissions}`,
      'content-type': form,
    })
    assert.deepEqual(read(role).role.rawPermissions, { email: ['view', 'edit'] })
  })

  test('JSON without a content type, and JSON that curl calls a form', async () => {
    const body = JSON.stringify({ name: uniqueName('curl'), mailerDsn: 'null://null' })
    assert.equal((await send('POST', '/api/multipleTransports/new', { body })).status, 201)
    const asForm = { body, 'content-type': form }
    assert.equal((await send('POST', '/api/multipleTransports/new', asForm)).status, 201)
  })

  test('a slash at the end of a path', async () => {
    const { id } = await addTransport(shared.service)
    for (const path of ['multipleTransports/', `multipleTransports/${id}/`, 'users/self/']) {
      assert.equal((await send('GET', `/api/${path}`)).status, 200, path)
    }
    const body = JSON.stringify({ name: uniqueName('slash'), mailerDsn: 'null://null' })
    assert.equal((await send('POST', '/api/multipleTransports/new/', { body })).status, 201)
  })

  test('X-HTTP-Method-Override on a POST, for networks that only allow POST', async () => {
    const { id } = await addTransport(shared.service)
    const override = (method: string) => ({ 'x-http-method-override': method })
    const edit = `/api/multipleTransports/${id}/edit`
    const patched = await send('POST', edit, { body: '{"description":"x"}', ...override('PATCH') })
    assert.deepEqual([patched.status, read(patched).description], [200, 'x'])
    const values = JSON.stringify({ name: 'replaced', mailerDsn: 'null://null' })
    const put = await send('POST', edit, { body: values, ...override('put') })
    assert.deepEqual([put.status, read(put).description], [200, null])
    const remove = `/api/multipleTransports/${id}/delete`
    assert.equal((await send('POST', remove, override('DELETE'))).status, 200)
    assert.equal((await send('GET', `/api/multipleTransports/${id}`)).status, 404)
  })

  test('only a POST is overridden, and only by a method that changes things', async () => {
    const { id } = await addTransport(shared.service)
    const remove = `/api/multipleTransports/${id}/delete`
    assert.equal((await send('GET', remove, { 'x-http-method-override': 'DELETE' })).status, 405)
    assert.equal((await send('POST', remove, { 'x-http-method-override': 'GET' })).status, 405)
    assert.equal((await send('POST', `${remove}?_method=DELETE`)).status, 405)
    const answer = await client.send(
      {
        method: 'POST',
        target: remove,
        headers: { 'x-http-method-override': 'DELETE' },
        body: undefined,
      },
      undefined,
    )
    assert.equal(answer.status, 401)
    assert.equal((await send('GET', `/api/multipleTransports/${id}`)).status, 200)
  })
})
