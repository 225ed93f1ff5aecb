import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { addTransport, uniqueName } from '../../../test/callers.ts'
import { addLimitedUser } from '../../../test/limited-callers.ts'
import {
  addBrand,
  addMautic,
  connectMautic,
  markReinstalled,
  type TestMautic,
  useMauticDouble,
} from '../../../test/mautics.ts'
import { onMailyard } from '../../../test/on-each-database.ts'
import type { TestBody, TestCaller } from '../../../test/test-app.ts'

onMailyard('a Mautic', (shared) => {
  const double = useMauticDouble()
  let mautic: TestMautic
  let own: TestCaller
  let other: { brand: number; as: TestCaller }
  before(async () => {
    const { service } = shared
    mautic = await addMautic(service, { emails: [5] })
    own = (await addLimitedUser(service, [mautic.brand])).as
    const brand = await addBrand(service)
    other = { brand, as: (await addLimitedUser(service, [brand])).as }
  })
  const askAs =
    (as: TestCaller) => (method: 'GET' | 'POST' | 'PATCH', path: string, body?: object) =>
      shared.ask(method, `/api/mautics${path}`, body, { as })

  test('does not exist for callers of another brand, and nothing is done to it for them', async () => {
    const { id } = mautic
    // One without a brand is not shown to callers with brands either.
    const ofNone = await connectMautic(shared.service, double)
    await markReinstalled(shared.service, id)
    mautic.double.requests.length = 0
    const answers = async (target: number) => {
      const found: unknown[] = []
      for (const [method, path, body] of [
        ['GET', ''],
        ['PATCH', '/edit', { name: 'mine' }],
        ['PATCH', '/edit', { newPassword: true }],
        ['DELETE', '/delete'],
        ['POST', '/check', {}],
        ['POST', '/accept', {}],
        ['POST', '/webhook', {}],
        ['DELETE', '/webhook/delete'],
        ['GET', '/reports'],
        ['POST', '/reports/1/retry', {}],
        ['DELETE', '/reports/1/delete'],
      ] as const) {
        const url = `/api/mautics/${target}${path}`
        const { status, text } = await shared.ask(method, url, body, { as: other.as })
        assert.equal(status, 404, `${method} ${url}: ${text}`)
        found.push(text.replaceAll(String(target), 'ID'))
      }
      return found
    }
    const missing = await answers(999_999)
    assert.deepEqual(await answers(id), missing)
    assert.deepEqual(await answers(ofNone.id), missing)
    assert.deepEqual(mautic.double.requests, [])
    for (const query of ['', '?with=status'])
      assert.deepEqual((await askAs(other.as)('GET', query)).body, { total: 0, mautics: [] })
    const shown = (await askAs(own)('GET', '?with=status')).body.mautics as TestBody[]
    assert.deepEqual(
      shown.map((each) => each.id),
      [id],
    )
    assert.equal((await askAs(own)('POST', `/${id}/accept`, {})).status, 200)
    assert.equal((await askAs(own)('GET', `/${id}/reports`)).status, 200)
  })

  test('is not named to a caller of another brand whose Mautic wants its name or host', async () => {
    const { url, client } = double
    const hosts = [`${uniqueName('host')}.example.com`]
    const { name } = await connectMautic(shared.service, double, { hosts, brand: mautic.brand })
    const connect = (as: TestCaller, values: object) =>
      askAs(as)('POST', '/new', { name: uniqueName('mine'), url, ...client, ...values })
    const taken = await connect(other.as, { name })
    assert.equal(taken.status, 409)
    assert.match(taken.body.error, /^Another Mautic is named/)
    const hosted = await connect(other.as, { hosts })
    assert.equal(hosted.status, 409)
    assert.ok(!hosted.text.includes(name), hosted.text)
    assert.match((await connect(own, { hosts })).text, new RegExp(name))
  })

  test('cannot have a transport that its caller does not see', async () => {
    const { url, client } = double
    const { id } = await addTransport(shared.service, { brand: mautic.brand })
    const connect = (transportId: number) =>
      askAs(other.as)('POST', '/new', { name: uniqueName('mine'), url, ...client, transportId })
    const hidden = await connect(id)
    const missing = await connect(999_999)
    assert.equal(missing.status, 404)
    assert.equal(hidden.status, 404)
    assert.equal(hidden.text, missing.text.replace('999999', String(id)))
  })
})
