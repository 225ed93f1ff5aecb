import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { addRole, addTransport, addUser, uniqueName } from '../callers.ts'
import { openTestApp, type TestApp, type TestBody, type TestCaller } from '../test-app.ts'

const url = 'https://shop.example.com'
/** How a record of each resource is made. Only administrators delete a Mautic, and they see it. */
const resources: Record<string, { area: string; values: (name: string) => object }> = {
  contacts: { area: 'contact', values: (name) => ({ email: `${name}@seen.test` }) },
  suppressions: { area: 'contact', values: (name) => ({ address: `${name}@seen.test` }) },
  emails: { area: 'email', values: (name) => ({ name, subject: 'Seen' }) },
  twigTemplates: { area: 'twigtemplates', values: (name) => ({ name, template: 'Seen' }) },
  multipleTransports: {
    area: 'multipleTransports',
    values: (name) => ({ name, mailerDsn: 'null://null' }),
  },
  limits: { area: 'multipleTransports', values: (name) => ({ name, transports: [1], perDay: 9 }) },
  dkimKeys: {
    area: 'multipleTransports',
    values: (name) => ({ domain: `${name}.seen.test`, algorithm: 'ed25519' }),
  },
  webhooks: { area: 'api', values: (name) => ({ name, url, events: ['transport.down'] }) },
  oauthClients: { area: 'api', values: (name) => ({ name, redirectUris: [url] }) },
  roles: { area: 'user', values: (name) => ({ name }) },
  users: {
    area: 'user',
    values: (username) => ({
      username,
      email: `${username}@seen.test`,
      plainPassword: { password: 'a good password', confirm: 'a good password' },
    }),
  },
}

describe('a record that is deleted or restored', () => {
  let service: TestApp
  before(async () => {
    service = await openTestApp({ config: { dnsServers: ['127.0.0.1:1'] } })
    await addTransport(service)
  })
  after(() => service.close())

  for (const [many, { area, values }] of Object.entries(resources))
    test(`of ${many} is shown only to callers who may view it`, async () => {
      const path = `/api/${many}`
      const more = many === 'users' ? { role: await addRole(service, {}) } : {}
      const create = async (): Promise<{ id: number; name: string }> => {
        const name = uniqueName('seen')
        const body = await service.askFor('POST', `${path}/new`, { ...values(name), ...more })
        return { id: body.id ?? Object.values<TestBody>(body)[0].id, name }
      }
      const ask = async (method: 'DELETE' | 'POST', to: string, as: TestCaller, name: string) => {
        const { status, text, body } = await service.ask(method, `${path}/${to}`, undefined, { as })
        assert.equal(status, 200, `${to}: ${text}`)
        return { isShown: text.includes(name), body }
      }
      const remover = (await addUser(service, { [area]: ['delete'] })).as
      const viewer = (await addUser(service, { [area]: ['view', 'delete'] })).as
      const isBare = many === 'multipleTransports'
      const isKept = ['contacts', 'emails', 'twigTemplates', 'multipleTransports'].includes(many)
      for (const [as, isViewer] of [
        [remover, false],
        [viewer, true],
      ] as const) {
        const { id, name } = await create()
        const batch = `batch/delete?ids=${id}`
        const dry = await ask('DELETE', `${batch}&dryRun=1&fields=id`, as, name)
        assert.deepEqual(dry.body[many], [{ id }])
        for (const to of [`${batch}&dryRun=1`, batch])
          assert.equal((await ask('DELETE', to, as, name)).isShown, isViewer, to)
        if (isKept) {
          const restored = await ask('POST', `batch/restore?ids=${id}`, as, name)
          assert.equal(restored.isShown, isViewer)
          await ask('DELETE', `${id}/delete`, as, name)
          assert.equal((await ask('POST', `${id}/restore`, as, name)).isShown, isViewer)
          await ask('DELETE', `${id}/delete`, as, name)
          const erased = await ask('DELETE', `${id}/delete?erase=1`, as, name)
          assert.equal(erased.isShown, isViewer && !isBare)
        }
        const other = await create()
        for (const to of [`${other.id}/delete?dryRun=1`, `${other.id}/delete`])
          assert.equal((await ask('DELETE', to, as, other.name)).isShown, isViewer && !isBare, to)
      }
    })
})
