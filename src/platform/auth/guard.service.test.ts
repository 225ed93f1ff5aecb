import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { openTestApp } from '../../../test/test-app.ts'

test('a disabled API is disabled for every spelling of its paths', async () => {
  const service = await openTestApp({ config: { isApiEnabled: false } })
  for (const url of [
    '/api/users',
    '/api/users/',
    '/api/users?x=1',
    '/%61pi/users',
    '/api/%75sers',
    '/api/openapi.json',
    '/%6fauth/v2/authorize',
  ]) {
    assert.equal((await service.ask('GET', url)).status, 403, url)
  }
  const { port } = new URL(await service.listen())
  const socket = connect(Number(port), '127.0.0.1')
  socket.end('GET http://example.com/api/openapi.json HTTP/1.1\r\nHost: example.com\r\n\r\n')
  const [answer] = (await once(socket, 'data')) as [Buffer]
  assert.match(answer.toString(), /^HTTP\/1\.1 403 /)
  assert.equal((await service.ask('GET', '/healthz')).status, 200)
  await service.close()
})
