import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { addBrandUser } from '../../../test/brand-callers.ts'
import { addTransport, uniqueName } from '../../../test/callers.ts'
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
    own = (await addBrandUser(service, [mautic.brand])).as
    const brand = await addBrand(service)
    other = { brand, as: (await addBrandUser(service, [brand])).as }
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

  test('that was notified of a suppression is named to callers of its brand only', async () => {
    const { service } = shared
    const address = `${uniqueName('ann')}@rcpt.test`
    const contacts = { 9: { email: address } }
    const [first, second] = [
      await addMautic(service, { contacts }),
      await addMautic(service, { contacts }),
    ]
    const ofFirst = (await addBrandUser(service, [first.brand])).as
    const report = {
      address,
      reason: 'bounced',
      contactId: null,
      emailId: null,
      comments: '',
    } as const
    await service.app.mautics.reports.add(
      [first, second].map(({ id: mauticId }) => ({ ...report, mauticId })),
    )
    const values = { address, reason: 'bounced' }
    await service.askFor('POST', '/api/suppressions/new', values)
    const namedTo = async (as?: TestCaller) => {
      const url = `/api/suppressions?address=${address}&with=reportedTo`
      const { body } = await shared.ask('GET', url, undefined, as && { as })
      return body.suppressions[0].reportedTo
    }
    const [one, two] = [first, second].map(({ id, name }) => ({ id, name }))
    assert.deepEqual(await namedTo(ofFirst), [one])
    assert.deepEqual(await namedTo(other.as), [])
    assert.deepEqual(await namedTo(), [one, two])
  })

  test('hears of suppressions of its brand and of all, and of no other', async () => {
    const { service } = shared
    const address = `${uniqueName('ann')}@rcpt.test`
    const contacts = { 9: { email: address } }
    const [first, second] = [
      await addMautic(service, { contacts }),
      await addMautic(service, { contacts }),
    ]
    const actionsOf = async ({ id }: TestMautic) => {
      await service.app.mautics.idle()
      const { reports } = await service.askFor('GET', `/api/mautics/${id}/reports`)
      const ofAddress = reports.filter((each: TestBody) => each.address === address)
      return ofAddress.map(({ action }: TestBody) => action)
    }
    const suppress = async (brand: number | null) => {
      const values = { address, reason: 'manual', brand }
      return (await service.askFor('POST', '/api/suppressions/new', values)).suppression.id
    }
    const lift = (id: number) => service.askFor('DELETE', `/api/suppressions/${id}/delete`)
    const ofFirst = await suppress(first.brand)
    assert.deepEqual([await actionsOf(first), await actionsOf(second)], [['add'], []])
    const ofSecond = await suppress(second.brand)
    assert.deepEqual(await actionsOf(second), ['add'])
    await lift(ofFirst)
    // What was not sent yet is not sent at all.
    assert.ok(!(await actionsOf(first)).includes('add'))
    assert.deepEqual(await actionsOf(second), ['add'])
    // One of all brands goes on for each of them.
    await suppress(null)
    await lift(ofSecond)
    assert.deepEqual([await actionsOf(first), await actionsOf(second)], [['add'], ['add']])
  })
})
