import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { addEmail, addRole, addTemplate, addTransport, addUser, uniqueName } from '../callers.ts'
import { addMautic } from '../mautics.ts'
import { onEachDatabase } from '../on-each-database.ts'
import type { TestBody, TestCaller } from '../test-app.ts'

const dayMs = 86_400_000
const administrator = {
  userId: 1,
  name: 'Ann',
  email: undefined,
  isAdmin: true,
  brands: 'all' as const,
  can: () => true,
}

/** What the four resources have in common, and what creates a record of each. */
const kinds = [
  {
    path: '/api/multipleTransports',
    one: 'transport',
    area: 'multipleTransports',
    values: () => ({ name: uniqueName('transport'), mailerDsn: 'smtp://ann:s3cret@127.0.0.1:25' }),
  },
  {
    path: '/api/twigTemplates',
    one: 'twigTemplate',
    area: 'twigtemplates',
    values: () => ({ name: uniqueName('template'), template: 'Hello', description: 'a greeting' }),
  },
  {
    path: '/api/emails',
    one: 'email',
    area: 'email',
    values: () => ({ name: uniqueName('email'), subject: 'Hello', customHtml: '<p>Hello</p>' }),
  },
  {
    path: '/api/contacts',
    one: 'contact',
    area: 'contact',
    values: () => ({ email: `${uniqueName('ann')}@example.com`, firstname: 'Ann', tags: ['vip'] }),
  },
] as const

