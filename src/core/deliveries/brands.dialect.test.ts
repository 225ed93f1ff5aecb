import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { useBrandUsers } from '../../../test/brand-callers.ts'
import { addTransport, uniqueName } from '../../../test/callers.ts'
import { logDeliveries } from '../../../test/log-deliveries.ts'
import { addBrand } from '../../../test/mautics.ts'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import type { TestBody } from '../../../test/test-app.ts'
import type { DeliveryRow } from '../delivery/table.ts'

const startedAt = Date.parse('2026-03-02T12:00:00Z')

onEachDatabase('the deliveries of a brand', (shared) => {
  const as = useBrandUsers(shared)
  let shop = 0
  let lab = 0
  before(async () => {
    shop = await addBrand(shared.service)
    lab = await addBrand(shared.service)
  })

  const log = async (values: Partial<DeliveryRow>) => {
    const row = { started_at: startedAt, outcome: 'accepted' as const, ...values }
    const [id = 0] = await logDeliveries(shared.service, [row])
    return id
  }
  const ask = async (path: string, ...brands: number[]) =>
    shared.ask('GET', `/api/deliveries${path}`, undefined, await as(...brands))
  const idsOf = ({ body, text }: { body: TestBody; text: string }): number[] => {
    assert.ok(body.deliveries, text)
    return body.deliveries.map(({ id }: TestBody) => id)
  }

  test('are all that its callers list, search, count and export; those of none are not among them', async () => {
    const recipient = `${uniqueName('r')}@rcpt.test`
    const ofOne = (brand_id: number) => log({ brand_id, recipient, recipient_key: recipient })
    const [none, ofShop, ofLab] = [await ofOne(0), await ofOne(shop), await ofOne(lab)]
    const query = `?recipient=${recipient}&total=1`
    assert.deepEqual(idsOf(await shared.ask('GET', `/api/deliveries${query}`)), [
      ofLab,
      ofShop,
      none,
    ])
    assert.deepEqual(idsOf(await ask(query, shop)), [ofShop])
    assert.deepEqual(idsOf(await ask(query, shop, lab)), [ofLab, ofShop])
    assert.deepEqual(idsOf(await ask(query)), [])
    assert.deepEqual(idsOf(await ask(`?search=${recipient}`, shop)), [ofShop])
    assert.deepEqual(idsOf(await ask(`?recipient=${recipient.slice(0, -4)}*`, lab)), [ofLab])
    const { body } = await ask('?total=1', shop)
    assert.equal(body.total, body.deliveries.length)
    const lines = (await ask(`.csv?recipient=${recipient}`, shop)).text.trim().split('\r\n')
    assert.deepEqual([lines.length, lines[1]?.split(',')[0]], [2, String(ofShop)])
  })

  test('are found with brand=, page by page, and by no one who does not have the brand', async () => {
    const only = await addBrand(shared.service)
    const ids: number[] = []
    for (let index = 0; index < 5; index += 1) ids.unshift(await log({ brand_id: only }))
    const found: number[] = []
    for (let next = ''; ; ) {
      const page = await shared.askFor('GET', `/api/deliveries?brand=${only}&limit=2${next}`)
      found.push(...page.deliveries.map(({ id }: TestBody) => id))
      if (page.next === null) break
      next = `&next=${page.next}`
    }
    assert.deepEqual(found, ids)
    assert.equal((await ask(`?brand=${only}&total=1`, only, lab)).body.total, 5)
    assert.equal((await ask(`.csv?brand=${only}`, only, lab)).text.trim().split('\r\n').length, 6)
    assert.deepEqual(idsOf(await ask(`?brand=${only}`, shop)), [])
    const { deliveries } = await shared.askFor('GET', '/api/deliveries?brand=0&limit=1000')
    assert.ok(deliveries.every((each: TestBody) => !('brand' in each)))
  })

  test('are read, settled and settled in batches by its callers only', async () => {
    const uncertain = () => log({ brand_id: shop, outcome: 'uncertain' })
    const [one, other] = [await uncertain(), await uncertain()]
    const decision = { outcome: 'accepted' }
    const settle = async (...brands: number[]) =>
      shared.ask('POST', `/api/deliveries/${one}/settle`, decision, await as(...brands))
    const missing = await ask('/999999', lab)
    for (const answer of [await ask(`/${one}`, lab), await ask(`/${one}`), await settle(lab)])
      assert.deepEqual([answer.status, answer.body], [missing.status, missing.body])
    const settleMany = async (...brands: number[]) => {
      const body = { ids: [other, 999_999], ...decision }
      return (await shared.ask('POST', '/api/deliveries/batch/settle', body, await as(...brands)))
        .body
    }
    const { statusCodes, errors } = await settleMany(lab)
    assert.deepEqual(statusCodes, [404, 404])
    assert.deepEqual(errors[0], errors[1])
    assert.equal((await ask(`/${other}`, shop)).body.delivery.outcome, 'uncertain')
    assert.deepEqual((await settleMany(shop)).statusCodes, [200, 404])
    const settled = (await settle(shop)).body.delivery
    assert.deepEqual([settled.outcome, settled.brand], ['accepted', shop])
  })

  test('are shown without the attempts, recipients and contacts of another brand', async () => {
    const contact = { email: `${uniqueName('c')}@rcpt.test`, brand: lab }
    const { id } = (await shared.askFor('POST', '/api/contacts/new', contact)).contact
    const message = { message_id: `<${uniqueName('m')}@shop.test>`, contact_id: id }
    const to = (name: string) => ({ recipient: `${name}@x.test`, recipient_key: `${name}@x.test` })
    const own = await log({ ...message, ...to('ann'), brand_id: shop })
    await log({ ...message, ...to('ann'), brand_id: lab, started_at: startedAt + 1_000 })
    await log({ ...message, ...to('bob'), brand_id: lab })
    const { attempts, recipients, contact: shown } = (await ask(`/${own}`, shop)).body
    assert.deepEqual(
      attempts.map((each: TestBody) => each.id),
      [own],
    )
    assert.deepEqual([recipients, shown], [[], null])
    const all = (await shared.ask('GET', `/api/deliveries/${own}`)).body
    assert.deepEqual([all.attempts.length, all.recipients.length], [2, 1])
    assert.equal(all.contact.id, id)
  })

  test('name no transport of another brand: neither their routes nor advice about a name', async () => {
    const name = uniqueName('Secret relay')
    const hidden = await addTransport(shared.service, { name, brand: lab })
    await addTransport(shared.service, { name, brand: lab })
    const step = { source: 'email', outcome: 'skipped', reason: 'it is assigned to email 1' }
    const steps = [
      { ...step, transport: { id: hidden.id, name } },
      { ...step, transport: null },
    ]
    const id = await log({ brand_id: shop, trace: JSON.stringify(steps) })
    const { body, text } = await ask(`/${id}`, shop)
    assert.equal(body.delivery.trace.length, 1)
    assert.doesNotMatch(text, /Secret/)
    const ofLab = await ask(`?transport=${encodeURIComponent(name)}`, lab)
    assert.equal(ofLab.status, 400)
    for (const asked of [name, name.slice(0, -1)]) {
      const { warnings } = (await ask(`?transport=${encodeURIComponent(asked)}`, shop)).body
      assert.doesNotMatch(warnings[0], /Did you mean/)
    }
  })
})
