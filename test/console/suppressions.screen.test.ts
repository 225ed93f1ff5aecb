import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { useScreens } from './test-screens.ts'

describe('suppressions in the console', () => {
  const console = useScreens()

  test('are added, filtered, found and deleted after a confirmation', async () => {
    const page = await console.open('/suppressions')
    await page.see('No address is suppressed.')
    await page.button('Add an address').click()
    const dialog = page.dialog('Suppress an address')
    await dialog.enter({
      Address: 'carla@example.net',
      Reason: 'complained',
      'Emails from': 'not a domain',
    })
    await dialog.button('Add an address').click()
    await dialog.see(/^must be a domain, such as example\.com$/)
    await dialog.enter({ 'Emails from': 'example.com' })
    await dialog.button('Add an address').click()
    await page.see('carla@example.net is suppressed.')
    const row = page.row(/carla@example\.net.*Complained.*example\.com/)
    await row.waitFor()
    await page.see(/^1 suppression$/)
    await page.filterBy('Reason', 'Bounced')
    await page.see('No suppression matches.', /^0 suppressions$/)
    await page.button('Reason: Bounced').nth(0).click()
    await page.locator('.menu-list').button('Complained').click()
    await row.waitFor()
    await row.getByRole('checkbox').check()
    await page.button('Delete').click()
    const confirm = page.dialog('Delete suppressions')
    await confirm.see('Reports of them to a Mautic are taken back')
    await confirm.button('Delete 1 suppression').click()
    await row.gone()
    const body = await console.ask('GET', '/api/suppressions')
    assert.equal(body.total, 0)
  })

  test('are imported from a file with its faults named, and exported', async () => {
    const page = await console.open('/suppressions')
    await page.button('Import CSV').click()
    const dialog = page.dialog('Import suppressions')
    const rows = ['email,reason', 'ann@example.net,', 'ben@example.net,bounced', 'no address,', '']
    const files = [new File([rows.join('\n')], 'old list.csv')]
    const field = dialog.getByLabel('CSV file')
    // What a person chooses in a window of the browser.
    Object.defineProperties(await field.one(), {
      files: { value: files },
      value: { writable: true },
    })
    await field.fill('old list.csv')
    await dialog.button('Import').click()
    await dialog.see('2 addresses added, 0 changed.', /Line 4: address must be an email address/)
    await dialog.button('Close').click()
    await page.row(/ann@example\.net.*Unsubscribed.*old list\.csv/).waitFor()
    const csv = await page.download(page.link('Export CSV'))
    assert.match(csv, /ben@example\.net,bounced,,old list/)
  })

  test('are shown on the page of their contact, which leads to them', async () => {
    const contact = { email: 'ann@example.net', firstname: 'Ann' }
    const body = await console.ask('POST', '/api/contacts/new', contact)
    const page = await console.open(`/contacts/${body.contact.id}`)
    await page.see('This address is suppressed', /Unsubscribed · Every sender · since/)
    await page.region('What happened').see(/Suppression.*old list\.csv/)
    await page.link('Show its suppressions').click()
    await page.row(/ann@example\.net/).waitFor()
    assert.equal(await page.row(/ben@example\.net/).count(), 0)
    await page.button('Remove the filter Address: ann@example.net').click()
    await page.row(/ben@example\.net/).waitFor()
  })

  test('of one imported file are found by their source, and deleted together after their number is shown', async () => {
    const suppressions = ['ida', 'joe', 'kim'].map((name) => ({
      address: `${name}@example.net`,
      source: 'wrong.csv',
    }))
    await console.ask('POST', '/api/suppressions/import', { suppressions })
    const page = await console.open('/suppressions')
    await page.row(/ben@example\.net/).waitFor()
    assert.equal(await page.button('Delete all that match…').count(), 0)
    await page.link('wrong.csv').nth(0).click()
    await page.row(/ben@example\.net/).gone()
    await page.confirm('Delete all that match…', 'Delete 3 suppressions')
    await page.see('Deleted: 3 suppressions.', 'No suppression matches.')
    await page.button('Remove the filter Source: wrong.csv').click()
    await page.row(/ben@example\.net/).waitFor()
  })
})
