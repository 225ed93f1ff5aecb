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
    const post = (path: string, body: string) => send('POST', path, { body, 'content-type': form })
    const dsn = 'mailerDsn=smtp%3A%2F%2Fu%3Ap%2Bp%40127.0.0.1%3A25'
    const made = read(await post('/api/multipleTransports/new', `name=n&isPublished=0&${dsn}`))
    assert.deepEqual([made.mailerDsn, made.isPublished], ['smtp://u:p+p@127.0.0.1:25', false])
    const assignment = `transportId=${made.id}&useOwnerTransport=true`
    const assigned = await post('/api/multipleTransport/transportEmail/1', assignment)
    assert.equal(read(assigned).transportEmail.useOwnerTransport, true)
    const permissions = ['view', 'edit'].map(
      (level, at) => `rawPermissions%5Bemail%5D%5B${at}%5D=${level}`,
    )
    const role = await post('/api/roles/new', `name=n&${permissions.join('&')}`)
    assert.deepEqual(read(role).role.rawPermissions, { email: ['view', 'edit'] })
  })

  test('a form that is not UTF-8 is refused, and says how to write it', async () => {
    const headers = { 'content-type': `${form}; charset=iso-8859-1` }
    for (const body of ['city=M%FCnchen', 'M%FCnchen=x', 'city=%C3'].map(
      (part) => `firstname=U&${part}`,
    )) {
      const { status, text } = await send('POST', '/api/contacts/new', { body, ...headers })
      assert.deepEqual([status, /not UTF-8.*%C3%BC/.test(text)], [400, true], text)
    }
    const body = 'city=M%C3%BCnchen&company=100%'
    const { contact } = read(await send('POST', '/api/contacts/new', { body, ...headers }))
    assert.deepEqual([contact.fields.all.city, contact.fields.all.company], ['München', '100%'])
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
