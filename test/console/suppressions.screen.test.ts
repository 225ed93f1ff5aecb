import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { exact } from './part.ts'
import { useScreens } from './test-screens.ts'

describe('suppressions in the console', () => {
  const console = useScreens()

  test('are added, filtered, found and deleted after a confirmation', async () => {
    const page = await console.open('/suppressions')
    await page.see('No address is suppressed.')
    await page.button('Add an address').click()
    const dialog = page.dialog('Suppress an address')
    await dialog.getByLabel('Address').fill('carla@example.net')
    await dialog.getByLabel('Reason').selectOption('complained')
    await dialog.getByLabel('Emails from').fill('not a domain')
    await dialog.button('Add an address').click()
    await dialog.getByText('must be a domain, such as example.com', exact).waitFor()
    await dialog.getByLabel('Emails from').fill('example.com')
    await dialog.button('Add an address').click()
    await page.see('carla@example.net is suppressed.')
    const row = page.row(/carla@example\.net.*Complained.*example\.com/)
    await row.waitFor()
    await page.getByLabel('Reason').selectOption('bounced')
    await page.see('No suppression matches.')
    await page.getByLabel('Reason').selectOption('complained')
    await row.waitFor()
    await row.getByRole('checkbox').check()
    await page.button('Delete', exact).click()
    const confirm = page.dialog('Delete suppressions')
    await confirm.see('Reports of them to a Mautic are taken back')
    await confirm.button('Delete 1 suppression').click()
    await row.waitFor({ state: 'detached' })
    const { body } = await console.service.ask('GET', '/api/suppressions')
    assert.equal(body.total, 0)
  })

  test('are imported from a file with its faults named, and exported', async () => {
    const page = await console.open('/suppressions')
    await page.button('Import CSV').click()
    const dialog = page.dialog('Import suppressions')
    const rows = ['email,reason', 'ann@example.net,', 'ben@example.net,bounced', 'no address,', '']
    await dialog.getByLabel('CSV file').setInputFiles('old list.csv', rows.join('\n'))
    await dialog.button('Import', exact).click()
    await dialog.see('2 addresses added, 0 changed.', /Line 4: address must be an email address/)
    await dialog.button('Close').click()
    await page.row(/ann@example\.net.*Unsubscribed.*old list\.csv/).waitFor()
    const csv = await page.download(page.link('Export CSV'))
    assert.match(csv, /ben@example\.net,bounced,,old list/)
  })

  test('are shown on the page of their contact, and undone there in two clicks', async () => {
    const contact = { email: 'ann@example.net', firstname: 'Ann' }
    const { body } = await console.service.ask('POST', '/api/contacts/new', contact)
    const path = `/contacts/${body.contact.id}`
    const page = await console.open(path)
    await page.see('This address is suppressed', /Unsubscribed · Every sender · since/)
    await page
      .region('What happened')
      .getByRole('listitem')
      .filter({ hasText: 'Suppression' })
      .getByText('old list.csv')
      .waitFor()
    await page.link('Show its suppressions').click()
    await page.row(/ann@example\.net/).waitFor()
    assert.equal(await page.row(/ben@example\.net/).count(), 0)
    await page.button('Remove the filter Address: ann@example.net').click()
    await page.row(/ben@example\.net/).waitFor()
    await page.goto(path)
    await page.button('Unsuppress').click()
    const dialog = page.dialog('Send to ann@example.net again?')
    await dialog.see('only if the recipient has asked for it')
    await dialog.button('Unsuppress').click()
    await page.see('ann@example.net gets emails again.')
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
    await page.row(/ben@example\.net/).waitFor()
    assert.equal(await page.button('Delete all that match…').count(), 0)
    await page.link('wrong.csv').first().click()
    await page.row(/ben@example\.net/).waitFor({ state: 'detached' })
    await page.button('Delete all that match…').click()
    await page.dialog().button('Delete 3 suppressions').click()
    await page.see('Deleted: 3 suppressions.', 'No suppression matches.')
    await page.button('Remove the filter Source: wrong.csv').click()
    await page.row(/ben@example\.net/).waitFor()
  })
})
