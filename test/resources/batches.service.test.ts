import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { uniqueName } from '../callers.ts'
import { onMailyard } from '../on-each-database.ts'
import type { TestBody } from '../test-app.ts'
import { volume } from '../volume.ts'

/** The two resources of the contract that have batches, and a good item of each. */
const resources = [
  {
    path: '/api/multipleTransports',
    many: 'multipleTransports',
    good: { mailerDsn: 'null://null' },
  },
  { path: '/api/twigTemplates', many: 'twigTemplates', good: { template: '{{ 1 }}' } },
] as const

/** The most that a request may have, in full. */
const manyItems = volume({ short: 1_000, full: 10_000 })

/** The ids of the items that went well. */
const idsOf = (entries: TestBody[]): number[] => entries.flatMap((entry) => entry?.id ?? [])

onMailyard('batches', { isOwn: true }, ({ ask, askFor }) => {
  for (const { path, many, good } of resources) {
    const item = (name = uniqueName('item')) => ({ name, ...good })
    const create = async (count: number): Promise<number[]> => {
      const items = Array.from({ length: count }, () => item())
      return idsOf((await ask('POST', `${path}/batch/new`, items)).body[many])
    }

    describe(path, () => {
      test('?fields= limits the fields in answers of batches; an unknown field is refused', async () => {
        const made = await ask('POST', `${path}/batch/new?fields=id,%20name`, [item('kept short')])
        assert.equal(made.status, 201)
        const [entry] = made.body[many]
        assert.deepEqual(entry, { id: entry.id, name: 'kept short' })
        const edit = [{ id: entry.id, name: 'renamed' }]
        const edited = await ask('PATCH', `${path}/batch/edit?fields=name`, edit)
        assert.deepEqual(edited.body[many], [{ name: 'renamed' }])
        const unknown = `${path}/batch/delete?ids=${entry.id}&fields=id,secret`
        const refused = await ask('DELETE', unknown)
        assert.equal(refused.status, 400)
        assert.match(refused.body.details.fields[0], /must be a list of id, name/)
        const removed = await ask('DELETE', `${path}/batch/delete?ids=${entry.id}&fields=id`)
        assert.deepEqual(removed.body[many], [{ id: entry.id }])
      })

      test('batch/new answers one entry per item, in order; one that fails stops no other', async () => {
        const body = await askFor('POST', `${path}/batch/new`, [
          item('first'),
          { name: 'second' },
          'nonsense',
          null,
          item('last'),
        ])
        assert.deepEqual(Object.keys(body).sort(), ['errors', many, 'statusCodes'].sort())
        assert.deepEqual(body.statusCodes, [201, 400, 400, 400, 201])
        const names = body[many].map((entry: TestBody) => entry?.name ?? null)
        assert.deepEqual(names, ['first', null, null, null, 'last'])
        assert.deepEqual(Object.keys(body.errors), ['1', '2', '3'])
        const [field] = Object.keys(good)
        assert.deepEqual(Object.keys(body.errors[1].details), [field])
        const [id] = idsOf(body[many])
        await askFor('GET', `${path}/${id}`)
      })

      test('batch/edit changes some values with PATCH and all with PUT', async () => {
        const [first = 0, second = 0] = await create(2)
        const patched = await ask('PATCH', `${path}/batch/edit`, [
          { id: first, name: 'patched', description: 'kept' },
          { id: 999_999, name: 'unknown id' },
          { name: 'without id' },
          { id: `${second}x`, name: 'wrong id' },
          { id: second, name: '' },
        ])
        assert.equal(patched.status, 200)
        assert.deepEqual(patched.body.statusCodes, [200, 404, 400, 400, 400])
        assert.equal(patched.body[many][0].name, 'patched')
        const put = await ask('PUT', `${path}/batch/edit`, [
          { id: first, ...item('put') },
          { id: 999_999, ...item('new') },
          { id: second, name: 'incomplete' },
        ])
        assert.deepEqual(put.body.statusCodes, [200, 201, 400])
        const [replaced, made] = put.body[many]
        assert.deepEqual([replaced.id, replaced.name, replaced.description], [first, 'put', null])
        assert.notEqual(made.id, 999_999)
      })

      test('batch/delete reads its ids from the query in each notation', async () => {
        const [a, b, c, d, e, f] = await create(6)
        for (const [query, codes] of [
          [`ids=${a},999999,${b}`, [200, 404, 200]],
          [`ids[]=${c}&ids[]=${d}`, [200, 200]],
          [`ids[0]=${e}&ids[1]=${f}`, [200, 200]],
        ] as const) {
          const body = await askFor('DELETE', `${path}/batch/delete?${query}`)
          assert.deepEqual(body.statusCodes, codes)
        }
        for (const id of [a, b, c, d, e, f]) {
          assert.equal((await ask('GET', `${path}/${id}`)).status, 404)
        }
        for (const query of ['', '?ids=', '?ids[]=', '?ids=1,x'])
          assert.equal((await ask('DELETE', `${path}/batch/delete${query}`)).status, 400)
      })

      test('an id that is deleted twice in one batch is gone the second time', async () => {
        const [id] = await create(1)
        const { body } = await ask('DELETE', `${path}/batch/delete?ids=${id},${id}`)
        assert.deepEqual(body.statusCodes, [200, 404])
      })

      test('?atomic=1 saves all items or none', async () => {
        const total = async () => Number((await ask('GET', path)).headers['x-total-count'])
        const before = await total()
        const items = [item(), { name: 'bad' }, item()]
        const failed = await ask('POST', `${path}/batch/new?atomic=1`, items)
        assert.deepEqual([failed.status, failed.body.success], [400, false])
        assert.deepEqual(failed.body.statusCodes, [424, 400, 424])
        assert.deepEqual(failed.body[many], [null, null, null])
        assert.equal(await total(), before)
        const ids = await create(2)
        const edits = [...ids.map((id) => ({ id, name: 'changed' })), { id: 999_999, name: 'x' }]
        const edited = await ask('PATCH', `${path}/batch/edit?atomic=1`, edits)
        assert.deepEqual([edited.status, edited.body.statusCodes], [404, [424, 424, 404]])
        const deletion = `${path}/batch/delete?atomic=1&ids=${[...ids, 999_999].join(',')}`
        assert.equal((await ask('DELETE', deletion)).status, 404)
        for (const id of ids) {
          const body = await askFor('GET', `${path}/${id}`)
          assert.notEqual((body.twigTemplate ?? body).name, 'changed')
        }
        const good = await ask('POST', `${path}/batch/new?atomic=1`, [item(), item()])
        assert.deepEqual([good.status, good.body.statusCodes], [201, [201, 201]])
      })

      test('a batch without a fault has no errors, as in Mautic: clients ask whether they are set', async () => {
        const made = await ask('POST', `${path}/batch/new`, [item(), item()])
        const ids = idsOf(made.body[many])
        const edits = ids.map((id) => ({ id, ...item() }))
        const deletion = `${path}/batch/delete?ids=${ids.join(',')}`
        for (const { status, body } of [
          made,
          await ask('PATCH', `${path}/batch/edit`, edits),
          await ask('PUT', `${path}/batch/edit?fields=id`, edits),
          await ask('DELETE', `${deletion}&dryRun=1`),
          await ask('DELETE', deletion),
        ]) {
          assert.ok(status < 300)
          assert.equal('errors' in body, false)
        }
      })

      test('?atomic that says neither yes nor no is refused, and nothing is saved', async () => {
        const total = async () => Number((await ask('GET', path)).headers['x-total-count'])
        const [id = 0] = await create(1)
        const before = await total()
        for (const query of ['atomic=banana', 'atomic=2', 'atomic=', 'atomic=1&atomic=1']) {
          for (const answer of [
            await ask('POST', `${path}/batch/new?${query}`, [item()]),
            await ask('PATCH', `${path}/batch/edit?${query}`, [{ id, name: 'changed' }]),
            await ask('PUT', `${path}/batch/edit?${query}`, [{ id, ...item('changed') }]),
            await ask('DELETE', `${path}/batch/delete?${query}&ids=${id}`),
          ]) {
            assert.equal(answer.status, 400, query)
            assert.deepEqual(Object.keys(answer.body.details), ['atomic'])
          }
        }
        assert.equal(await total(), before)
        const one = await ask('GET', `${path}/${id}`)
        assert.notEqual((one.body.twigTemplate ?? one.body).name, 'changed')
      })
    })
  }

  test('an id that cannot be deleted is refused each time that it is named', async () => {
    const { body: own } = await ask('GET', '/api/users/self')
    const { body } = await ask(
      'DELETE',
      `/api/roles/batch/delete?ids=${own.role.id},${own.role.id}`,
    )
    assert.deepEqual(body.statusCodes, [409, 409])
  })

  test(`${manyItems} items can be made and deleted in one request each`, async () => {
    const base = '/api/multipleTransports/batch'
    const items = Array.from({ length: manyItems }, (_, index) => ({
      name: `many ${index}`,
      mailerDsn: `smtp://user:password${index}@mail.example.com`,
    }))
    const { body: made } = await ask('POST', `${base}/new`, items)
    assert.deepEqual([...new Set(made.statusCodes)], [201])
    const ids = idsOf(made.multipleTransports)
    assert.equal(new Set(ids).size, manyItems)
    const { body: gone } = await ask('DELETE', `${base}/delete?ids=${ids.join(',')}`)
    assert.deepEqual(gone.statusCodes, Array(manyItems).fill(200))
  })
})
