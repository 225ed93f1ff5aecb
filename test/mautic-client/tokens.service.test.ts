import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addClient, addRole, addUser, type TestClient } from '../callers.ts'
import { callback, getTokens } from '../consent.ts'
import { type Client, createClient } from '../http/send-request.ts'
import { onMailyard } from '../on-each-database.ts'
import type { TestBody } from '../test-app.ts'
import { basic } from './library-client.ts'

const json = 'application/json'
const form = 'application/x-www-form-urlencoded'

onMailyard("the tokens that Mautic's clients ask for", { isOwn: true }, (shared) => {
  let http: Client
  let client: TestClient

  before(async () => {
    http = createClient(await shared.service.listen())
    const role = await addRole(shared.service, { email: ['view'] })
    const grantTypes = ['authorization_code', 'refresh_token', 'client_credentials']
    client = await addClient(shared.service, { redirectUris: [callback], grantTypes, role })
  })
  after(() => http.close())

  const ask = async (
    fields: Record<string, string>,
    { type = json, authorization }: { type?: string; authorization?: string } = {},
  ): Promise<{ status: number; body: TestBody }> => {
    const text = type === json ? JSON.stringify(fields) : new URLSearchParams(fields).toString()
    const headers = { 'content-type': type, accept: json }
    const request = { method: 'POST', target: '/oauth/v2/token', headers, body: Buffer.from(text) }
    const answer = await http.send(request, authorization)
    assert.equal(answer.headers['cache-control'], 'no-store')
    return { status: answer.status, body: JSON.parse(answer.text) }
  }
  const credentials = () => ({ client_id: client.clientId, client_secret: client.clientSecret })
  const own = { grant_type: 'client_credentials' }

  test('client_credentials by JSON, by form, and with HTTP Basic', async () => {
    const login = basic(client.clientId, client.clientSecret)
    const answers = [
      await ask({ ...own, ...credentials() }),
      await ask({ ...own, ...credentials() }, { type: form }),
      await ask(own, { type: form, authorization: login }),
      await ask({ ...own, ...credentials() }, { authorization: 'Bearer expired' }),
      await ask({ ...own, ...credentials(), scope: '' }, { type: form }),
    ]
    for (const { status, body } of answers) {
      assert.equal(status, 200, JSON.stringify(body))
      assert.deepEqual(Object.keys(body).sort(), ['access_token', 'expires_in', 'token_type'])
      const self = { method: 'GET', target: '/api/users/self', headers: {}, body: undefined }
      // Mautic reads Bearer in this spelling alone; any will do here.
      for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
        const answer = await http.send(self, `${scheme} ${body.access_token}`)
        assert.equal(answer.status, 200)
      }
    }
  })

  test('a refresh by form and by JSON, with the redirect URI and the token that has expired', async () => {
    const user = await addUser(shared.service, { email: ['view'] })
    let tokens = await getTokens(shared.service, client, user)
    for (const type of [json, form]) {
      const fields = {
        ...credentials(),
        redirect_uri: callback,
        grant_type: 'refresh_token',
        refresh_token: tokens.refresh_token,
      }
      const { status, body } = await ask(fields, {
        type,
        authorization: `Bearer ${tokens.access_token}`,
      })
      assert.equal(status, 200, JSON.stringify(body))
      tokens = body
    }
  })

  test('a secret in the query is not read: it would stand in every log', async () => {
    const query = new URLSearchParams({ ...own, ...credentials() }).toString()
    const request = {
      method: 'POST',
      target: `/oauth/v2/token?${query}`,
      headers: {},
      body: undefined,
    }
    assert.equal((await http.send(request, undefined)).status, 400)
    for (const line of shared.service.logged) assert.ok(!line.includes(client.clientSecret))
  })
})
