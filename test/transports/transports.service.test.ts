import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { addClientCaller, addTransport, addUser, uniqueName } from '../callers.ts'
import { onMailyard } from '../on-each-database.ts'
import type { TestBody } from '../test-app.ts'

const path = '/api/multipleTransports'

onMailyard('transports', { isOwn: true }, (shared) => {
  const { ask } = shared
  const add = (values: Record<string, unknown> = {}) => addTransport(shared.service, values)

  test('an id is never given twice, also when the last one was deleted', async () => {
    const { id } = await add()
    await ask('DELETE', `${path}/${id}/delete`)
    const next = await add()
    assert.ok(next.id > id)
    await ask('DELETE', `${path}/batch/delete?ids=${next.id}`)
    const another = await shared.openAnother()
    assert.ok((await addTransport(another)).id > next.id, 'nor by another process')
  })

  describe('the DSN', () => {
    const dsn = 'smtp://ann%40example.com:s%C3%A9cret+1@mail.example.com:587?auto_tls=0'
    const masked = 'smtp://ann%40example.com:********@mail.example.com:587?auto_tls=0'

    test('comes back verbatim to users who may edit transports, masked to users who may only view', async () => {
      const { id } = await add({ mailerDsn: dsn })
      const assignment = '/api/multipleTransport/transportEmail/1'
      await ask('POST', assignment, { transportId: id })
      const viewing = { multipleTransports: ['view'], email: ['view'] }
      const editing = { ...viewing, multipleTransports: ['view', 'edit'] }
      const editor = await addUser(shared.service, editing)
      const viewer = await addUser(shared.service, viewing)
      const machine = await addClientCaller(shared.service, viewing)
      for (const { as, shown } of [
        { as: editor.as, shown: dsn },
        { as: viewer.as, shown: masked },
        { as: machine.as, shown: masked },
      ]) {
        const one = await ask('GET', `${path}/${id}`, undefined, { as })
        assert.equal(one.body.mailerDsn, shown)
        const all = await ask('GET', `${path}?search=ids:${id}`, undefined, { as })
        assert.equal(all.body[0].mailerDsn, shown)
        const assigned = await ask('GET', assignment, undefined, { as })
        assert.equal(assigned.body.transportEmail.transport.mailerDsn, shown)
      }
      await ask('DELETE', assignment)
    })

    test('is masked in the answers to creating and deleting, too', async () => {
      const creator = await addUser(shared.service, { multipleTransports: ['create', 'delete'] })
      const { as } = creator
      const values = { name: 'a', mailerDsn: dsn }
      const made = await ask('POST', `${path}/new`, values, { as })
      assert.deepEqual([made.status, made.body.mailerDsn], [201, masked])
      const many = await ask('POST', `${path}/batch/new`, [values], { as })
      assert.equal(many.body.multipleTransports[0].mailerDsn, masked)
      const ids = `${made.body.id},${many.body.multipleTransports[0].id}`
      const gone = await ask('DELETE', `${path}/batch/delete?ids=${ids}`, undefined, { as })
      assert.deepEqual(gone.body.statusCodes, [200, 200])
      assert.equal(gone.text.includes('cret+1'), false)
    })

    test('an edit that sends the mask keeps the stored secret', async () => {
      const { id } = await add({ mailerDsn: dsn })
      const edit = (mailerDsn: string) => ask('PATCH', `${path}/${id}/edit`, { mailerDsn })
      assert.equal((await edit(masked)).body.mailerDsn, dsn)
      const moved = masked.replace(':587', ':2525')
      assert.equal((await edit(moved)).body.mailerDsn, dsn.replace(':587', ':2525'))
      const put = await ask('PUT', `${path}/${id}/edit`, { name: 'put', mailerDsn: masked })
      assert.equal(put.body.mailerDsn, dsn)
      const batch = await ask('PATCH', `${path}/batch/edit`, [{ id, mailerDsn: moved }])
      const [{ mailerDsn }] = batch.body.multipleTransports
      assert.equal(mailerDsn, dsn.replace(':587', ':2525'))
    })

    test('a masked password without a stored password is refused', async () => {
      const created = await ask('POST', `${path}/new`, { name: 'a', mailerDsn: masked })
      assert.deepEqual([created.status, Object.keys(created.body.details)], [400, ['mailerDsn']])
      const put = await ask('PUT', `${path}/999999/edit`, { name: 'a', mailerDsn: masked })
      assert.equal(put.status, 400)
    })

    test('is encrypted in the database, and no secret of it is in the log', async () => {
      const secret = uniqueName('verysecret')
      const { id } = await add({ mailerDsn: `smtp://ann:${secret}@127.0.0.1:9` })
      await ask('POST', `${path}/send/test/${id}?transcript=1`)
      await ask('PATCH', `${path}/${id}/edit`, { mailerDsn: `smtp://${secret}:@:::` })
      const db = shared.service.app.storage.tables<{ transports: Record<string, unknown> }>()
      const rows = await db.selectFrom('transports').selectAll().execute()
      assert.equal(JSON.stringify(rows).includes(secret), false)
      assert.equal(shared.service.logged.join('\n').includes(secret), false)
    })
  })

  describe('the list', () => {
    const prefix = uniqueName('list')

    test('is a bare array in id order, complete without a limit, with its total', async () => {
      const names = Array.from({ length: 35 }, (_, index) => `${prefix} ${(index * 7) % 35}`)
      const rows = names.map((name) => ({ name, mailerDsn: 'null://null' }))
      await ask('POST', `${path}/batch/new`, rows)
      const { body, headers } = await ask('GET', `${path}?search="${prefix}"`)
      const shownNames = body.map((each: TestBody) => each.name)
      assert.deepEqual(shownNames, names)
      const ids = body.map((each: TestBody) => each.id)
      assert.deepEqual(
        ids,
        ids.toSorted((a: number, b: number) => a - b),
      )
      assert.equal(String(headers['x-total-count']), '35')
      assert.equal(headers['link'], undefined)
    })

    test('start and limit select a page, and Link has the next one', async () => {
      const seen: number[] = []
      let url: string | undefined = `${path}?search=${encodeURIComponent(`"${prefix}"`)}&limit=10`
      for (let pages = 0; url !== undefined; pages++) {
        assert.ok(pages < 4, 'the last page links to no next one')
        const { body, headers } = await ask('GET', url)
        assert.equal(String(headers['x-total-count']), '35')
        seen.push(...body.map((each: TestBody) => each.id))
        const link = String(headers['link'])
        assert.match(link, /rel="first"/)
        assert.match(link, /rel="last"/)
        url = /<([^>]+)>; rel="next"/.exec(link)?.[1]
      }
      assert.equal(new Set(seen).size, 35)
      const beyond = await ask('GET', `${path}?search="${prefix}"&start=100&limit=5`)
      assert.deepEqual([beyond.status, beyond.body], [200, []])
      for (const [start, limit, before] of [
        [50_000, 10, 30],
        [36, 100, 0],
        [34, 10, 24],
        [3, 10, 0],
      ]) {
        const page = `${path}?search="${prefix}"&start=${start}&limit=${limit}`
        const link = String((await ask('GET', page)).headers['link'])
        const [, previous = ''] = /<([^>]+)>; rel="prev"/.exec(link) ?? []
        assert.match(previous, new RegExp(`&start=${before}&`), page)
        assert.notEqual((await ask('GET', previous)).body.length, 0, 'it has rows')
      }
      const none = await ask('GET', `${path}?search=ids:0&start=20&limit=10`)
      assert.match(String(none.headers['link']), /&start=0&limit=10>; rel="prev"/)
      const all = await ask('GET', `${path}?search="${prefix}"&limit=0`)
      assert.equal(all.body.length, 35)
      const rest = await ask('GET', `${path}?search="${prefix}"&start=30`)
      assert.equal(rest.body.length, 5)
    })

    test('orderBy and orderByDir order it', async () => {
      await add({ name: `${prefix}-order b`, description: 'x' })
      await add({ name: `${prefix}-order A` })
      await add({ name: `${prefix}-order c` })
      const names = async (query: string) =>
        (await ask('GET', `${path}?search="${prefix}-order"&${query}`)).body.map((each: TestBody) =>
          each.name.at(-1),
        )
      assert.deepEqual(await names('orderBy=name'), ['A', 'b', 'c'])
      assert.deepEqual(await names('orderBy=name&orderByDir=DESC'), ['c', 'b', 'A'])
      assert.deepEqual(await names('orderByDir=DESC'), ['c', 'A', 'b'])
      assert.deepEqual(await names('orderBy=description,name&orderByDir=desc'), ['b', 'c', 'A'])
      assert.deepEqual(await names('order[0][col]=name&order[0][dir]=DESC'), ['c', 'b', 'A'])
    })

    test('search looks into name and description, and never into the DSN', async () => {
      const word = uniqueName('needle')
      const byName = await add({ name: `Ärger ${word}`, mailerDsn: 'smtp://hidden:word@h' })
      const byDescription = await add({ description: `about ${word} %_` })
      await add({ mailerDsn: `smtp://${word}:${word}@h` })
      const found = async (search: string) =>
        (await ask('GET', `${path}?search=${encodeURIComponent(search)}`)).body.map(
          (each: TestBody) => each.id,
        )
      assert.deepEqual(await found(word), [byName.id, byDescription.id])
      assert.deepEqual(await found(word.toUpperCase()), [byName.id, byDescription.id])
      assert.deepEqual(await found(`ärger ${word}`), [byName.id])
      assert.deepEqual(await found(`${word} !ärger`), [byDescription.id])
      assert.deepEqual(await found(`ids:${byName.id},${byDescription.id}`), [
        byName.id,
        byDescription.id,
      ])
      assert.deepEqual(await found(`%_ ${word}`), [byDescription.id], 'taken literally')
    })

    test('published=1 leaves out unpublished transports', async () => {
      const word = uniqueName('published')
      const on = await add({ name: word })
      await add({ name: word, isPublished: false })
      for (const query of ['published=1', 'published=true', 'publishedOnly=1']) {
        const { body, headers } = await ask('GET', `${path}?search=${word}&${query}`)
        const shownIds = body.map((each: TestBody) => each.id)
        assert.deepEqual(shownIds, [on.id])
        assert.equal(String(headers['x-total-count']), '1')
      }
      assert.equal((await ask('GET', `${path}?search=${word}&published=0`)).body.length, 2)
    })
  })

  test('a source_ip that the operator has not listed is refused where it is looked at and saved', async () => {
    const mailerDsn = 'smtp://mail.example.com?source_ip=192.0.2.1'
    const values = { name: 'from there', mailerDsn }
    const inspected = await ask('POST', `${path}/dsn/inspect`, { mailerDsn })
    const { valid, error } = inspected.body
    assert.deepEqual([inspected.status, valid], [200, false])
    assert.match(error, /source_ip .* operator/)
    const { id } = await add()
    for (const refused of [
      await ask('POST', `${path}/new`, values),
      await ask('PATCH', `${path}/${id}/edit`, { mailerDsn }),
      await ask('POST', `${path}/send/test`, { mailerDsn }),
    ]) {
      assert.deepEqual([refused.status, refused.body.details], [400, { mailerDsn: [error] }])
    }
    const listing = await shared.openAnother({ config: { sourceAddresses: ['192.0.2.1'] } })
    assert.ok((await listing.ask('POST', `${path}/dsn/inspect`, { mailerDsn })).body.valid)
    const made = await listing.askFor('POST', `${path}/new`, values)
    // A DSN that does not change is not checked again.
    const off = await ask('PATCH', `${path}/${made.id}/edit`, { isPublished: false })
    assert.deepEqual([off.status, off.body.isPublished], [200, false])
  })

  describe('PATCH and PUT', () => {
    test('PUT replaces: missing fields are reset to their defaults', async () => {
      const { id } = await add({
        description: 'gone soon',
        testedEmailFrom: 'gone@example.com',
        isPublished: false,
      })
      const values = { name: 'put', mailerDsn: 'null://null' }
      const { status, body } = await ask('PUT', `${path}/${id}/edit`, values)
      const { description, testedEmailFrom, isPublished } = body
      assert.deepEqual(
        [status, body.id, body.name, description, testedEmailFrom, isPublished],
        [200, id, 'put', null, null, true],
      )
      const incomplete = await ask('PUT', `${path}/${id}/edit`, { name: 'put' })
      assert.deepEqual(Object.keys(incomplete.body.details), ['mailerDsn'])
    })

    test('PUT of a missing id creates under a new id', async () => {
      const values = { name: 'put', mailerDsn: 'null://null' }
      const { status, body, headers } = await ask('PUT', `${path}/999999/edit`, values)
      assert.equal(status, 201)
      assert.notEqual(body.id, 999_999)
      assert.equal(headers['location'], `${path}/${body.id}`)
      assert.equal((await ask('GET', `${path}/${body.id}`)).body.name, 'put')
    })
  })
})
