import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { openTestApp } from '../../test/test-app.ts'

test('the API switched off is off however its paths are written', async () => {
  const yard = await openTestApp({ config: { isApiEnabled: false } })
  for (const url of [
    '/api/users',
    '/api/users/',
    '/api/users?x=1',
    '/%61pi/users',
    '/api/%75sers',
    '/api/openapi.json',
    '/%6fauth/v2/authorize',
  ]) {
    assert.equal((await yard.ask('GET', url)).status, 403, url)
  }
  const { port } = new URL(await yard.listen())
  const socket = connect(Number(port), '127.0.0.1')
  socket.end('GET http://example.com/api/openapi.json HTTP/1.1\r\nHost: example.com\r\n\r\n')
  const [answer] = (await once(socket, 'data')) as [Buffer]
  assert.match(answer.toString(), /^HTTP\/1\.1 403 /)
  assert.equal((await yard.ask('GET', '/healthz')).status, 200)
  await yard.close()
})
