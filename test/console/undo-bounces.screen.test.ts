import assert from 'node:assert/strict'
import { before, beforeEach, describe, test } from 'node:test'
import type { QueueTables } from '../../src/core/queue/table.ts'
import { addTransport, addUser } from '../callers.ts'
import { brakedGroup } from '../queue/braked-group.ts'
import { useScreens } from './test-screens.ts'

describe('bounces found by mistake, in the console', () => {
  const console = useScreens()
  let transportId: number
  before(async () => {
    transportId = (await addTransport(console.service, { name: 'Wrong relay' })).id
  })
  beforeEach(async () => {
    const { suppressions } = console.service.app
    await console.ask('POST', '/api/suppressions/delete', { reason: 'bounced' })
    const found = { transport_id: transportId }
    const ofDefault = { transport_id: null }
    const bounces = { 'ann@a.test': found, 'bob@a.test': found, 'cid@a.test': ofDefault }
    await suppressions.add(
      Object.entries(bounces).map(([address, evidence], index) => ({
        address,
        reason: 'bounced' as const,
        source: `delivery ${index + 1}`,
        evidence: { ...evidence, delivery_id: index + 1 },
      })),
    )
  })

  const row = (name: string | RegExp) => console.page.row(name)
  const addresses = async () => {
    const body = await console.ask('GET', '/api/suppressions?orderBy=address')
    return body.suppressions.map(({ address }: { address: string }) => address)
  }

  test('name the transport and the delivery that found them', async () => {
    await console.open('/suppressions')
    await row(/ann@a\.test .*Wrong relay/).waitFor()
    const links = row(/ann@a\.test/).link()
    const hrefs = links.elements().map((link) => link.getAttribute('href'))
    assert.deepEqual(hrefs, [
      '/deliveries?recipient=ann%40a.test',
      `/transports/${transportId}`,
      '/deliveries/1',
    ])
    await row(/cid@a\.test/)
      .link('Default transport')
      .click()
    await row('ann@a.test').gone()
    await row(/cid@a\.test/).waitFor()
  })

  test('are listed from the page of their transport, and deleted since a time', async () => {
    const page = await console.open(`/transports/${transportId}`)
    await page.link('Show the bounces').click()
    await row(/bob@a\.test/).waitFor()
    await page.button('Transport: Wrong relay').nth(0).waitFor()
    await page.button('Delete all that match…').click()
    const dialog = page.dialog()
    await dialog.enter({ 'Added since': '2100-01-01T00:00' })
    const none = dialog.button('Delete 0 suppressions')
    await none.waitFor()
    assert.ok(await none.isDisabled())
    await dialog.enter({ 'Added since': '2000-01-01T00:00' })
    await dialog.button('Delete 2 suppressions').click()
    await page.see('Deleted: 2 suppressions.')
    assert.deepEqual(await addresses(), ['cid@a.test'])
  })

  test('are linked where a brake holds bulk messages', async () => {
    const db = console.service.app.storage.tables<QueueTables>()
    const group = { sender_domain: 'a.test', transport_id: transportId }
    await db
      .insertInto('queue_brakes')
      .values({ ...brakedGroup, ...group })
      .execute()
    const page = await console.open('/queue')
    const notice = page.getByRole('alert').filter({ hasText: '58 of the last 60 attempts' })
    const link = notice.link('Show the bounces')
    assert.equal(await link.getAttribute('href'), `/suppressions?transportId=${transportId}`)
  })

  test('keep their transport from a user who may not view transports, and offer no deletion without the permission', async () => {
    const viewer = await addUser(console.service, { contact: ['view'], email: ['view'] })
    const page = await console.open('/suppressions', viewer)
    await row(/ann@a\.test .*delivery 1/).waitFor()
    assert.equal(await page.getByText('Wrong relay').count(), 0)
    assert.equal(await page.getByText('Default transport').count(), 0)
    assert.equal(await page.button(/^Delete/).count(), 0)
    await page.button('+ Filter').click()
    assert.equal(await page.button('Transport').count(), 0)
  })
})
