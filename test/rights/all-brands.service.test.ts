import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addBrandUser } from '../brand-callers.ts'
import { addEmail, addRole, addTemplate, addUser, uniqueName } from '../callers.ts'
import { addBrand } from '../mautics.ts'
import { onMailyard } from '../on-each-database.ts'
import type { TestCaller } from '../test-app.ts'

onMailyard('what is of the whole installation', (shared) => {
  test('is closed to administrators with brands, and open to those of all', async () => {
    const { service } = shared
    const { id: user } = await addUser(service, {})
    const role = await addRole(service, {})
    const brand = await addBrand(service)
    const all = (await addUser(service, 'administrator')).as
    const few = (await addBrandUser(service, [brand])).as
    const headers = { 'x-forwarded-for': '192.0.2.1' }
    for (const [method, path, body] of [
      ['GET', '/metrics'],
      ['POST', '/api/installation/confirm'],
      ['GET', `/api/users/${user}/sessions`],
      ['DELETE', `/api/users/${user}/sessions`],
      ['POST', '/api/roles/new', { name: 'Mine', isAdmin: true }],
      ['POST', '/api/roles/batch/new', [{ name: 'Mine', isAdmin: true }]],
      ['PATCH', `/api/roles/${role}/edit`, { description: 'Mine' }],
      ['PUT', `/api/roles/${role}/edit`, { name: 'Mine' }],
      ['PATCH', '/api/roles/batch/edit', [{ id: role, description: 'Mine' }]],
      ['DELETE', `/api/roles/batch/delete?ids=${role}`],
      ['DELETE', `/api/roles/${role}/delete`],
    ] as const) {
      const ask = (as: TestCaller) => service.ask(method, path, body, { as, headers })
      const { status, body: answer } = await ask(few)
      assert.equal(status, 403, `${method} ${path}`)
      assert.match(answer.error, /^Only who has all brands/, `${method} ${path}`)
      assert.notEqual((await ask(all)).status, 403, `${method} ${path}`)
    }
    assert.equal((await service.ask('GET', '/api/roles', undefined, { as: few })).status, 200)
  })

  test('deleting a template of all brands says nothing of the emails of others that include it', async () => {
    const { service } = shared
    const [brand, other] = [await addBrand(service), await addBrand(service)]
    const template = await addTemplate(service)
    const name = uniqueName('hidden')
    await addEmail(service, { name, customHtml: `{twigtemplate=${template.id}}`, brand: other })
    const { as } = await addBrandUser(service, [brand])
    for (const query of ['', '?force=1', '?dryRun=1']) {
      const url = `/api/twigTemplates/${template.id}/delete${query}`
      const { status, text } = await service.ask('DELETE', url, undefined, { as })
      assert.equal(status, 403, text)
      assert.ok(!text.includes(name), text)
    }
  })
})
