import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { addEmail, addTransport, addUser } from '../callers.ts'
import { logDeliveries } from '../log-deliveries.ts'
import { until } from '../until.ts'
import { exact } from './part.ts'
import { useScreens } from './test-screens.ts'

describe('health in the console', () => {
  const console = useScreens()

  test('administrators see checks, versions, processes, and settings without secrets', async () => {
    const page = await console.open('/health')
    await page.getByRole('table', { name: 'Checks' }).waitFor()
    await page.getByText(process.version, exact).waitFor()
    await page.see('Answers this page')
    await page.getByText('Settings in force').first().click()
    await page.getByRole('table', { name: 'Settings in force' }).waitFor()
    assert.ok(!(await page.content()).includes('correct horse battery'))
  })

  test('the menu counts what the screen has found, also within minutes of the last count', async () => {
    const page = await console.open('/')
    const menu = page.getByRole('navigation', { name: 'Menu' })
    const health = menu.link(/Health.*findings?/)
    await health.waitFor()
    const count = health.locator('.nav-count [aria-hidden]')
    const before = Number(await count.textContent())
    const { service } = console
    const unpublished = { name: 'Gone', mailerDsn: 'inbox://local', isPublished: false }
    const transport = await addTransport(service, unpublished)
    const email = await addEmail(service)
    const assign = `/api/multipleTransport/transportEmail/${email.id}`
    await service.ask('POST', assign, { transportId: transport.id })
    await health.click()
    await until(async () => {
      await page.button('Refresh').click()
      return (await page.link('Open Gone').count()) > 0
    }, 'the findings are examined again')
    const isFault = /Problem|Warning/
    const rows = page.getByRole('table', { name: 'Checks' }).row()
    const faults = await rows.filter({ hasText: isFault }).count()
    assert.ok(faults > before)
    await count.getByText(String(faults), exact).waitFor()
  })

  test('a finding has buttons that lead to its records, and one that tests a transport', async () => {
    const { service } = console
    const add = (name: string, isPublished: boolean) =>
      addTransport(service, { name, mailerDsn: 'inbox://local', isPublished })
    const old = await add('Old', false)
    const email = await addEmail(service)
    const assign = `/api/multipleTransport/transportEmail/${email.id}`
    await service.ask('POST', assign, { transportId: old.id })
    const failing = await add('Failing', true)
    await logDeliveries(service, [{ outcome: 'uncertain', recipient: 'ann@rcpt.test' }])
    const webhook = { name: 'Shop events', url: 'http://127.0.0.1:1/', events: ['limit.reached'] }
    const { id: webhookId } = (await service.ask('POST', '/api/webhooks/new', webhook)).body.webhook
    const tables = service.app.storage.tables<unknown>()
    await sql`insert into webhook_states (webhook_id, failing_since, problem)
      values (${webhookId}, ${Date.now()}, 'The receiver answered 500.')`.execute(tables)
    const today = Math.floor(Date.now() / 86_400_000) * 86_400_000
    await sql`insert into delivery_count_changes (started_at, transport_id, source, outcome, change)
      values (${today}, ${failing.id}, 'smtp', 'refused', 3)`.execute(tables)
    const page = await console.open('/health')
    await until(async () => {
      await page.button('Refresh').click()
      return (await page.button('Test Failing').count()) > 0
    }, 'the findings are examined again')
    await page.button('Test Failing').click()
    await page.locator('.toast').waitFor()
    await page.link('Open Old').click()
    await page.getByRole('heading', { name: 'Old' }).waitFor()
    await page.goBack()
    await page.link('Open Shop events').click()
    await page.getByRole('heading', { name: 'Shop events' }).waitFor()
    await page.goBack()
    await page.link('Decide them').click()
    await page.link('ann@rcpt.test').waitFor()
  })

  test('others are not offered it', async () => {
    const viewer = await addUser(console.service, { email: ['view'] })
    const page = await console.open('/health', viewer)
    await page.see('Only administrators see the health of Mailyard.')
    assert.equal(await page.link('Health').count(), 0)
  })
})
