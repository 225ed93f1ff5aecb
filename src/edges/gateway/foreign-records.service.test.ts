import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { before, test } from 'node:test'
import { addRole, addTemplate, addTransport, uniqueName } from '../../../test/callers.ts'
import { listenAsGateway, type OpenGateway } from '../../../test/gateway/open-gateway.ts'
import { addMautic, callerOf, submitMessage, type TestMautic } from '../../../test/mautics.ts'
import { onMailyard } from '../../../test/on-each-database.ts'
import type { TestBody } from '../../../test/test-app.ts'

/** An administrator of one Mautic, at its address, who knows the ids of another Mautic. */
onMailyard(
  'an administrator of one Mautic',
  { config: { sendmailCommand: ['/bin/false'], sourceAddresses: ['127.0.0.1'] } },
  (shared) => {
    let gateway: OpenGateway
    let victim: TestMautic
    let evil: TestMautic
    /** The transport of the victim, which is assigned to its email 17. */
    let transport: TestBody
    const mailerDsn = 'smtp://user:top-secret@127.0.0.1:1'
    const to = 'eve@evil.test'

    before(async () => {
      const { service } = shared
      gateway = await listenAsGateway(service)
      victim = await addMautic(service, { emails: [17, 99], users: { 5: 'olga@brand.test' } })
      evil = await addMautic(service, { emails: [17], users: { 5: 'olga@brand.test' } })
      const name = uniqueName('secret transport')
      transport = await addTransport(service, { name, mailerDsn, brand: victim.brand })
      const { assignments } = service.app
      await assignments.set('email', { id: 17, transportId: transport.id }, callerOf(victim))
      await assignments.set('user', { id: 5, transportId: transport.id }, callerOf(victim))
    })

    const ask = async (method: string, path: string, body?: unknown) => {
      const answer = await gateway.askAs(evil, method, path, body)
      for (const secret of ['top-secret', transport.name])
        assert.equal(answer.text.includes(secret), false, `${method} ${path}: ${answer.text}`)
      return answer
    }
    const idsOfDeleted = async (path: string): Promise<number[]> => {
      const { status, body } = await ask('GET', `${path}?deleted=1&fields=id&limit=0`)
      assert.equal(status, 200)
      return Object.values<TestBody>(body.twigTemplates ?? body).map(({ id }) => id)
    }
    const kinds = [
      {
        path: 'multipleTransports',
        add: (brand: number | null) => addTransport(shared.service, { mailerDsn, brand }),
      },
      {
        path: 'twigTemplates',
        add: (brand: number | null) => addTemplate(shared.service, { template: 'x', brand }),
      },
    ]
    const statusOf = async (...asked: Parameters<typeof ask>) => (await ask(...asked)).status

    test('neither sees, changes, deletes nor uses a transport of another brand', async () => {
      const { id } = transport
      const masked = 'smtp://user:********@127.0.0.1:2'
      const asked: Parameters<typeof ask>[] = [
        ['GET', `multipleTransports/${id}`],
        ['PATCH', `multipleTransports/${id}/edit`, { isPublished: false }],
        ['PATCH', `multipleTransports/${id}/edit?ifTestPasses=1`, { mailerDsn: masked }],
        ['DELETE', `multipleTransports/${id}/delete`],
        ['POST', `multipleTransports/send/test/${id}`, { to }],
        ['POST', 'multipleTransports/send/test', { mailerDsn: masked, to, id }],
        ['POST', 'multipleTransports/dsn/inspect', { mailerDsn: masked, id }],
        ['POST', 'twigTemplates/send/test', { template: 'x', to, transportId: id }],
        ['POST', 'multipleTransport/transportEmail/17', { transportId: id }],
        ['POST', 'multipleTransport/transportUser/5', { transportId: id }],
        ['POST', 'multipleTransport/drill', { down: [id] }],
        ['GET', `multipleTransports/${id}/webhooks`],
        ['PUT', `multipleTransports/${id}/webhook`],
        ['DELETE', `multipleTransports/${id}/webhook`],
      ]
      for (const each of asked) assert.equal(await statusOf(...each), 404, each.join(' '))
      const edits = [{ id, isPublished: false }]
      const edited = await ask('PATCH', 'multipleTransports/batch/edit', edits)
      assert.deepEqual(edited.body.statusCodes, [404])
      await ask('DELETE', `multipleTransports/batch/delete?ids=${id}`)
      const assigned = await ask('POST', 'multipleTransport/transportEmail/batch', [
        { emailId: 17, transportId: id },
      ])
      assert.deepEqual(assigned.body.statusCodes, [404])
      // As for any missing id, a new record is made under a new id.
      const replaced = await ask('PUT', `multipleTransports/${id}/edit`, {
        ...{ name: 'New', mailerDsn: 'null://null' },
      })
      assert.notEqual(replaced.body.id, id)
      const { body: kept } = await shared.ask('GET', `/api/multipleTransports/${id}`)
      assert.deepEqual(
        [kept.name, kept.mailerDsn, kept.isPublished, kept.brand],
        [transport.name, mailerDsn, true, victim.brand],
      )
    })

    test('views the transports of no brand with masks, uses them, and may not change, test or delete them', async () => {
      const common = await addTransport(shared.service, { mailerDsn, name: uniqueName('common') })
      const { id, name } = common
      const elsewhere = 'smtp://user:********@evil.test:25'
      const asked: Parameters<typeof ask>[] = [
        ['PATCH', `multipleTransports/${id}/edit`, { name: 'x' }],
        ['PATCH', `multipleTransports/${id}/edit`, { mailerDsn: elsewhere }],
        ['PATCH', `multipleTransports/${id}/edit?ifTestPasses=1`, { mailerDsn: elsewhere }],
        ['PATCH', `multipleTransports/${id}/edit`, { brand: evil.brand }],
        ['PUT', `multipleTransports/${id}/edit`, { name: 'x', mailerDsn: elsewhere }],
        ['DELETE', `multipleTransports/${id}/delete`],
        ['PUT', `multipleTransports/${id}/webhook`],
        ['DELETE', `multipleTransports/${id}/webhook`],
        ['POST', `multipleTransports/send/test/${id}`, { to }],
        ['POST', 'multipleTransports/send/test', { mailerDsn: elsewhere, to, id }],
        ['POST', 'twigTemplates/send/test', { template: 'x', to, transportId: id }],
      ]
      for (const each of asked) {
        const { status, body } = await ask(...each)
        assert.equal(status, 403, each.join(' '))
        assert.match(body.error, /^Transport \d+ belongs to no brand: all brands use it\. /)
      }
      const edits = [{ id, isPublished: false }]
      for (const [method, values] of [
        ['PATCH', edits],
        ['PUT', [{ id, name: 'x', mailerDsn: elsewhere }]],
      ] as const) {
        const edited = await ask(method, 'multipleTransports/batch/edit', values)
        assert.deepEqual(edited.body.statusCodes, [403])
      }
      await ask('DELETE', `multipleTransports/batch/delete?ids=${id}`)
      for (const body of [{ id }, { id, mailerDsn: elsewhere }])
        assert.equal(await statusOf('POST', 'multipleTransports/dsn/inspect', body), 200)
      const fields = { host: 'evil.test', port: 25, username: 'user', password: '********' }
      await ask('POST', 'multipleTransports/dsn/build', { id, provider: 'smtp', fields })
      // It may be assigned, and is shown with masks there too.
      assert.equal(
        await statusOf('POST', 'multipleTransport/transportEmail/17', { transportId: id }),
        200,
      )
      await ask('DELETE', 'multipleTransport/transportEmail/17')
      const seen = [
        (await ask('GET', `multipleTransports/${id}`)).body,
        ...(await ask('GET', `multipleTransports?search=ids:${id}`)).body,
      ]
      const mailerDsns = seen.map((item) => item.mailerDsn)
      assert.deepEqual(mailerDsns, Array(2).fill('smtp://user:********@127.0.0.1:1'))
      const { body: kept } = await shared.ask('GET', `/api/multipleTransports/${id}`)
      assert.deepEqual([kept.name, kept.mailerDsn, kept.isPublished], [name, mailerDsn, true])
    })

    test('changes nothing of no brand with a role of Mailyard, and what it creates is of its brand', async (context) => {
      const { service } = shared
      const role = await addRole(service, { multipleTransports: ['full'], twigtemplates: ['full'] })
      const giveRole = (roleMap: object) =>
        service.askFor('PATCH', `/api/mautics/${evil.id}/edit`, { roleMap })
      await giveRole({ Administrator: role })
      context.after(() => giveRole({}))
      for (const { path, add } of kinds) {
        const { id } = await add(null)
        assert.equal(await statusOf('PATCH', `${path}/${id}/edit`, { name: 'x' }), 403)
        assert.equal(await statusOf('DELETE', `${path}/${id}/delete`), 403)
        await service.ask('DELETE', `/api/${path}/${id}/delete`)
        assert.equal(await statusOf('POST', `${path}/${id}/restore`), 404)
        assert.equal(await statusOf('DELETE', `${path}/${id}/delete?erase=1`), 404)
      }
      const values = { name: 'x', mailerDsn: 'null://null' }
      const own = await gateway.askAs(evil, 'POST', 'multipleTransports/new', values)
      assert.equal(own.body.brand, evil.brand)
      for (const [brand, status] of [
        [victim.brand, 404],
        [null, 403],
      ] as const) {
        const moved = { brand }
        assert.equal(
          await statusOf('PATCH', `multipleTransports/${own.body.id}/edit`, moved),
          status,
        )
        assert.equal(await statusOf('POST', 'multipleTransports/new', { ...values, brand }), status)
      }
      assert.equal(await statusOf('GET', `multipleTransports/${transport.id}`), 404)
    })

    test('reaches public addresses only, by a test and by messages', async (t) => {
      const { service } = shared
      let connections = 0
      const server = createServer((socket) => {
        connections += 1
        socket.destroy()
      }).listen(0, '127.0.0.1')
      await once(server, 'listening')
      t.after(() => server.close())
      const { port } = server.address() as AddressInfo
      const hosts = ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '127.1', '0x7f000001']
      for (const host of hosts) {
        const dsn = `smtp://${host}:${port}`
        const values = { mailerDsn: dsn, to }
        const unsaved = await ask('POST', 'multipleTransports/send/test', values)
        assert.deepEqual([unsaved.status, unsaved.body.success], [200, false])
        const own = { name: uniqueName('own'), mailerDsn: `failover(${dsn} ${dsn})` }
        const tested = { ...own, testedEmailFrom: to }
        const refused = await ask('POST', 'multipleTransports/new?ifTestPasses=1', tested)
        assert.deepEqual([refused.status, refused.body.test?.success], [400, false], refused.text)
        const { id } = (await ask('POST', 'multipleTransports/new', own)).body
        const saved = await ask('POST', `multipleTransports/send/test/${id}?transcript=1`, { to })
        assert.deepEqual([saved.status, saved.body.success], [200, false])
        // A change to the name is no change to who wrote the DSN.
        await service.ask('PATCH', `/api/multipleTransports/${id}/edit`, { name: own.name })
        await service.ask('POST', `/api/multipleTransports/send/test/${id}`, { to })
        await submitMessage(service, evil, {
          to,
          text: `X-Mailyard-Transport: ${own.name}\nSubject: x\n\nx`,
        })
      }
      assert.equal(connections, 0)
      const { id } = await addTransport(service, { brand: evil.brand, name: uniqueName('given') })
      const moved = { mailerDsn: `smtp://127.0.0.1:${port}` }
      await service.ask('PATCH', `/api/multipleTransports/${id}/edit`, moved)
      await ask('POST', `multipleTransports/send/test/${id}`, { to })
      assert.equal(connections, 1, 'what Mailyard itself wrote is sent as configured')
      const other = { mailerDsn: `smtp://x@127.0.0.1:${port}` }
      await ask('PATCH', `multipleTransports/${id}/edit`, other)
      await ask('POST', `multipleTransports/send/test/${id}`, { to })
      assert.equal(connections, 1)
    })

    test('runs no mail command, and names no address of the machine', async () => {
      for (const dsn of [
        'sendmail://default',
        'native://default',
        'smtp://x.test?source_ip=127.0.0.1',
      ]) {
        const values = { name: 'x', mailerDsn: dsn }
        assert.equal(await statusOf('POST', 'multipleTransports/new', values), 400, dsn)
        const { body } = await ask('POST', 'multipleTransports/dsn/inspect', { mailerDsn: dsn })
        assert.equal(body.valid, false, dsn)
      }
    })

    test('finds it in no list, and in no route', async () => {
      for (const query of [
        '',
        `?search=ids:${transport.id}`,
        `?where[0][col]=brand&where[0][expr]=eq&where[0][val]=${victim.brand}`,
      ]) {
        const { body } = await ask('GET', `multipleTransports${query}`)
        const isShown = body.some(({ id }: TestBody) => id === transport.id)
        assert.equal(isShown, false)
      }
      // Routes say who owns a contact, which callers of a Mautic may not view.
      for (const query of [`transport=${transport.id}`, `mautic=${victim.id}`])
        assert.equal(await statusOf('GET', `multipleTransport/resolve?${query}`), 403)
    })

    test('sees, restores and erases the deleted records of its own brand only', async () => {
      const { service } = shared
      for (const { path, add } of kinds) {
        const create = async (brand: number | null): Promise<number> => {
          const { id } = await add(brand)
          await service.ask('DELETE', `/api/${path}/${id}/delete`)
          return id
        }
        const own = await create(evil.brand)
        const [foreign, common] = [await create(victim.brand), await create(null)]
        assert.deepEqual(await idsOfDeleted(path), [own])
        for (const id of [foreign, common]) {
          assert.equal(await statusOf('POST', `${path}/${id}/restore`), 404)
          assert.equal(await statusOf('DELETE', `${path}/${id}/delete?erase=1`), 404)
        }
        const ids = [foreign, common].join()
        const many = await ask('POST', `${path}/batch/restore?ids=${ids}`)
        assert.deepEqual(many.body.statusCodes, [404, 404])
        const erased = await ask('DELETE', `${path}/batch/delete?ids=${ids}&erase=1`)
        assert.deepEqual(erased.body.statusCodes, [404, 404])
        for (const id of [foreign, common])
          await service.askFor('POST', `/api/${path}/${id}/restore`)
        const restored = await gateway.askAs(evil, 'POST', `${path}/${own}/restore`)
        assert.equal(restored.status, 200, restored.text)
        assert.equal(await statusOf('DELETE', `${path}/${own}/delete`), 200)
        assert.equal(await statusOf('DELETE', `${path}/${own}/delete?erase=1`), 200)
        assert.equal(await statusOf('POST', `${path}/${own}/restore`), 404)
      }
    })

    test('holds a fire drill with the emails of its own Mautic only', async () => {
      const own = { name: 'Own', mailerDsn: 'null://null' }
      const { id } = (await ask('POST', 'multipleTransports/new', own)).body
      await ask('POST', 'multipleTransport/transportEmail/17', { transportId: id })
      const { status, body } = await ask('POST', 'multipleTransport/drill', { down: [id] })
      assert.deepEqual([status, body.emails.total, body.emails.items[0].email.id], [200, 1, 17])
      const foreign = { down: [id], mautic: victim.id }
      assert.equal(await statusOf('POST', 'multipleTransport/drill', foreign), 404)
    })

    test('reaches the emails and users of its own Mautic only, by the same ids', async () => {
      const { body } = await ask('GET', 'multipleTransport/transportEmail/17')
      assert.notEqual(body.transportEmail.transport?.id, transport.id)
      assert.equal(await statusOf('GET', 'multipleTransport/transportEmail/99'), 404)
      await ask('DELETE', 'multipleTransport/transportEmail/17')
      await ask('DELETE', 'multipleTransport/transportUser/5')
      const { assignments } = shared.service.app
      const { transportEmail } = await assignments.get('email', 17, callerOf(victim))
      const { transportUser } = await assignments.get('user', 5, callerOf(victim))
      assert.deepEqual(
        [transportEmail.transport?.id, transportUser.transport?.id],
        [transport.id, transport.id],
      )
    })
  },
)
