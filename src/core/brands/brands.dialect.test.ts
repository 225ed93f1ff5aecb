import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { sql } from 'kysely'
import { addTemplate, addTransport, addUser, uniqueName } from '../../../test/callers.ts'
import { addBrand, callerOf } from '../../../test/mautics.ts'
import { onEachDatabase, onMailyard } from '../../../test/on-each-database.ts'
import type { TestBody } from '../../../test/test-app.ts'
import type { Brands } from '../../kit/caller.ts'
import { ownedBy } from '../../platform/resource/index.ts'

/** Who asks: their brands differ from request to request. */
const caller = { ...callerOf(undefined), brands: 'all' as Brands }

/** The records that may belong to a brand: how one is made, and whether those of no brand are hidden from callers with brands. */
const records: Record<string, { one: string; isPrivate?: boolean; values: () => object }> = {
  multipleTransports: {
    one: 'transport',
    values: () => ({ name: uniqueName('transport'), mailerDsn: 'null://null' }),
  },
  twigTemplates: {
    one: 'twigTemplate',
    values: () => ({ name: uniqueName('template'), template: 'x' }),
  },
  emails: { one: 'email', values: () => ({ name: uniqueName('email'), subject: 'x' }) },
  contacts: { one: 'contact', values: () => ({ email: `${uniqueName('c')}@rcpt.test` }) },
  limits: {
    one: 'limit',
    values: () => ({ name: uniqueName('limit'), transports: [], perDay: 9 }),
  },
  suppressions: {
    one: 'suppression',
    values: () => ({ address: `${uniqueName('s')}@rcpt.test`, reason: 'bounced' }),
  },
  dkimKeys: {
    one: 'dkimKey',
    values: () => ({ domain: `${uniqueName('d')}.test`, algorithm: 'ed25519' }),
  },
  webhooks: {
    one: 'webhook',
    isPrivate: true,
    values: () => ({ name: 'x', url: 'https://a.test/', events: ['limit.reached'] }),
  },
}

