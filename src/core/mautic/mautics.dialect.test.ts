import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addTransport, addUser } from '../../../test/callers.ts'
import { addBrand } from '../../../test/mautics.ts'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import type { TestBody, TestCaller } from '../../../test/test-app.ts'
import type { MauticTables } from './table.ts'

const base = { url: 'https://mautic.example.com', clientId: 'id', clientSecret: 'top-secret' }

onEachDatabase(
  'connected Mautics',
  { isStarted: false, config: { publicUrl: 'https://console.example.com' } },
  (shared) => {
    const ask = (
      method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE',
      path: string,
      body?: unknown,
      as?: TestCaller,
    ) => shared.ask(method, `/api/mautics${path}`, body, as === undefined ? {} : { as })
    let count = 0
    const add = async (values: Record<string, unknown> = {}): Promise<TestBody> => {
      const mautic = { ...base, name: `mautic-${++count}`, ...values }
      return (await shared.askFor('POST', '/api/mautics/new', mautic)).mautic
    }
    const passwordOf = ({ mailerDsn }: TestBody) => new URL(mailerDsn).password
    const address = '192.0.2.1'
    const logIn = async ({ smtpLogin }: TestBody, password: string) => {
      const attempt = { login: smtpLogin, password, address }
      return (await shared.service.app.auth.logins.logIn(attempt)).findCaller()
    }

    test('only the answer to the creation has the DSN for Mautic', async () => {
      const mautic = await add()
      const dsn = new URL(mautic.mailerDsn)
      assert.deepEqual([dsn.protocol, dsn.username], ['smtp:', mautic.smtpLogin])
      assert.match(dsn.password, /^[A-Za-z0-9]{32,}$/)
      const read = await ask('GET', `/${mautic.id}`)
      const list = await ask('GET', '')
      const edited = await ask('PATCH', `/${mautic.id}/edit`, { hosts: ['one.example.com'] })
      for (const { text } of [read, list, edited]) {
        assert.doesNotMatch(text, /mailerDsn/)
        assert.equal(text.includes(dsn.password), false)
      }
    })

    test('the SMTP log-in may send and read what templates need, and nothing else', async () => {
      const mautic = await add({})
      const caller = await logIn(mautic, passwordOf(mautic))
      assert.deepEqual(caller?.mautic, { id: mautic.id, name: mautic.name })
      const { smtpMode, isAdmin, userId } = caller
      assert.deepEqual([smtpMode, isAdmin, userId], ['queue', false, undefined])
      const allowed = ['email:send', 'contact:view', 'twigtemplates:view']
      const denied = ['email:view', 'multipleTransports:view', 'contact:edit', 'api:view']
      const granted = [...allowed, ...denied].filter((permission) => caller.can(permission))
      assert.deepEqual(granted, allowed)
      await assert.rejects(logIn(mautic, 'wrong'), { kind: 'unauthenticated' })
    })

    test('an unpublished Mautic is logged out and is not found by name or host', async () => {
      const mautic = await add({ hosts: ['closed.example.com'] })
      const { mautics, auth, gateway } = shared.service.app
      const findByHost = (host: string) => gateway.reroute({ headers: { host } } as never, '/')
      const attempt = { login: mautic.smtpLogin, password: passwordOf(mautic), address }
      const login = await auth.logins.logIn(attempt)
      assert.ok(findByHost('CLOSED.example.com.'))
      assert.equal((await mautics.findByName(mautic.name))?.id, mautic.id)
      await ask('PATCH', `/${mautic.id}/edit`, { isPublished: false })
      assert.equal(await login.findCaller(), undefined)
      await assert.rejects(auth.logins.logIn(attempt), { kind: 'unauthenticated' })
      assert.equal(findByHost('closed.example.com'), undefined)
      assert.equal(await mautics.findByName(mautic.name), undefined)
      assert.equal((await mautics.findById(mautic.id))?.isPublished, false)
    })

    test('a part of a host name and a wildcard find no Mautic', async () => {
      await add({ hosts: ['exact.example.com'] })
      const { gateway } = shared.service.app
      for (const host of ['xact.example.com', 'example.com', '%', 'exact_example.com', '"', ''])
        assert.equal(gateway.reroute({ headers: { host } } as never, '/'), undefined, host)
    })

    test('a new password ends the old one', async () => {
      const mautic = await add()
      const answer = await ask('PATCH', `/${mautic.id}/edit`, { newPassword: true })
      const { mautic: renewed } = answer.body
      assert.equal(renewed.smtpLogin, mautic.smtpLogin)
      await assert.rejects(logIn(mautic, passwordOf(mautic)), { kind: 'unauthenticated' })
      assert.equal((await logIn(mautic, passwordOf(renewed)))?.mautic?.id, mautic.id)
    })

    test('an edit with the mask keeps the secret, which is never shown and is stored encrypted', async () => {
      const { id } = await add()
      const read = await ask('GET', `/${id}`)
      assert.equal(read.body.mautic.clientSecret, '********')
      const stored = async () => {
        const db = shared.service.app.storage.tables<MauticTables>()
        const query = db.selectFrom('mautics').select('secret').where('id', '=', id)
        return (await query.executeTakeFirstOrThrow()).secret
      }
      const before = await stored()
      const put = await ask('PUT', `/${id}/edit`, read.body.mautic)
      assert.equal(put.status, 200, put.text)
      assert.equal(await stored(), before)
      assert.equal(before.includes('top-secret'), false)
      assert.equal(shared.service.logged.join('').includes('top-secret'), false)
    })

    test('another host, port or scheme in url needs the secret again', async () => {
      const { id } = await add()
      const moved = { url: 'https://elsewhere.example.com' }
      const refused = await ask('PATCH', `/${id}/edit`, moved)
      assert.equal(refused.status, 400)
      assert.match(refused.body.details.clientSecret[0], /must be given again/)
      for (const url of ['http://mautic.example.com', 'https://mautic.example.com:8080'])
        assert.equal((await ask('PATCH', `/${id}/edit`, { url })).status, 400, url)
      const path = await ask('PATCH', `/${id}/edit`, { url: 'https://mautic.example.com/sub/' })
      assert.equal(path.body.mautic.url, 'https://mautic.example.com/sub')
      const again = await ask('PATCH', `/${id}/edit`, { ...moved, clientSecret: 'other' })
      assert.equal(again.status, 200, again.text)
    })

    test('it needs a client and its secret, or a user and a password', async () => {
      const faults = async (values: object) => {
        const answer = await ask('POST', '/new', { name: 'faulty', url: base.url, ...values })
        return [answer.status, Object.keys(answer.body.details ?? {}).join()]
      }
      const login = { clientId: 'id', clientSecret: 'x' }
      const urls = [
        'ftp://a.example',
        'https://u:p@a.example',
        'https://a.example/?q=1',
        'https://a b',
      ]
      const hosts = ['a.example:80', '10.0.0.1', '*.example.com', 'a..b', 'a_b.example']
      for (const [values, field] of [
        [{}, 'clientId'],
        [{ clientId: 'id' }, 'clientSecret'],
        [{ clientId: 'id', clientSecret: '********' }, 'clientSecret'],
        [{ username: 'ann' }, 'password'],
        [{ ...login, username: 'ann', password: 'y' }, 'username'],
        ...urls.map((url) => [{ ...login, url }, 'url'] as const),
        ...hosts.map((host) => [{ ...login, hosts: [host] }, 'hosts'] as const),
      ] as const)
        assert.deepEqual(await faults(values), [400, field], JSON.stringify(values))
    })

    test('the host name of the console cannot be given to a Mautic', async () => {
      const hosts = ['mail.example.com', 'Console.Example.com.']
      const { status, body } = await ask('POST', '/new', { ...base, name: 'console', hosts })
      assert.deepEqual([status, Object.keys(body.details)], [400, ['hosts']])
    })

    test('names and host names are unique over all Mautics', async () => {
      const { id, name } = await add({ hosts: ['taken.example.com'] })
      const other = await add()
      const named = await ask('POST', '/new', { ...base, name })
      assert.equal(named.status, 409, named.text)
      const hosted = await ask('PATCH', `/${other.id}/edit`, { hosts: ['Taken.Example.com'] })
      assert.equal(hosted.status, 409, hosted.text)
      const own = await ask('PATCH', `/${id}/edit`, {
        hosts: ['taken.example.com', 'b.example.com'],
      })
      assert.deepEqual(own.body.mautic.hosts, ['b.example.com', 'taken.example.com'])
    })

    test('it names existing transports and roles only', async () => {
      const transport = await ask('POST', '/new', { ...base, name: 'x', transportId: 999_999 })
      assert.equal(transport.status, 404)
      assert.match(transport.body.error, /^Transport not found/)
      const role = await ask('POST', '/new', { ...base, name: 'x', roleMap: { Sales: 999_999 } })
      assert.equal(role.status, 400)
      const mapped = await add({ roleMap: { Sales: 1, __proto__: 1 } })
      assert.deepEqual(mapped.roleMap, { Sales: 1 })
      assert.equal((await shared.service.app.mautics.findById(mapped.id))?.roleMap.get('Sales'), 1)
    })

    test('its default transport is of its brand or of none, not of another brand', async () => {
      const [brand, other] = [await addBrand(shared.service), await addBrand(shared.service)]
      const one = await add({ brand })
      const transportOf = async (of: number | null) =>
        (await addTransport(shared.service, { mailerDsn: 'inbox://local', brand: of })).id
      const [own, foreign, ofAll] = [
        await transportOf(brand),
        await transportOf(other),
        await transportOf(null),
      ]
      const edit = (transportId: number) => ask('PATCH', `/${one.id}/edit`, { transportId })
      assert.equal((await edit(foreign)).status, 400)
      const created = await ask('POST', '/new', { ...base, name: 'y', transportId: own })
      assert.equal(created.status, 400)
      for (const transportId of [own, ofAll])
        assert.equal((await edit(transportId)).body.mautic?.transportId, transportId)
    })

    test('only administrators connect, change and delete one', async () => {
      const { id } = await add()
      const { as } = await addUser(shared.service, { api: ['full'] })
      const moved = { url: 'https://evil.example.com', clientSecret: 'x' }
      for (const [method, path, body] of [
        ['POST', '/new', { ...base, name: 'evil' }],
        ['PATCH', `/${id}/edit`, moved],
        ['DELETE', `/${id}/delete`, undefined],
      ] as const)
        assert.equal((await ask(method, path, body, as)).status, 403, path)
      assert.equal((await ask('GET', `/${id}`, undefined, as)).status, 200)
    })

    test('secrets are encrypted again after a rotation, and can still be kept', async () => {
      const { id } = await add()
      const { keyring, mautics } = shared.service.app
      const keyId = await keyring.rotate()
      assert.deepEqual(await mautics.reseal(), [keyId])
      const edited = await ask('PATCH', `/${id}/edit`, { isReporting: false })
      assert.equal(edited.body.mautic.isReporting, false)
      const tagging = await ask('PATCH', `/${id}/edit`, { isTagging: true })
      assert.equal(tagging.body.mautic.isTagging, true)
    })

    test('a transport that is deleted is no longer its default', async () => {
      const transport = await addTransport(shared.service, { mailerDsn: 'inbox://local' })
      const { id } = await add({ transportId: transport.id })
      const path = `/api/multipleTransports/${transport.id}/delete`
      const planned = await shared.ask('DELETE', `${path}?dryRun=1`)
      assert.match(planned.body.message, /The Mautic "mautic-\d+" loses its default transport\.$/)
      const { body } = await shared.ask('DELETE', path)
      assert.match(body.message, /It was the default transport of the Mautic "mautic-\d+"\.$/)
      assert.equal((await ask('GET', `/${id}`)).body.mautic.transportId, null)
    })
  },
)
