import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { asAdmin } from '../administrator.ts'
import { openTestApp } from '../test-app.ts'

test('a compressed body is refused as compressed; identity is accepted', async () => {
  const service = await openTestApp()
  try {
    const url = `${await service.listen()}/api/multipleTransports/new`
    const text = JSON.stringify({ name: 'x', mailerDsn: 'null://null' })
    const send = (encoding: string, body: string | Uint8Array<ArrayBuffer>) => {
      const headers = {
        authorization: asAdmin,
        'content-type': 'application/json',
        'content-encoding': encoding,
      }
      return fetch(url, { method: 'POST', headers, body })
    }
    const refused = await send('gzip', new Uint8Array(gzipSync(text)))
    assert.equal(refused.status, 415)
    assert.equal(refused.headers.get('accept-encoding'), 'identity')
    assert.equal(((await refused.json()) as { success: boolean }).success, false)
    assert.equal((await send('identity', text)).status, 201)
  } finally {
    await service.close()
  }
})
