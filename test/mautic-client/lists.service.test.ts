import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { adminPassword } from '../administrator.ts'
import { addEmail, addTemplate, addTransport, uniqueName } from '../callers.ts'
import { onMailyard } from '../on-each-database.ts'
import { basic, createLibraryClient, type LibraryClient } from './library-client.ts'

onMailyard("the lists that Mautic's client asks for", { isOwn: true }, (shared) => {
  const word = uniqueName('listed')
  let client: LibraryClient
  let ids: number[]

  before(async () => {
    client = createLibraryClient(await shared.service.listen(), basic('admin', adminPassword))
    const made = []
    for (const [index, letter] of ['b', 'a', 'c'].entries()) {
      made.push(
        await addTemplate(shared.service, { name: `${letter} ${word}`, isPublished: index !== 2 }),
      )
    }
    ids = made.map(({ id }) => id)
  })
  after(() => client.close())

  const listed = async (parameters: object): Promise<{ total: number; names: string[] }> => {
    const { status, body } = await client.call('GET', 'twigTemplates', parameters)
    assert.equal(status, 200, JSON.stringify(body))
    const names = body.twigTemplates.map(({ name }: { name: string }) => name.slice(0, 1))
    return { total: body.total, names }
  }

  test('getList with every parameter it has', async () => {
    const all = { search: word, orderBy: 'name', orderByDir: 'ASC' }
    assert.deepEqual(await listed(all), { total: 3, names: ['a', 'b', 'c'] })
    const paged = { ...all, start: 1, limit: 1 }
    assert.deepEqual(await listed(paged), { total: 3, names: ['b'] })
    const published = { search: word, orderByDir: 'ASC', publishedOnly: 1, minimal: 1 }
    assert.deepEqual(await listed(published), { total: 2, names: ['b', 'a'] })
    const falling = { ...all, orderByDir: 'DESC' }
    assert.deepEqual(await listed(falling), { total: 3, names: ['c', 'b', 'a'] })
  })

  test('a search for ids, as the conformance suite makes it', async () => {
    assert.deepEqual(await listed({ search: `ids:${ids.join(',')}` }), {
      total: 3,
      names: ['b', 'a', 'c'],
    })
  })

  test('getCustomList with where and order', async () => {
    const like = { col: 'name', expr: 'like', val: `%${word}` }
    const order = [{ col: 'name', dir: 'DESC' }]
    assert.deepEqual(await listed({ where: [like], order }), { total: 3, names: ['c', 'b', 'a'] })
    const some = { col: 'id', expr: 'in', val: ids.slice(0, 2).join(',') }
    assert.deepEqual(await listed({ where: [some], order }), { total: 2, names: ['b', 'a'] })
    const either = {
      expr: 'orX',
      val: [
        { col: 'id', expr: 'eq', val: ids[0] },
        { col: 'id', expr: 'eq', val: ids[2] },
      ],
    }
    assert.deepEqual(await listed({ where: [either], order }), { total: 2, names: ['c', 'b'] })
  })

  test('where does not override the other filters', async () => {
    const where = [{ col: 'name', expr: 'like', val: `%${word}` }]
    assert.deepEqual((await listed({ where, published: 1 })).names, ['b', 'a'])
  })

  test('emails and contacts come keyed by id, an empty list as []', async () => {
    const { id } = await addEmail(shared.service, { name: word })
    const found = await client.call('GET', 'emails', { search: word, orderByDir: 'ASC' })
    assert.deepEqual(Object.keys(found.body.emails), [String(id)])
    const none = await client.call('GET', 'emails', {
      search: 'nothing has this',
      orderByDir: 'ASC',
    })
    assert.deepEqual(none.body, { total: 0, emails: [] })
  })

  test('transports are a bare list, which the library hands on as it is', async () => {
    const { id } = await addTransport(shared.service, { name: word })
    const { body } = await client.call('GET', 'multipleTransports', {
      search: word,
      orderByDir: 'ASC',
    })
    const shownIds = body.map((each: { id: number }) => each.id)
    assert.deepEqual(shownIds, [id])
  })
})
