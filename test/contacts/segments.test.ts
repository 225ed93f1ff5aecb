import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { addEmail, uniqueName } from '../callers.ts'
import { onEachDatabase } from '../on-each-database.ts'
import type { TestApp } from '../test-app.ts'

onEachDatabase('segments', (shared) => {
  const ask: TestApp['ask'] = (...request) => shared.service.ask(...request)
  const addContacts = async (contacts: object[]): Promise<number[]> => {
    const { body } = await ask('POST', '/api/contacts/batch/new', contacts)
    return body.contacts.map((contact: { id: number }) => contact.id)
  }

  test('are listed with how many contacts are in each', async () => {
    const prefix = uniqueName('listed')
    const [a, b, c] = ['Äpfel', 'birnen', 'cola'].map((name) => `${prefix} ${name}`)
    const ids = await addContacts([
      { segments: [a, b] },
      { segments: [b] },
      { segments: [b, c], isPublished: false },
      { segments: [c] },
    ])
    const list = async (query: Record<string, string>) => {
      const parameters = new URLSearchParams({ search: prefix.toUpperCase(), ...query })
      const answer = await ask('GET', `/api/segments?${parameters.toString()}`)
      assert.equal(answer.status, 200, answer.text)
      assert.equal(Number(answer.headers['x-total-count']), answer.body.total)
      return answer.body
    }
    const all = await list({})
    assert.equal(all.total, 3)
    const counts = Object.fromEntries(
      all.lists.map((each: { name: string; contactCount: number }) => [
        each.name,
        each.contactCount,
      ]),
    )
    assert.deepEqual(counts, { [String(a)]: 1, [String(b)]: 3, [String(c)]: 2 })
    assert.ok(all.lists.every((each: { name: string; alias: string }) => each.name === each.alias))
    assert.deepEqual(await list({ search: 'ÄPFEL' }), {
      total: 1,
      lists: [{ name: a, alias: a, contactCount: 1 }],
    })
    const page = await list({ start: '1', limit: '1' })
    assert.deepEqual(page, { total: 3, lists: [all.lists[1]] })
    assert.deepEqual((await list({ orderByDir: 'desc' })).lists, all.lists.toReversed())
    assert.deepEqual((await list({ limit: '0' })).lists, all.lists)
    await ask('DELETE', `/api/contacts/${ids[0]}/delete`)
    await ask('PATCH', `/api/contacts/${ids[1]}/edit`, { segments: [] })
    const after = await list({})
    assert.deepEqual(
      after.lists.map((each: { contactCount: number }) => each.contactCount),
      [1, 2],
    )
  })

  test('are listed however many there are', async () => {
    const prefix = uniqueName('many')
    const names = Array.from({ length: 1_100 }, (_, index) => `${prefix} ${index}`)
    await addContacts(
      Array.from({ length: 11 }, (_, index) => ({
        segments: names.slice(index * 100, (index + 1) * 100),
      })),
    )
    const { body } = await ask('GET', `/api/segments?limit=0&search=${encodeURIComponent(prefix)}`)
    assert.equal(body.total, 1_100)
    const listed = body.lists.map(({ name }: { name: string }) => name)
    assert.deepEqual(listed.toSorted(), names.toSorted())
  })

  test('a list with a parameter that is wrong is refused with its name', async () => {
    for (const [name, value] of [
      ['start', '-1'],
      ['limit', 'many'],
      ['orderBy', 'id'],
      ['orderByDir', 'up'],
      ['search', 'x'.repeat(256)],
    ] as const) {
      const { status, body } = await ask('GET', `/api/segments?${name}=${value}`)
      assert.deepEqual([status, Object.keys(body.details)], [400, [name]])
    }
  })

  describe('a broadcast', () => {
    const send = async (body: object) => {
      const email = await addEmail(shared.service, { plainText: 'Hello' })
      return ask('POST', `/api/emails/${email.id}/send`, body)
    }

    test('to a segment that does not exist is refused, with the name that may be meant', async () => {
      const segment = uniqueName('Readers of news')
      await addContacts([{ email: `${uniqueName('r')}@example.com`, segments: [segment] }])
      for (const misspelt of [segment.toUpperCase(), ` ${segment}`, `${segment}s`]) {
        const { status, body } = await send({ segment: misspelt })
        assert.equal(status, 400)
        assert.ok(body.error.includes(`"${misspelt}"`), body.error)
        assert.ok(body.error.includes(`Did you mean "${segment}"`), body.error)
      }
      const unlike = await send({ segment: 'qqqqqqqqqqqqqqqqqqqq' })
      assert.equal(unlike.status, 400)
      assert.match(unlike.body.error, /GET \/api\/segments/)
    })

    test('to a segment without a contact that can receive email is refused', async () => {
      const segment = uniqueName('unreachable')
      await addContacts([
        { firstname: 'No address', segments: [segment] },
        { email: `${uniqueName('u')}@example.com`, isPublished: false, segments: [segment] },
      ])
      const { status, body } = await send({ segment })
      assert.equal(status, 400)
      assert.ok(body.error.includes(`"${segment}"`), body.error)
      const { body: list } = await ask('GET', '/api/broadcasts')
      assert.ok(list.broadcasts.every((each: { segment: string }) => each.segment !== segment))
    })

    test('goes to an address once, however its contacts are named', async () => {
      const email = `${uniqueName('once')}@example.com`
      const ids = await addContacts([
        { email },
        { email: email.toUpperCase() },
        { email: ` ${email} ` },
        { email: `${uniqueName('other')}@example.com` },
      ])
      assert.equal(new Set(ids).size, 2)
      const { status, body } = await send({ contactIds: [...ids, ...ids.toReversed()] })
      assert.equal(status, 200)
      const { broadcast } = (await ask('GET', `/api/broadcasts/${body.job.id}`)).body
      assert.equal(broadcast.total, 2)
    })
  })
})