onEachDatabase('a deleted record', { isStarted: false }, (shared) => {
  const ask = (
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    url: string,
    body?: unknown,
    as?: TestCaller,
  ) => shared.ask(method, url, body, as === undefined ? {} : { as })
  /** Restores a record; returns what could not be restored. */
  const restore = async (path: string, id: number): Promise<string[]> => {
    const { status, text, body } = await ask('POST', `${path}/${id}/restore`)
    assert.equal(status, 200, text)
    return body.warnings ?? []
  }

  for (const { path, one, area, values } of kinds) {
    describe(`of ${path}`, () => {
      const create = async (more: object = {}): Promise<TestBody> => {
        const { body, text } = await ask('POST', `${path}/new`, { ...values(), ...more })
        const item = body[one] ?? body
        assert.ok(item.id > 0, text)
        return item
      }
      const read = async (id: number): Promise<TestBody> => {
        const { body } = await ask('GET', `${path}/${id}`)
        return body[one] ?? body
      }
      const listDeleted = async (query = '', as?: TestCaller): Promise<TestBody[]> => {
        const { body, text, status } = await ask(
          'GET',
          `${path}?deleted=1${query.includes('limit=') ? '' : '&limit=0'}${query}`,
          undefined,
          as,
        )
        assert.equal(status, 200, text)
        return Object.values(body[`${one}s`] ?? body)
      }

      const isListed = async (id: number): Promise<boolean> =>
        (await listDeleted()).some((each) => each.id === id)

      test('is gone, is listed as deleted, and comes back as it was, with its id', async () => {
        const { id } = await create()
        const before = await read(id)
        assert.equal((await ask('DELETE', `${path}/${id}/delete`)).status, 200)
        assert.equal((await ask('GET', `${path}/${id}`)).status, 404)
        assert.equal((await ask('DELETE', `${path}/${id}/delete`)).status, 404)
        const [listed] = await listDeleted('&fields=id,dateDeleted,deletedBy')
        assert.equal(listed.id, id)
        assert.match(listed.dateDeleted, /^2\d{3}-/)
        assert.deepEqual(Object.keys(listed).sort(), ['dateDeleted', 'deletedBy', 'id'])
        const answer = await ask('POST', `${path}/${id}/restore`)
        assert.deepEqual([answer.status, answer.body.warnings], [200, undefined])
        assert.deepEqual(answer.body[one], before)
        assert.deepEqual(await read(id), before)
        assert.equal(await isListed(id), false)
        const edited = await ask('PATCH', `${path}/${id}/edit`, { isPublished: false })
        assert.equal(edited.status, 200, edited.text)
        assert.ok((await create()).id > id)
      })

      test('is restored once, and only where it was deleted', async () => {
        const { id } = await create()
        const url = `${path}/${id}/restore`
        assert.deepEqual(
          [(await ask('POST', url)).status, (await ask('POST', `${path}/999999/restore`)).status],
          [409, 404],
        )
        await ask('DELETE', `${path}/${id}/delete`)
        const both = await Promise.all([ask('POST', url), ask('POST', url)])
        assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409])
      })

      test('is erased at once, from the deleted ones, or by whichever of two requests comes first', async () => {
        const live = await create()
        assert.equal((await ask('DELETE', `${path}/${live.id}/delete?erase=1`)).status, 200)
        const { id } = await create()
        await ask('DELETE', `${path}/${id}/delete`)
        assert.equal((await ask('DELETE', `${path}/${id}/delete?erase=1`)).status, 200)
        for (const each of [live.id, id]) {
          assert.equal((await ask('POST', `${path}/${each}/restore`)).status, 404)
          assert.equal((await ask('DELETE', `${path}/${each}/delete?erase=1`)).status, 404)
        }
        const third = await create()
        await ask('DELETE', `${path}/${third.id}/delete`)
        const [restoring, erasing] = await Promise.all([
          ask('POST', `${path}/${third.id}/restore`),
          ask('DELETE', `${path}/${third.id}/delete?erase=1`),
        ])
        assert.equal(erasing.status, 200)
        assert.ok([200, 404].includes(restoring.status))
        assert.equal((await ask('GET', `${path}/${third.id}`)).status, 404)
        assert.equal(await isListed(third.id), false)
      })

      test('is deleted, restored and erased in batches, all or nothing where asked; a dry run changes nothing', async () => {
        const ids = [(await create()).id, (await create()).id]
        const [first, second] = ids
        const tried = await ask('DELETE', `${path}/batch/delete?ids=${ids.join()}&dryRun=1`)
        assert.deepEqual([tried.body.statusCodes, tried.body.dryRun], [[200, 200], true])
        for (const query of ['dryRun=1', 'dryRun=1&erase=1'])
          assert.equal((await ask('DELETE', `${path}/${first}/delete?${query}`)).status, 200)
        assert.equal((await ask('GET', `${path}/${first}`)).status, 200)
        const removed = await ask('DELETE', `${path}/batch/delete?ids=${ids.join()}`)
        assert.deepEqual(removed.body.statusCodes, [200, 200])
        const atomic = await ask('POST', `${path}/batch/restore?ids=${ids.join()},999999&atomic=1`)
        assert.deepEqual([atomic.status, atomic.body.statusCodes], [404, [424, 424, 404]])
        assert.equal((await ask('GET', `${path}/${first}`)).status, 404)
        const restored = await ask('POST', `${path}/batch/restore?ids=${first},999999,${first}`)
        assert.deepEqual(restored.body.statusCodes, [200, 404, 409])
        const erased = await ask('DELETE', `${path}/batch/delete?ids=${ids.join()}&erase=1`)
        assert.deepEqual(erased.body.statusCodes, [200, 200])
        assert.equal((await ask('POST', `${path}/${second}/restore`)).status, 404)
      })

      test('is found, paged and ordered, and other parameters of the list are refused', async () => {
        const word = uniqueName('needle')
        const name = one === 'contact' ? { firstname: word } : { name: word }
        const [first, second] = [await create(name), await create(name)]
        for (const { id } of [first, second]) await ask('DELETE', `${path}/${id}/delete`)
        const idsOf = async (query: string) =>
          (await listDeleted(`&search=${word}${query}`)).map(({ id }) => id)
        assert.deepEqual((await idsOf('')).sort(), [first.id, second.id].sort())
        assert.deepEqual(await idsOf('&orderBy=id&orderByDir=DESC&limit=1'), [second.id])
        const totalOf = async (query: string) =>
          (await ask('GET', `${path}?search=${word}${query}`)).headers['x-total-count']
        assert.equal(await totalOf('&deleted=1&orderBy=id&start=1&limit=1'), '2')
        assert.equal(await totalOf(''), '0')
        assert.equal((await ask('GET', `${path}?deleted=1&orderBy=dateAdded`)).status, 400)
      })

      test('is erased when its time is over', async () => {
        const { id } = await create()
        await ask('DELETE', `${path}/${id}/delete`)
        shared.clock.advance(29 * dayMs)
        await shared.service.app.deleted.pruning.run()
        assert.equal(await isListed(id), true)
        shared.clock.advance(2 * dayMs)
        // Also before it is erased.
        assert.equal((await ask('POST', `${path}/${id}/restore`)).status, 404)
        assert.equal(await isListed(id), false)
        assert.ok((await shared.service.app.deleted.pruning.run()) > 0)
        assert.equal((await ask('POST', `${path}/${id}/restore`)).status, 404)
      })

      test('needs the permission to delete, and shows its secrets to those who may edit alone', async () => {
        const { id } = await create()
        await ask('DELETE', `${path}/${id}/delete`)
        const viewer = await addUser(shared.service, { [area]: ['view', 'create', 'edit'] })
        const refused = await ask('POST', `${path}/${id}/restore`, undefined, viewer.as)
        assert.equal(refused.status, 403)
        const reader = await addUser(shared.service, { [area]: ['view'] })
        const [own] = (await listDeleted('', reader.as)).filter((each) => each.id === id)
        assert.equal(JSON.stringify(own).includes('s3cret'), false)
        const remover = await addUser(shared.service, { [area]: ['delete'] })
        const restored = await ask('POST', `${path}/${id}/restore`, undefined, remover.as)
        assert.equal(restored.status, 200, restored.text)
        assert.equal(restored.text.includes('s3cret'), false)
      })
    })
  }

  test('of a contact leaves nothing behind when it is erased', async () => {
    const address = `${uniqueName('private')}@example.com`
    const values = { email: address, firstname: uniqueName('Private') }
    const { body } = await ask('POST', '/api/contacts/new', values)
    const { id } = body.contact
    await ask('DELETE', `/api/contacts/${id}/delete`)
    await ask('DELETE', `/api/contacts/${id}/delete?erase=1`)
    const { storage } = shared.service.app
    const db = storage.tables<Record<string, Record<string, unknown>>>()
    for (const table of ['contacts', 'deleted_records']) {
      const rows = await db.selectFrom(table).selectAll().execute()
      assert.equal(JSON.stringify(rows).includes(address), false)
    }
  })

  test('of a contact is not restored where another contact has its address', async () => {
    const email = `${uniqueName('ann')}@example.com`
    const { body: first } = await ask('POST', '/api/contacts/new', { email })
    await ask('DELETE', `/api/contacts/${first.contact.id}/delete`)
    const { body: second } = await ask('POST', '/api/contacts/new', { email: email.toUpperCase() })
    const refused = await ask('POST', `/api/contacts/${first.contact.id}/restore`)
    assert.equal(refused.status, 409)
    assert.match(refused.body.error, new RegExp(`^Contact ${second.contact.id} has the address`))
    await ask('DELETE', `/api/contacts/${second.contact.id}/delete`)
    assert.deepEqual(await restore('/api/contacts', first.contact.id), [])
  })

  test('of a contact comes back without an owner who was deleted', async () => {
    const owner = await addUser(shared.service, await addRole(shared.service, {}))
    const values = { email: `${uniqueName('ann')}@example.com`, owner: owner.id }
    const { body } = await ask('POST', '/api/contacts/new', values)
    const { id } = body.contact
    await ask('DELETE', `/api/contacts/${id}/delete`)
    await ask('DELETE', `/api/users/${owner.id}/delete`)
    const [warning] = await restore('/api/contacts', id)
    assert.match(warning ?? '', new RegExp(`^User ${owner.id}, .* is deleted`))
    assert.equal((await ask('GET', `/api/contacts/${id}`)).body.contact.owner, null)
  })

  test('of a template comes back with its versions', async () => {
    const { id } = await addTemplate(shared.service, { template: 'one' })
    const path = `/api/twigTemplates/${id}`
    for (const template of ['two', 'three']) await ask('PATCH', `${path}/edit`, { template })
    const before = (await ask('GET', `${path}/versions`)).body
    assert.equal(before.total, 3)
    await ask('DELETE', `${path}/delete`)
    assert.equal((await ask('GET', `${path}/versions`)).status, 404)
    await restore('/api/twigTemplates', id)
    assert.deepEqual((await ask('GET', `${path}/versions`)).body, before)
    assert.equal((await ask('GET', `${path}/versions/1`)).body.version.template, 'one')
    const edited = await ask('PATCH', `${path}/edit`, { template: 'four' })
    assert.equal(edited.status, 200, edited.text)
    assert.equal((await ask('GET', `${path}/versions`)).body.total, 4)
    await ask('DELETE', `${path}/delete`)
    await ask('DELETE', `${path}/delete?erase=1`)
    const db = shared.service.app.storage.tables<Record<string, { template_id: number }>>()
    const kept = db.selectFrom('deleted_template_versions').selectAll()
    assert.deepEqual(await kept.where('template_id', '=', id).execute(), [])
  })

  test('of a template is restored unpublished where another one took its name since', async () => {
    const name = uniqueName('footer')
    const first = await addTemplate(shared.service, { name, template: 'old' })
    await ask('DELETE', `/api/twigTemplates/${first.id}/delete`)
    const second = await addTemplate(shared.service, { name, template: 'new' })
    const [warning] = await restore('/api/twigTemplates', first.id)
    assert.match(warning ?? '', new RegExp(`^Template ${second.id} .* restored unpublished`))
    const { body } = await ask('GET', `/api/twigTemplates/${first.id}`)
    assert.equal(body.twigTemplate.isPublished, false)
    await ask('PATCH', `/api/twigTemplates/${first.id}/edit`, { isPublished: true })
    await ask('DELETE', `/api/twigTemplates/${first.id}/delete`)
    assert.deepEqual(await restore('/api/twigTemplates', first.id), [], 'as it was before')
  })

  test('of a template: published emails that include it are named, and keep it unless forced', async () => {
    const footer = await addTemplate(shared.service, { name: uniqueName('footer') })
    const layout = await addTemplate(shared.service, {
      template: `{% include ${JSON.stringify(footer.name)} %}`,
    })
    const namesake = await addTemplate(shared.service, { name: footer.name })
    const token = `{twigtemplate=${layout.id}}`
    const texts = [
      { customHtml: token },
      { fromName: token, fromAddress: 'ann@example.com', plainText: 'Hello' },
      { isTwig: true, customHtml: `{% include ${JSON.stringify(footer.name)} %}` },
    ]
    for (const text of texts) {
      const email = await addEmail(shared.service, text)
      const used = text.isTwig ? [footer] : [footer, layout]
      for (const { id } of used)
        for (const query of ['', '?dryRun=1', '?erase=1']) {
          const { status, text } = await ask('DELETE', `/api/twigTemplates/${id}/delete${query}`)
          assert.equal(status, 409)
          assert.ok(text.includes(email.name), text)
        }
      const { as } = await addUser(shared.service, { twigtemplates: ['delete'] })
      const url = `/api/twigTemplates/${footer.id}/delete`
      const blind = await ask('DELETE', url, undefined, as)
      assert.equal(blind.status, 409)
      assert.equal(blind.text.includes(email.name), false)
      const ids = [namesake.id, footer.id].join()
      const tried = await ask('DELETE', `/api/twigTemplates/batch/delete?ids=${ids}&dryRun=1`)
      assert.deepEqual(tried.body.statusCodes, [200, 409])
      const path = `/api/twigTemplates/batch/delete?ids=${footer.id}`
      const onlyUsed = await ask('DELETE', `${path}&dryRun=1`)
      assert.equal(onlyUsed.status, 200, 'the dry run itself has succeeded')
      assert.deepEqual([onlyUsed.body.statusCodes, onlyUsed.body.dryRun], [[409], true])
      const atomic = await ask('DELETE', `${path},${namesake.id}&atomic=1&dryRun=1`)
      assert.deepEqual([atomic.status, atomic.body.statusCodes], [200, [409, 424]])
      assert.equal((await ask('DELETE', path)).status, 400)
      await ask('PATCH', `/api/emails/${email.id}/edit`, { isPublished: false })
      const free = await ask('DELETE', `/api/twigTemplates/${footer.id}/delete?dryRun=1`)
      assert.equal(free.status, 200)
    }
    await addEmail(shared.service, { customHtml: token })
    const url = `/api/twigTemplates/${footer.id}/delete?force=1`
    assert.equal((await ask('DELETE', url)).status, 200)
  })

  test('of an email comes back with its assignment, unless its transport is deleted', async () => {
    const transport = await addTransport(shared.service)
    const email = await addEmail(shared.service)
    const path = `/api/multipleTransport/transportEmail/${email.id}`
    await ask('POST', path, { transportId: transport.id, useOwnerTransport: true })
    const before = (await ask('GET', path)).body
    await ask('DELETE', `/api/emails/${email.id}/delete`)
    assert.deepEqual(await restore('/api/emails', email.id), [])
    assert.deepEqual((await ask('GET', path)).body, before)
    await ask('DELETE', `/api/emails/${email.id}/delete`)
    await ask('DELETE', `/api/multipleTransports/${transport.id}/delete`)
    const [warning] = await restore('/api/emails', email.id)
    assert.match(warning ?? '', new RegExp(`^Transport ${transport.id}, .* is deleted`))
    assert.equal((await ask('GET', path)).body.transportEmail.useOwnerTransport, true)
  })

  /** Adds an email and the transport that is assigned to it. Returns what deletes, restores and reads them. */
  const addAssigned = async () => {
    const transport = await addTransport(shared.service)
    const email = await addEmail(shared.service)
    const paths = { email: '/api/emails', transport: '/api/multipleTransports' }
    const ids = { email: email.id, transport: transport.id }
    const assignment = `/api/multipleTransport/transportEmail/${email.id}`
    const assign = async (transportId: number | null) => {
      const { status, text } = await ask('POST', assignment, { transportId })
      assert.equal(status, 200, text)
    }
    await assign(transport.id)
    return {
      transportId: transport.id as number,
      assign,
      remove: async (what: 'email' | 'transport') => {
        const { status } = await ask('DELETE', `${paths[what]}/${ids[what]}/delete`)
        assert.equal(status, 200)
      },
      restore: (what: 'email' | 'transport') => restore(paths[what], ids[what]),
      readAssigned: async (): Promise<number | undefined> =>
        (await ask('GET', assignment)).body.transportEmail.transport?.id,
    }
  }

  const orders = [
    ['email', 'transport'],
    ['transport', 'email'],
  ] as const

  for (const removed of orders)
    for (const restored of [...orders, 'both at once'] as const)
      test(`of an email and its transport: the assignment comes back when they are deleted in the order ${removed.join(', ')} and restored in the order ${String(restored)}`, async () => {
        const { transportId, ...pair } = await addAssigned()
        // The second time shows that a restored assignment is as good as a new one.
        for (const _ of ['once', 'again']) {
          for (const what of removed) await pair.remove(what)
          if (restored === 'both at once') await Promise.all(removed.map(pair.restore))
          else for (const what of restored) await pair.restore(what)
          assert.equal(await pair.readAssigned(), transportId)
        }
      })

  test('of an email and its transport: the assignment comes back when one is deleted again before the other is restored', async () => {
    for (const [first, second] of orders) {
      const { transportId, ...pair } = await addAssigned()
      await pair.remove(first)
      await pair.remove(second)
      await pair.restore(first)
      await pair.remove(first)
      await pair.restore(second)
      assert.deepEqual(await pair.restore(first), [])
      assert.equal(await pair.readAssigned(), transportId)
    }
  })

  test('of an email and its transport: an assignment that was changed meanwhile stays as it is', async () => {
    const { id: instead } = await addTransport(shared.service)
    for (const changed of [instead, null])
      for (const isDeletedAgain of [false, true]) {
        const pair = await addAssigned()
        await pair.remove('email')
        await pair.remove('transport')
        assert.equal((await pair.restore('email')).length, 1)
        await pair.assign(changed)
        if (isDeletedAgain) await pair.remove('email')
        await pair.restore('transport')
        if (isDeletedAgain) assert.deepEqual(await pair.restore('email'), [])
        assert.equal(await pair.readAssigned(), changed ?? undefined)
      }
  })

  test('of two transports of an email: the one that was assigned last comes back', async () => {
    const { id: last } = await addTransport(shared.service)
    const pair = await addAssigned()
    await pair.remove('transport')
    await pair.assign(last)
    await ask('DELETE', `/api/multipleTransports/${last}/delete`)
    await pair.restore('transport')
    assert.equal(await pair.readAssigned(), undefined)
    await restore('/api/multipleTransports', last)
    assert.equal(await pair.readAssigned(), last)
  })

  test('of a transport comes back with its assignments, limits, Mautics and last test', async () => {
    const { service } = shared
    const transport = await addTransport(service)
    const { id } = transport
    const mautic = await addMautic(service, {
      emails: [1, 2],
      users: { 1: 'cy@brand.test' },
      transportId: id,
    })
    const caller = { ...administrator, mautic }
    const { assignments } = service.app
    await assignments.set('email', { id: 1, transportId: id }, caller)
    await assignments.set('user', { id: 1, transportId: id }, caller)
    const [email, other] = [await addEmail(service), await addEmail(service)]
    const user = await addUser(service, {})
    for (const each of [email, other])
      await ask('POST', `/api/multipleTransport/transportEmail/${each.id}`, { transportId: id })
    await ask('POST', `/api/multipleTransport/transportUser/${user.id}`, { transportId: id })
    const limits = [uniqueName('limit'), uniqueName('limit')].map((name) => ({
      name,
      perSecond: 1,
      transports: [id],
    }))
    const { body: added } = await ask('POST', '/api/limits/batch/new', limits)
    const [limit, lost] = added.limits
    await ask('POST', `/api/multipleTransports/send/test/${id}`)
    const list = async () =>
      (await ask('GET', `/api/multipleTransports?with=usage,lastTest&search=ids:${id}`)).body
    const before = await list()
    const { body } = await ask('DELETE', `/api/multipleTransports/${id}/delete`)
    assert.match(body.message, /2 emails and 1 user\. .* 2 limits\. .* default/)
    await ask('DELETE', `/api/emails/${other.id}/delete?erase=1`)
    await ask('DELETE', `/api/limits/${lost.id}/delete`)
    const [warning = ''] = await restore('/api/multipleTransports', id)
    assert.match(warning, new RegExp(`not assigned again to email ${other.id}: .* ${lost.id}\\.$`))
    const [restored] = await list()
    assert.deepEqual(restored, { ...before[0], usage: { emails: 2, users: 2, mautics: 1 } })
    assert.deepEqual((await ask('GET', `/api/limits/${limit.id}`)).body.limit.transports, [id])
    assert.equal((await ask('GET', `/api/mautics/${mautic.id}`)).body.mautic.transportId, id)
    const ofEmail = await assignments.get('email', 1, caller)
    assert.equal(ofEmail.transportEmail.transport?.id, id)
  })

  test('of a transport stays readable when the data keys are rotated', async () => {
    const mailerDsn = 'smtp://ann:rotated-secret@127.0.0.1:25'
    const { id } = await addTransport(shared.service, { mailerDsn })
    await ask('DELETE', `/api/multipleTransports/${id}/delete`)
    const { app } = shared.service
    const keyId = await app.keyring.rotate()
    const used = await app.transports.reseal()
    assert.ok(
      used.every((each) => each === keyId),
      used.join(' '),
    )
    assert.ok((await app.transports.reseal()).length > 0)
    await restore('/api/multipleTransports', id)
    assert.equal((await ask('GET', `/api/multipleTransports/${id}`)).body.mailerDsn, mailerDsn)
  })
})
