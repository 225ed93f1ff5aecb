import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { needsBrowser } from '../browser/launch.ts'
import { assertAccessible, openTestConsole, type TestConsole } from './test-console.ts'

describe('suppressions in the console', needsBrowser, () => {
  let console: TestConsole
  before(async () => {
    console = await openTestConsole()
  })
  after(() => console?.close())

  test('are added, filtered, found and deleted after a confirmation', async () => {
    const page = await console.open('/suppressions')
    await page.getByText('No address is suppressed.').waitFor()
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Add an address' }).click()
    const dialog = page.getByRole('dialog', { name: 'Suppress an address' })
    await dialog.getByLabel('Address').fill('carla@example.net')
    await dialog.getByLabel('Reason').selectOption('complained')
    await dialog.getByLabel('Emails from').fill('not a domain')
    await dialog.getByRole('button', { name: 'Add an address' }).click()
    await dialog.getByText('must be a domain, such as example.com').waitFor()
    await assertAccessible(page)
    await dialog.getByLabel('Emails from').fill('example.com')
    await dialog.getByRole('button', { name: 'Add an address' }).click()
    await page.getByText('carla@example.net is suppressed.').waitFor()
    const row = page.getByRole('row', { name: /carla@example\.net.*Complained.*example\.com/ })
    await row.waitFor()
    await assertAccessible(page)
    await page.getByLabel('Reason').selectOption('bounced')
    await page.getByText('No suppression matches.').waitFor()
    await page.getByLabel('Reason').selectOption('complained')
    await row.waitFor()
    await row.getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Delete' }).click()
    const confirm = page.getByRole('dialog', { name: 'Delete 1 suppression?' })
    await confirm.getByText('Reports of them to a Mautic are taken back.').waitFor()
    await confirm.getByRole('button', { name: 'Delete' }).click()
    await row.waitFor({ state: 'detached' })
    const { body } = await console.service.ask('GET', '/api/suppressions')
    assert.equal(body.total, 0)
  })

  test('are imported from a file with its faults named, and exported', async () => {
    const page = await console.open('/suppressions')
    await page.getByRole('button', { name: 'Import CSV' }).click()
    const dialog = page.getByRole('dialog', { name: 'Import suppressions' })
    const rows = ['email,reason', 'ann@example.net,', 'ben@example.net,bounced', 'no address,', '']
    const buffer = Buffer.from(rows.join('\n'))
    await dialog
      .getByLabel('CSV file')
      .setInputFiles({ name: 'old list.csv', mimeType: 'text/csv', buffer })
    await dialog.getByRole('button', { name: 'Import', exact: true }).click()
    await dialog.getByText('2 addresses added, 0 changed.').waitFor()
    await dialog.getByText(/Line 4: address must be an email address/).waitFor()
    await assertAccessible(page)
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('row', { name: /ann@example\.net.*Unsubscribed.*old list\.csv/ }).waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export CSV' }).click(),
    ])
    assert.match(readFileSync(await download.path(), 'utf8'), /ben@example\.net,bounced,,old list/)
  })

  test('are shown on the page of their contact', async () => {
    const contact = { email: 'ann@example.net', firstname: 'Ann' }
    const { body } = await console.service.ask('POST', '/api/contacts/new', contact)
    const page = await console.open(`/contacts/${body.contact.id}`)
    await page.getByText('This address is suppressed').waitFor()
    await page.getByText(/Unsubscribed · Every sender · since/).waitFor()
    await assertAccessible(page)
    await page.getByRole('link', { name: 'Show its suppressions' }).click()
    await page.getByRole('row', { name: /ann@example\.net/ }).waitFor()
    assert.equal(await page.getByRole('row', { name: /ben@example\.net/ }).count(), 0)
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Remove the filter Address: ann@example.net' }).click()
    await page.getByRole('row', { name: /ben@example\.net/ }).waitFor()
  })
})
