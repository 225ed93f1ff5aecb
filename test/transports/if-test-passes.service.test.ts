import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { asAdmin } from '../administrator.ts'
import { addClientCaller, addTransport, addUser, uniqueName } from '../callers.ts'
import { startHoldingServer } from '../holding-server.ts'
import { type MailServerOptions, openMailServer } from '../mail-server.ts'
import { onMailyard } from '../on-each-database.ts'
import type { TestBody } from '../test-app.ts'
import { until } from '../until.ts'

const path = '/api/multipleTransports'
const asked = 'ifTestPasses=1'
const login = { username: 'ann', password: 's3cret' }

onMailyard('saving a transport if its test passes', { isOwn: true }, (shared) => {
  const { ask, askFor } = shared
  const edit = (id: number) => `${path}/${id}/edit?${asked}`
  const read = async (id: number): Promise<TestBody> =>
    (await ask('GET', `${path}?search=ids:${id}&with=lastTest`)).body[0]
  const countOf = async (name: string) =>
    (await ask('GET', `${path}?search=${name}`)).body.length as number
  const openServer = async (t: TestContext, options: MailServerOptions = {}) => {
    const server = await openMailServer(options)
    t.after(() => server.close())
    const dsnOf = (user = '') => `smtp://${user}127.0.0.1:${server.port}`
    return { server, dsnOf }
  }
  const openHolding = async (t: TestContext) => {
    const server = await startHoldingServer()
    t.after(() => server.close())
    return server
  }
  /** A client without an address: its tests are sent to `testedEmailFrom`. */
  const addClient = async () =>
    (await addClientCaller(shared.service, { multipleTransports: ['full'] })).as

  test('creates and changes it, and remembers the test as its last one', async (t) => {
    const { server, dsnOf } = await openServer(t, { login })
    const name = uniqueName('tested')
    const values = { name, mailerDsn: dsnOf('ann:s3cret@') }
    const made = await ask('POST', `${path}/new?${asked}`, values)
    assert.equal(made.status, 201, made.text)
    const { id } = made.body
    assert.equal(made.headers['location'], `${path}/${id}`)
    assert.equal((await read(id)).lastTest.success, true)
    const changes = { mailerDsn: `${dsnOf('ann:********@')}?timeout=20` }
    const changed = await ask('PATCH', edit(id), changes)
    assert.equal(changed.status, 200, changed.text)
    assert.equal(changed.body.mailerDsn, `${dsnOf('ann:s3cret@')}?timeout=20`)
    const again = await ask('PATCH', edit(id), { description: 'With the same DSN' })
    assert.equal(again.status, 200, again.text)
    const replaced = await ask('PUT', edit(id), { ...values, name: `${name} again` })
    assert.equal(replaced.status, 200, replaced.text)
    const same = await ask('PUT', edit(id), { ...values, name: `${name} again` })
    assert.equal(same.headers['etag'], replaced.headers['etag'], 'nothing is changed')
    assert.equal(server.received.length, 5)
    assert.ok(server.received.every(({ to }) => to[0] === 'admin@localhost'))
    assert.equal((await read(id)).lastTest.success, true)
  })

  test('answers a failed test with its report, and changes nothing', async (t) => {
    const { dsnOf } = await openServer(t, { login })
    const good = { name: uniqueName('kept'), mailerDsn: dsnOf('ann:s3cret@') }
    const { id } = (await ask('POST', `${path}/new?${asked}`, good)).body
    const before = await read(id)
    const bad = { name: uniqueName('refused'), mailerDsn: dsnOf('ann:hunter2@') }
    for (const [method, url] of [
      ['POST', `${path}/new?${asked}`],
      ['PATCH', edit(id)],
      ['PUT', edit(id)],
      ['PUT', edit(999_999)],
    ] as const) {
      const { status, body, text } = await ask(method, url, bad)
      assert.equal(status, 400, text)
      const { test: report } = body
      assert.deepEqual([body.success, report.success], [false, false])
      const failed = report.stages.find((each: TestBody) => each.outcome === 'failed')
      assert.deepEqual([failed.stage, typeof failed.hint], ['auth', 'string'])
      assert.equal(text.includes('hunter2'), false)
    }
    assert.deepEqual(await read(id), before)
    assert.equal(await countOf(bad.name), 0)
    assert.equal(shared.service.logged.join('\n').includes('hunter2'), false)
  })

  test('tests the stored DSN where an edit names none, and sends nothing for an edit that has other faults', async (t) => {
    const { server, dsnOf } = await openServer(t, { refusal: { code: 550, message: 'closed' } })
    const { id } = await addTransport(shared.service, { mailerDsn: dsnOf() })
    const renamed = await ask('PATCH', edit(id), { description: 'not stored' })
    assert.equal(renamed.status, 400)
    assert.match(renamed.body.error, /closed/)
    assert.equal((await read(id)).description, null)
    const { dsnOf: other, server: unused } = await openServer(t)
    const mailerDsn = other()
    const faulty = await ask('PATCH', edit(id), { mailerDsn, brand: 999_999 })
    assert.equal(faulty.status, 404)
    const stale = await ask('PATCH', edit(id), { mailerDsn }, { headers: { 'if-match': '"99"' } })
    assert.equal(stale.status, 409)
    const unnamed = await ask('POST', `${path}/new?${asked}`, { mailerDsn })
    assert.deepEqual(Object.keys(unnamed.body.details), ['name'])
    assert.equal(unused.received.length + server.received.length, 0)
  })

  test('stores only what was tested: an edit in the meantime is answered 409', async (t) => {
    const holding = await openHolding(t)
    const { server, dsnOf } = await openServer(t, { login })
    const mailerDsn = holding.dsn.replace('//', '//ann:one@')
    for (const [values, others] of [
      // The masked secret would become another one.
      [
        { mailerDsn: mailerDsn.replace('one', '********') },
        { mailerDsn: mailerDsn.replace('one', 'two') },
      ],
      [{ description: 'mine' }, { mailerDsn: dsnOf('ann:s3cret@') }],
      [{ mailerDsn: `${holding.dsn}?timeout=20` }, { name: uniqueName('renamed') }],
    ] as const) {
      const { id } = await addTransport(shared.service, { mailerDsn: holding.dsn, name: 'Race' })
      await ask('PATCH', `${path}/${id}/edit`, { mailerDsn })
      const mine = ask('PATCH', edit(id), values)
      await until(() => holding.held.length === 1, 'the test waits for the server')
      const theirs = await askFor('PATCH', `${path}/${id}/edit`, others)
      holding.release('admin@localhost')
      assert.equal((await mine).status, 409)
      const { lastTest: _, ...stored } = await read(id)
      assert.deepEqual(stored, theirs)
    }
    assert.equal(server.received.length, 0)
  })

  test('of two edits at once, only one is stored', async (t) => {
    const holding = await openHolding(t)
    const as = await addClient()
    const { id } = await addTransport(shared.service, {})
    const edits = ['one', 'two'].map((name) => {
      const values = { mailerDsn: holding.dsn, testedEmailFrom: `${name}@example.com` }
      return ask('PATCH', edit(id), values, { as })
    })
    await until(() => holding.held.length === 2, 'both tests wait for the server')
    holding.release('one@example.com')
    assert.equal((await edits[0])?.status, 200)
    holding.release('two@example.com')
    assert.equal((await edits[1])?.status, 409)
    assert.equal((await read(id)).testedEmailFrom, 'one@example.com')
  })

  test('of a transport that is deleted meanwhile stores nothing', async (t) => {
    const holding = await openHolding(t)
    const { id } = await addTransport(shared.service, { mailerDsn: holding.dsn })
    const mine = ask('PATCH', edit(id), { description: 'late' })
    await until(() => holding.held.length === 1, 'the test waits for the server')
    await ask('DELETE', `${path}/${id}/delete`)
    holding.release('admin@localhost')
    assert.equal((await mine).status, 409)
    assert.equal((await ask('GET', `${path}/${id}`)).status, 404)
  })

  test('in a batch, an item whose test fails has its report, and stops no other', async (t) => {
    const { server, dsnOf } = await openServer(t, { login })
    const [good, bad] = [dsnOf('ann:s3cret@'), dsnOf('ann:hunter2@')]
    const made = await ask('POST', `${path}/batch/new?${asked}`, [
      { name: 'first', mailerDsn: good },
      { name: 'second', mailerDsn: bad },
      { name: 'third' },
      { name: 'fourth', mailerDsn: good },
    ])
    assert.equal(made.status, 201, made.text)
    assert.deepEqual(made.body.statusCodes, [201, 400, 400, 201])
    assert.deepEqual(Object.keys(made.body.errors), ['1', '2'])
    const { code, test: report } = made.body.errors[1]
    assert.deepEqual([code, report.success], [400, false])
    assert.equal('test' in made.body.errors[2], false)
    assert.equal(made.text.includes('hunter2'), false)
    assert.equal(server.received.length, 2)
    const [first, , , fourth] = made.body.multipleTransports
    const edited = await ask('PATCH', `${path}/batch/edit?${asked}&fields=id`, [
      { id: first.id, mailerDsn: bad },
      { id: fourth.id, description: 'tested' },
    ])
    assert.deepEqual(edited.body.statusCodes, [400, 200])
    assert.equal(edited.body.errors[0].test.success, false)
    assert.equal((await read(first.id)).mailerDsn, good)
    assert.equal((await read(fourth.id)).lastTest.success, true)
  })

  test('in an atomic batch, nothing is stored if one test fails, and nothing is tested if an item has other faults', async (t) => {
    const { server, dsnOf } = await openServer(t, { login })
    const name = uniqueName('atomic')
    const [good, bad] = [
      { name, mailerDsn: dsnOf('ann:s3cret@') },
      { name, mailerDsn: dsnOf('ann:hunter2@') },
    ]
    const url = `${path}/batch/new?${asked}&atomic=1`
    const failed = await ask('POST', url, [good, bad, good])
    assert.deepEqual([failed.status, failed.body.statusCodes], [400, [424, 400, 424]])
    assert.equal(failed.body.errors[1].test.success, false)
    assert.equal(await countOf(name), 0)
    assert.equal(server.received.length, 2)
    const faulty = await ask('POST', url, [good, { ...good, brand: 999_999 }])
    assert.deepEqual(faulty.body.statusCodes, [424, 404])
    assert.equal(server.received.length, 2)
    const passed = await ask('POST', url, [good, good])
    assert.deepEqual([passed.status, passed.body.statusCodes], [201, [201, 201]])
    assert.equal(await countOf(name), 2)
  })

  test('ten tests run at a time, those of all requests together, and callers take turns', async (t) => {
    const holding = await openHolding(t)
    const [first, second, third] = [await addClient(), await addClient(), await addClient()]
    const itemsOf = (owner: string, count: number) =>
      Array.from({ length: count }, (_, index) => ({
        name: uniqueName('limited'),
        mailerDsn: holding.dsn,
        testedEmailFrom: `${owner}${index}@example.com`,
      }))
    const url = `${path}/batch/new?${asked}`
    const batches = [ask('POST', url, itemsOf('first', 12), { as: first })]
    await until(() => holding.held.length === 10, 'ten tests run')
    batches.push(ask('POST', url, itemsOf('second', 12), { as: second }))
    const [item] = itemsOf('third', 1)
    const single = ask('POST', `${path}/new?${asked}`, item, { as: third })
    let most = 0
    const done: string[] = []
    const releaseOne = async () => {
      await until(() => holding.held.length > 0, 'a test runs')
      most = Math.max(most, holding.held.length)
      const [recipient = ''] = holding.held
      done.push(recipient)
      holding.release(recipient)
    }
    while (done.length < 25) await releaseOne()
    for (const batch of batches)
      assert.deepEqual(new Set((await batch).body.statusCodes), new Set([201]))
    assert.equal((await single).status, 201)
    assert.equal(most, 10)
    const place = done.indexOf('third0@example.com')
    assert.ok(place < 14, `the only test of its caller was number ${place + 1}`)
  })

  test('needs multipleTransports: edit', async (t) => {
    const { server, dsnOf } = await openServer(t)
    const { as } = await addUser(shared.service, { multipleTransports: ['view', 'create'] })
    const values = { name: uniqueName('creator'), mailerDsn: dsnOf() }
    for (const [url, body] of [
      [`${path}/new?${asked}`, values],
      [`${path}/batch/new?${asked}`, [values]],
    ] as const)
      assert.equal((await ask('POST', url, body, { as })).status, 403)
    assert.equal(await countOf(values.name), 0)
    assert.equal(server.received.length, 0)
    assert.equal((await ask('POST', `${path}/new?ifTestPasses=0`, values, { as })).status, 201)
  })

  let listening: Promise<string> | undefined
  for (const kind of ['new', 'edit', 'batch/new', 'batch/edit'] as const)
    test(`a client that disconnects stops the test, and nothing is stored (${kind})`, async (t) => {
      // It accepts the connections and never greets.
      const sockets: Socket[] = []
      const silent = createServer((socket) => {
        sockets.push(socket.on('error', () => undefined).resume())
      }).listen(0, '127.0.0.1')
      t.after(() => silent.close())
      await once(silent, 'listening')
      const mailerDsn = `smtp://127.0.0.1:${(silent.address() as AddressInfo).port}`
      const name = uniqueName('left')
      const { id } = await addTransport(shared.service, {})
      const values = { ...(kind.endsWith('edit') ? { id } : {}), name, mailerDsn }
      const body = kind.startsWith('batch')
        ? [values, { ...values, mailerDsn: 'null://null' }]
        : values
      listening ??= shared.service.listen()
      const client = new AbortController()
      const url = `${await listening}${kind === 'edit' ? edit(id) : `${path}/${kind}?${asked}`}`
      const answer = fetch(url, {
        method: kind.endsWith('edit') ? 'PATCH' : 'POST',
        headers: { authorization: asAdmin, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: client.signal,
      })
      await until(() => sockets.length === 1, 'the test has connected')
      const closed = sockets[0] && once(sockets[0], 'close')
      client.abort()
      await assert.rejects(answer, /abort/i)
      await closed
      // The next test of this process finds a free place, and is stored after what may not be.
      assert.equal((await ask('PATCH', edit(id), { mailerDsn: 'null://null' })).status, 200)
      assert.equal(await countOf(name), 0)
    })

  test('is refused where there is none, where it is misspelled, and with a dry run', async () => {
    const { id } = await addTransport(shared.service, {})
    const values = { name: uniqueName('misspelled'), mailerDsn: 'null://null' }
    for (const [method, url, body, fault] of [
      ['POST', `${path}/new?if_test_passes=1`, values, /is unknown; write ifTestPasses/],
      ['POST', `${path}/batch/new?ifTestPassed=1`, [values], /is unknown; write ifTestPasses/],
      ['POST', `${path}/batch/new?${asked}&dryRun=1`, [values], /dryRun is not available/],
      ['DELETE', `${path}/${id}/delete?${asked}`, undefined, /ifTestPasses is not available here/],
      ['POST', `/api/contacts/new?${asked}`, { email: 'a@b.test' }, /is not available here/],
      ['POST', `${path}/new?ifTestPasses=`, values, /must be 1, true, yes or on/],
    ] as const) {
      const refused = await ask(method, url, body)
      assert.equal(refused.status, 400, url)
      assert.match(refused.text, fault)
    }
    assert.equal(await countOf(values.name), 0)
    assert.equal((await ask('GET', `${path}/${id}`)).status, 200)
  })
})
