import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asAdmin } from '../administrator.ts'
import { onMailyard } from '../on-each-database.ts'

onMailyard('query text that no database accepts', { isOwn: true }, (shared) => {
  test('is refused by endpoints that read the query, and ignored by others; the service stays up', async () => {
    const url = await shared.service.listen()
    const paths: [path: string, status: number][] = [
      ['/healthz?x=%00', 200],
      ['/nothing?x=%00', 404],
      ['/api/contacts/1?x=%00', 404],
      ['/api/contacts?search=%00', 400],
      ['/api/contacts?search[%00]=1', 400],
      ['/api/multipleTransport/resolve?from=%00', 400],
      ['/api/deliveries?recipient=%00', 400],
      ['/oauth/v2/authorize?client_id=%00', 400],
      ['/api/contacts?search=%ED%A0%80', 400],
      ['/api/contacts?search=M%FCller', 400],
      ['/api/contacts?search=100%', 200],
      ['/healthz', 200],
    ]
    for (const [path, status] of paths) {
      const answer = await fetch(`${url}${path}`, { headers: { authorization: asAdmin } })
      assert.equal(answer.status, status, `${path} ${await answer.text()}`)
    }
    const answer = await shared.ask('DELETE', '/api/contacts/batch/delete?ids=%00')
    assert.equal(answer.status, 400)
  })
})