onEachDatabase('brands', { caller }, (shared) => {
  const { ask, askFor } = shared
  afterEach(() => {
    caller.brands = 'all'
  })
  const askWith = async (brands: Brands, ...request: Parameters<typeof ask>) => {
    caller.brands = brands
    try {
      return await ask(...request)
    } finally {
      caller.brands = 'all'
    }
  }

  test('have the domains that they send as in the form in which they are compared', async () => {
    const domains = [' Shop.test. ', 'Bücher.test', 'Ann@Shop.test', 'shop.test']
    const { brand } = await askFor('POST', '/api/brands/new', { name: 'Shop', domains })
    assert.deepEqual(brand.domains, ['shop.test', 'xn--bcher-kva.test', 'ann@shop.test'])
    assert.equal(brand.isPublished, true)
    const { brand: other } = await askFor('POST', '/api/brands/new', { name: 'Lab' })
    assert.notEqual(other.color, brand.color)
    const change = { domains: [], color: '#15803D' }
    const edited = await askFor('PATCH', `/api/brands/${brand.id}/edit`, change)
    assert.deepEqual([edited.brand.domains, edited.brand.color], [[], '#15803D'])
    const { brands } = await askFor('GET', `/api/brands?search=ids:${brand.id}`)
    assert.deepEqual(
      brands.map(({ name }: TestBody) => name),
      ['Shop'],
    )
  })

  test('with records are not deleted: the answer names what belongs to them', async () => {
    const name = uniqueName('Brand')
    const brand = await addBrand(shared.service, { name })
    const { id } = await addTransport(shared.service, { brand })
    const templates = [
      await addTemplate(shared.service, { brand }),
      await addTemplate(shared.service, { brand }),
    ]
    const remove = () => ask('DELETE', `/api/brands/${brand}/delete`)
    const other = await addBrand(shared.service)
    const user = await addUser(shared.service, {}, [other, brand])
    const refused = await remove()
    const uses = '1 transport, 2 templates, 1 user'
    assert.deepEqual(
      [refused.status, refused.body.error],
      [409, `Brand "${name}" has ${uses}. Delete them or move them first.`],
    )
    await askFor('PATCH', `/api/users/${user.id}/edit`, { brands: [other] })
    await askFor('PATCH', `/api/multipleTransports/${id}/edit`, { brand: null })
    const ids = templates.map((template) => template.id).join()
    await askFor('DELETE', `/api/twigTemplates/batch/delete?ids=${ids}`)
    assert.equal((await remove()).status, 200)
    assert.equal((await ask('GET', `/api/brands/${brand}`)).status, 404)
    const restored = await ask('POST', `/api/twigTemplates/${templates[0]?.id}/restore`)
    assert.equal(restored.status, 409)
    assert.match(restored.body.error, /belonged to brand \d+, which is deleted\. Create it again/)
  })

  test('count what they have by an index, where there may be many', async () => {
    const { storage } = shared.service.app
    if (!storage.runsInProcess) return
    for (const table of ['contacts', 'emails', 'suppressions']) {
      const { rows } = await sql<{ detail: string }>`explain query plan select count(*)
        from ${sql.table(table)} where ${ownedBy({ brands: [7] })}`.execute(storage.tables())
      assert.match(rows[0]?.detail ?? '', new RegExp(`COVERING INDEX ${table}_brand_id`))
    }
  })

  test('are seen by callers who have them, and changed by those who have all', async () => {
    const [own, other] = [await addBrand(shared.service), await addBrand(shared.service)]
    const values = { name: 'Taken', domains: ['other.test'] }
    const statusOf = async (brands: Brands, ...request: Parameters<typeof ask>) =>
      (await askWith(brands, ...request)).status
    for (const [brands, id, read, change] of [
      [[own], own, 200, 403],
      [[own], other, 404, 404],
      [[], own, 404, 404],
      [[own, other], other, 200, 403],
    ] as [Brands, number, number, number][]) {
      const asked = `${id} by ${String(brands)}`
      assert.equal(await statusOf(brands, 'GET', `/api/brands/${id}`), read, asked)
      assert.equal(await statusOf(brands, 'PATCH', `/api/brands/${id}/edit`, values), change, asked)
      assert.equal(await statusOf(brands, 'DELETE', `/api/brands/${id}/delete`), change, asked)
      const { body } = await askWith(brands, 'GET', '/api/brands')
      const ids = body.brands.map((brand: TestBody) => brand.id)
      assert.deepEqual([ids, body.total], [brands, brands.length])
    }
    assert.equal(await statusOf([own], 'POST', '/api/brands/new', values), 403)
    assert.equal(await statusOf([own], 'PUT', `/api/brands/${other}/edit`, values), 403)
    assert.notEqual((await askFor('GET', `/api/brands/${own}`)).brand.name, 'Taken')
  })

  test('have contacts that no template of another brand finds', async () => {
    const [own, other] = [await addBrand(shared.service), await addBrand(shared.service)]
    const template = '{{ contact.firstname }}'
    for (const [brand, status] of [
      [own, 200],
      [other, 404],
    ] as const) {
      caller.brands = 'all'
      const fields = { firstname: 'Ann', brand }
      const { id } = (await shared.askFor('POST', '/api/contacts/new', fields)).contact
      caller.brands = [own]
      const asked = { template, contactId: id }
      const rendered = await shared.ask('POST', '/api/twigTemplates/render', asked)
      assert.equal(rendered.status, status, rendered.text)
      assert.equal(rendered.text.includes('Ann'), status === 200)
    }
  })

  for (const [path, { one, isPrivate = false, values }] of Object.entries(records))
    test(`have records that are listed, read and changed by who has the brand: ${path}`, async () => {
      const [own, other] = [await addBrand(shared.service), await addBrand(shared.service)]
      // A limit of a brand without transports is a budget, which no one of the brand changes.
      const transports = new Map<number | undefined, number>()
      for (const brand of [own, other, undefined])
        transports.set(brand, (await addTransport(shared.service, { brand: brand ?? null })).id)
      const ofLimit = (brand: number | undefined) =>
        path === 'limits' ? { transports: [transports.get(brand)] } : {}
      const add = async (more: { brand?: number }): Promise<TestBody> => {
        const [only] = caller.brands === 'all' ? [] : caller.brands
        const { status, body, text } = await ask('POST', `/api/${path}/new`, {
          ...{ ...values(), ...ofLimit(more.brand ?? only), ...more },
        })
        assert.equal(status, 201, text)
        return body[one] ?? body
      }
      const mine = await add({ brand: own })
      const foreign = await add({ brand: other })
      const common = await add({})
      assert.deepEqual([mine.brand, foreign.brand, common.brand], [own, other, undefined])

      caller.brands = [own]
      const created = await add({})
      assert.equal(created.brand, own)
      const expected = [mine, ...(isPrivate ? [] : [common]), created].map(({ id }) => id)
      const all = [mine, foreign, common, created].map(({ id }) => id)
      const { body, text } = await ask('GET', `/api/${path}?limit=1000&orderBy=id`)
      const listed: TestBody[] = Object.values(body[path] ?? body)
      assert.deepEqual(
        listed.map(({ id }) => id).filter((id) => all.includes(id)),
        expected.toSorted((one, two) => one - two),
        text,
      )
      const hidden = isPrivate ? [404, 404, 404] : [200, 403, 403]
      for (const [{ id }, statuses] of [
        [foreign, [404, 404, 404]],
        [common, hidden],
        [created, [200, 200, 200]],
      ] as const) {
        const answers = [
          await ask('GET', `/api/${path}/${id}`),
          await ask('PATCH', `/api/${path}/${id}/edit`, { isPublished: false }),
          await ask('DELETE', `/api/${path}/${id}/delete`),
        ]
        assert.deepEqual(
          answers.map(({ status }) => status),
          statuses,
          answers.map((answer) => answer.text).join('\n'),
        )
      }
      // Nothing is moved into or out of a brand that the caller does not have.
      for (const [brand, status] of [
        [other, 404],
        [null, 403],
      ] as const) {
        const moved = await ask('PATCH', `/api/${path}/${mine.id}/edit`, { brand })
        assert.equal(moved.status, status, moved.text)
        const given = await ask('POST', `/api/${path}/new`, { ...values(), brand })
        assert.equal(given.status, status, given.text)
      }
      caller.brands = [own, other]
      const moved = await ask('PATCH', `/api/${path}/${mine.id}/edit`, {
        ...{ brand: other, ...ofLimit(other) },
      })
      assert.equal(moved.status, 200, moved.text)
      const unnamed = await ask('POST', `/api/${path}/new`, values())
      assert.equal(unnamed.status, 400, unnamed.text)
    })
})

onMailyard('brands', (shared) => {
  test('with faulty domains, colors and names are refused, and the field says why', async () => {
    const faults: [values: object, field: string, message: RegExp][] = [
      [{ domains: ['shop.test', '*.shop.test'] }, 'domains', /; wrong: \*\.shop\.test$/],
      [{ domains: ['https://shop.test'] }, 'domains', /such as shop\.example/],
      [{ domains: ['ann@'] }, 'domains', /; wrong: ann@$/],
      [{ color: 'blue' }, 'color', /must be a color, such as #2563eb/],
      [{ name: '' }, 'name', /./],
    ]
    const id = await addBrand(shared.service, { domains: ['kept.test'] })
    for (const [values, field, message] of faults)
      for (const [method, path] of [
        ['POST', 'new'],
        ['PATCH', `${id}/edit`],
      ] as const) {
        const named = method === 'POST' ? { name: 'Shop', ...values } : values
        const { status, body, text } = await shared.ask(method, `/api/brands/${path}`, named)
        assert.equal(status, 400, text)
        assert.match(body.details[field][0], message, text)
      }
    assert.deepEqual((await shared.askFor('GET', `/api/brands/${id}`)).brand.domains, ['kept.test'])
  })
})
