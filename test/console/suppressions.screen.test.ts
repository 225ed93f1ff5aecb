import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { openTestScreens, type TestScreens } from './test-screens.ts'

describe('suppressions in the console', () => {
  let console: TestScreens
  before(async () => {
    console = await openTestScreens()
  })
  after(() => console?.close())

  test('are added, filtered, found and deleted after a confirmation', async () => {
    const page = await console.open('/suppressions')
    await page.getByText('No address is suppressed.').waitFor()
    await page.getByRole('button', { name: 'Add an address' }).click()
    const dialog = page.getByRole('dialog', { name: 'Suppress an address' })
    await dialog.getByLabel('Address').fill('carla@example.net')
    await dialog.getByLabel('Reason').selectOption('complained')
    await dialog.getByLabel('Emails from').fill('not a domain')
    await dialog.getByRole('button', { name: 'Add an address' }).click()
    await dialog.getByText('must be a domain, such as example.com', { exact: true }).waitFor()
    await dialog.getByLabel('Emails from').fill('example.com')
    await dialog.getByRole('button', { name: 'Add an address' }).click()
    await page.getByText('carla@example.net is suppressed.').waitFor()
    const row = page.getByRole('row', { name: /carla@example\.net.*Complained.*example\.com/ })
    await row.waitFor()
    await page.getByLabel('Reason').selectOption('bounced')
    await page.getByText('No suppression matches.').waitFor()
    await page.getByLabel('Reason').selectOption('complained')
    await row.waitFor()
    await row.getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    const confirm = page.getByRole('dialog', { name: 'Delete suppressions' })
    await confirm.getByText('Reports of them to a Mautic are taken back').waitFor()
    await confirm.getByRole('button', { name: 'Delete 1 suppression' }).click()
    await row.waitFor({ state: 'detached' })
    const { body } = await console.service.ask('GET', '/api/suppressions')
    assert.equal(body.total, 0)
  })

  test('are imported from a file with its faults named, and exported', async () => {
    const page = await console.open('/suppressions')
    await page.getByRole('button', { name: 'Import CSV' }).click()
    const dialog = page.getByRole('dialog', { name: 'Import suppressions' })
    const rows = ['email,reason', 'ann@example.net,', 'ben@example.net,bounced', 'no address,', '']
    await dialog.getByLabel('CSV file').setInputFiles('old list.csv', rows.join('\n'))
    await dialog.getByRole('button', { name: 'Import', exact: true }).click()
    await dialog.getByText('2 addresses added, 0 changed.').waitFor()
    await dialog.getByText(/Line 4: address must be an email address/).waitFor()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('row', { name: /ann@example\.net.*Unsubscribed.*old list\.csv/ }).waitFor()
    const csv = await page.download(page.getByRole('link', { name: 'Export CSV' }))
    assert.match(csv, /ben@example\.net,bounced,,old list/)
  })

  test('are shown on the page of their contact, and undone there in two clicks', async () => {
    const contact = { email: 'ann@example.net', firstname: 'Ann' }
    const { body } = await console.service.ask('POST', '/api/contacts/new', contact)
    const path = `/contacts/${body.contact.id}`
    const page = await console.open(path)
    await page.getByText('This address is suppressed').waitFor()
    await page.getByText(/Unsubscribed · Every sender · since/).waitFor()
    await page
      .getByRole('region', { name: 'What happened' })
      .getByRole('listitem')
      .filter({ hasText: 'Suppression' })
      .getByText('old list.csv')
      .waitFor()
    await page.getByRole('link', { name: 'Show its suppressions' }).click()
    await page.getByRole('row', { name: /ann@example\.net/ }).waitFor()
    assert.equal(await page.getByRole('row', { name: /ben@example\.net/ }).count(), 0)
    await page.getByRole('button', { name: 'Remove the filter Address: ann@example.net' }).click()
    await page.getByRole('row', { name: /ben@example\.net/ }).waitFor()
    await page.goto(path)
    await page.getByRole('button', { name: 'Unsuppress' }).click()
    const dialog = page.getByRole('dialog', { name: 'Send to ann@example.net again?' })
    await dialog.getByText('only if the recipient has asked for it').waitFor()
    await dialog.getByRole('button', { name: 'Unsuppress' }).click()
    await page.getByText('ann@example.net gets emails again.').waitFor()
    await page.getByText('This address is suppressed').waitFor({ state: 'detached' })
    const left = await console.service.ask('GET', '/api/suppressions?address=ann@example.net')
    assert.equal(left.body.total, 0)
  })

  test('of one imported file are found by their source, and deleted together after their number is shown', async () => {
    const suppressions = ['ida', 'joe', 'kim'].map((name) => ({
      address: `${name}@example.net`,
      source: 'wrong.csv',
    }))
    await console.service.ask('POST', '/api/suppressions/import', { suppressions })
    const page = await console.open('/suppressions')
    await page.getByRole('row', { name: /ben@example\.net/ }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Delete all that match…' }).count(), 0)
    await page.getByRole('link', { name: 'wrong.csv' }).first().click()
    await page.getByRole('row', { name: /ben@example\.net/ }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Delete all that match…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete 3 suppressions' }).click()
    await page.getByText('Deleted: 3 suppressions.').waitFor()
    await page.getByText('No suppression matches.').waitFor()
    await page.getByRole('button', { name: 'Remove the filter Source: wrong.csv' }).click()
    await page.getByRole('row', { name: /ben@example\.net/ }).waitFor()
  })
})
