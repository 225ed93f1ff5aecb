import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { addBrandUser } from '../../../../test/brand-callers.ts'
import { addEmail, addTransport, addUser, uniqueName } from '../../../../test/callers.ts'
import { logDeliveries } from '../../../../test/log-deliveries.ts'
import { addBrand } from '../../../../test/mautics.ts'
import { onMailyard } from '../../../../test/on-each-database.ts'
import type { TestBody, TestCaller } from '../../../../test/test-app.ts'

const path = '/api/multipleTransport'

onMailyard('routes and uses of transports', { isOwn: true }, (shared) => {
  let brand: number
  let other: number
  let as: TestCaller
  before(async () => {
    brand = await addBrand(shared.service)
    other = await addBrand(shared.service)
    as = (await addBrandUser(shared.service, [brand])).as
  })
  const add = async (ofBrand?: number) =>
    (await addTransport(shared.service, { mailerDsn: 'inbox://local', brand: ofBrand })).id
  const addAssigned = async (transportId: number, ofBrand: number | undefined) => {
    const { id } = await addEmail(shared.service, { plainText: 'Hello', brand: ofBrand })
    await shared.askFor('POST', `${path}/transportEmail/${id}`, { transportId })
    return id as number
  }
  const resolve = async (query: string) => {
    const { status, text, body } = await shared.ask('GET', `${path}/resolve?${query}`, undefined, {
      as,
    })
    return { status, text, body }
  }

  test('are asked with the brand of the caller: what is of another one does not exist', async () => {
    const hidden = await add(other)
    const hiddenName = uniqueName('hidden')
    await shared.askFor('PATCH', `/api/multipleTransports/${hidden}/edit`, { name: hiddenName })
    const foreign = await addAssigned(hidden, other)
    const own = await addAssigned(await add(brand), brand)
    assert.ok((await resolve(`emailId=${own}`)).body.transport.id > 0)
    for (const [query, missing] of [
      [`emailId=${foreign}`, 'emailId=999999'],
      [`transport=${hidden}`, 'transport=999999'],
      [`transport=${hiddenName}`, 'transport=nowhere'],
    ] as const) {
      const [found, none] = [await resolve(query), await resolve(missing)]
      const [id = ''] = query.split('=').slice(1)
      const [none0 = ''] = missing.split('=').slice(1)
      assert.equal(found.status, none.status)
      assert.equal(found.text.replaceAll(id, '?'), none.text.replaceAll(none0, '?'), query)
    }
    // Without an email, the brand of the caller decides about each transport too.
    const ofUser = await addUser(shared.service, {})
    await shared.askFor('POST', `${path}/transportUser/${ofUser.id}`, { transportId: hidden })
    const { body, text } = await resolve(`from=${ofUser.email}`)
    assert.notEqual(body.transport?.id, hidden)
    assert.ok(!text.includes(hiddenName), text)
  })

  test('of a preview and of a test are those of a message of the caller', async () => {
    const domains = ['shop.test', 'lab.test']
    const [shop, lab] = await Promise.all(
      domains.map((domain) => addBrand(shared.service, { domains: [domain] })),
    )
    const user = await addBrandUser(shared.service, [shop ?? 0, lab ?? 0])
    const [ofShop, ofLab, hidden] = [await add(shop), await add(lab), await add(other)]
    const post = (url: string, named: number, from: string) => {
      const headers = { 'X-Mailyard-Transport': String(named) }
      const email = { subject: 'Hi', plainText: 'Hello', fromAddress: from, headers }
      return shared.ask('POST', `/api/emails/${url}`, { email }, { as: user.as })
    }
    for (const [named, from, isTaken] of [
      [ofShop, 'news@shop.test', true],
      [ofLab, 'news@lab.test', true],
      [ofLab, 'news@shop.test', false],
      [hidden, 'news@shop.test', false],
    ] as const) {
      const { body } = await post('preview', named, from)
      assert.equal(body.route.transport?.id, isTaken ? named : undefined, body.route.problem)
      const test = await post('send/test', named, from)
      assert.equal(test.body.success, isTaken, test.text)
    }
  })

  test('of a drill are those of emails and messages that the caller sees', async () => {
    const shown = await add()
    const own = await addAssigned(shown, brand)
    const foreign = await addAssigned(shown, other)
    const ofAll = await addAssigned(shown, undefined)
    const user = await addUser(shared.service, {})
    await shared.askFor('POST', `${path}/transportUser/${user.id}`, { transportId: shown })
    const sent = {
      transport_id: shown,
      outcome: 'accepted',
      started_at: shared.clock.now() - 1,
    } as const
    const deliveries = [brand, other, other, 0].map((brand_id) => ({ ...sent, brand_id }))
    await logDeliveries(shared.service, deliveries)
    const drill = (caller?: TestCaller) =>
      shared.askFor('POST', `${path}/drill`, { down: [shown] }, caller && { as: caller })
    const [few, all] = [await drill(as), await drill()]
    const emailsOf = (report: TestBody) =>
      report.emails.items
        .map(({ email }: TestBody) => email.id)
        .sort((a: number, b: number) => a - b)
    assert.deepEqual(emailsOf(few), [own, ofAll])
    assert.deepEqual(emailsOf(all), [own, foreign, ofAll])
    const countOf = (report: TestBody) =>
      report.targets.reduce((sum: number, each: TestBody) => sum + each.deliveries, 0)
    assert.deepEqual([countOf(few), countOf(all)], [1, 4])
    assert.deepEqual([few.users.total, all.users.total], [0, 1])
    const { status } = await shared.ask(
      'POST',
      `${path}/drill`,
      { down: [await add(other)] },
      { as },
    )
    assert.equal(status, 404)
  })

  test('that are counted for a list are those of emails that the caller sees', async () => {
    const shown = await add()
    const own = await addAssigned(shown, brand)
    for (let count = 0; count < 2; count += 1) await addAssigned(shown, other)
    const ofAll = await addAssigned(shown, undefined)
    const list = (url: string, caller?: TestCaller) =>
      shared.ask('GET', `/api/${url}&with=usage`, undefined, caller && { as: caller })
    const usesOf = async (caller?: TestCaller) => {
      const { body } = await list(`multipleTransports?search=ids:${shown}`, caller)
      return body[0].usage
    }
    assert.deepEqual(await usesOf(as), { emails: 2, users: 0, mautics: 0 })
    assert.deepEqual(await usesOf(), { emails: 4, users: 0, mautics: 0 })
    // An email of all brands is sent by others too.
    const sent = { outcome: 'accepted', started_at: shared.clock.now() - 1 } as const
    await logDeliveries(shared.service, [
      { ...sent, email_id: own, brand_id: brand },
      { ...sent, email_id: ofAll, brand_id: other },
    ])
    const { emails } = (await list(`emails?search=ids:${own},${ofAll}`, as)).body
    assert.deepEqual(
      [own, ofAll].map((id) => emails[id].usage.outcomes),
      [{ accepted: 1 }, {}],
    )
    assert.equal(emails[ofAll].usage.lastSent, null)
  })
})
