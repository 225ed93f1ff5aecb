import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { addTransport, addUser } from '../callers.ts'
import { logDeliveries } from '../log-deliveries.ts'
import { useScreens } from './test-screens.ts'

/** Longer than findings are kept. */
const keptMs = 10_000

describe('health in the console', () => {
  const console = useScreens()

  test('only administrators see checks, versions, processes, and settings without secrets', async () => {
    const page = await console.open('/health')
    await page.region('In order').waitFor()
    await page.see(process.version)
    await page.see('Answers this page')
    await page.getByText('Settings in force').nth(0).click()
    await page.table('Settings in force').waitFor()
    assert.ok(!(await page.content()).includes('correct horse battery'))
    await console.open('/health', await addUser(console.service, { email: ['view'] }))
    await page.see('Only administrators see the health of Mailyard.')
    assert.equal(await page.link('Health').count(), 0)
  })

  test('the menu counts what the screen has found, also within minutes of the last count', async () => {
    const page = await console.open('/')
    const menu = page.getByRole('navigation', { name: 'Menu' })
    const health = menu.link(/Health.*findings?/)
    await health.waitFor()
    const count = health.locator('.nav-count [aria-hidden]')
    const before = Number(await count.innerText())
    const { service } = console
    const unpublished = { name: 'Gone', mailerDsn: 'inbox://local', isPublished: false }
    const transport = await addTransport(service, unpublished)
    await console.fixture.email(transport.id)
    console.clock.advance(keptMs)
    await health.click()
    await page.link('Open Gone').waitFor()
    const faults = await page
      .locator('main .badge')
      .filter({ hasText: /Problem|Warning/ })
      .count()
    assert.ok(faults > before)
    await count.see(new RegExp(`^${faults}$`))
  })

  test('a finding has buttons that lead to its records, and one that tests a transport', async () => {
    const { service } = console
    const add = (name: string, isPublished: boolean) =>
      addTransport(service, { name, mailerDsn: 'inbox://local', isPublished })
    const old = await add('Old', false)
    await console.fixture.email(old.id)
    const failing = await add('Failing', true)
    await logDeliveries(service, [{ outcome: 'uncertain', recipient: 'ann@rcpt.test' }])
    const webhook = { name: 'Shop events', url: 'http://127.0.0.1:1/', events: ['limit.reached'] }
    const { id: webhookId } = (await console.ask('POST', '/api/webhooks/new', webhook)).webhook
    const tables = service.app.storage.tables<unknown>()
    await sql`insert into webhook_states (webhook_id, failing_since, problem)
      values (${webhookId}, ${Date.now()}, 'The receiver answered 500.')`.execute(tables)
    const minute = Math.floor(console.clock.now() / 60_000) * 60_000
    await sql`insert into delivery_count_changes (started_at, transport_id, source, outcome, change)
      values (${minute}, ${failing.id}, 'smtp', 'refused', 3)`.execute(tables)
    console.clock.advance(keptMs)
    const page = await console.open('/health')
    const hasText = /since .*Problem.*3 of 3 attempts through "Failing" failed/
    await page.region().filter({ hasText }).waitFor()
    await page.button('Test Failing').click()
    await page.locator('.toast').waitFor()
    await page.link('Open Old').click()
    await page.opens('Old')
    await page.goBack()
    await page.link('Open Shop events').click()
    await page.opens('Shop events')
    await page.goBack()
    await page.link('Decide them').click()
    await page.link('ann@rcpt.test').waitFor()
  })
})
