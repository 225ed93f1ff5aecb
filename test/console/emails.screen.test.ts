import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { addEmail, addTransport } from '../callers.ts'
import { logDeliveries } from '../log-deliveries.ts'
import { type MailCatcher, startMailCatcher } from '../mail-catcher.ts'
import type { TestBody } from '../test-app.ts'
import { until } from '../until.ts'
import { exact } from './part.ts'
import { openTestScreens, type TestScreens } from './test-screens.ts'

describe('emails in the console', () => {
  let console: TestScreens
  let catcher: MailCatcher
  before(async () => {
    catcher = await startMailCatcher()
    console = await openTestScreens({
      config: { mailerDsn: catcher.dsn, adminEmail: 'admin@example.com' },
    })
    await console.service.ask('POST', '/api/contacts/new', {
      email: 'carla@example.net',
      firstname: 'Carla',
      tags: ['newsletter'],
    })
  })
  after(async () => {
    await console?.close()
    await catcher?.stop()
  })

  test('faults of the API stand beside their fields; warnings of a save stay', async () => {
    const page = await console.open('/emails/new')
    await page.getByLabel('Name', exact).fill('Faulty')
    await page.getByLabel('Subject', exact).fill('Hello')
    const preview = page.region('Preview')
    await preview.see('The email has no HTML and no text')
    await page.getByLabel('From: address').fill('no one')
    await preview.see('From: address must be an email address')
    await page.button('Save').click()
    const field = page.getByRole('textbox', { name: 'From: address', description: /email address/ })
    await field.waitFor()
    await field.fill('')
    await page.button('Save').click()
    await page.see(/has no HTML and no text/)
  })

  test('the list says when each email was sent, how that ended, and through what', async () => {
    const { id } = await addEmail(console.service, { name: 'Often sent', plainText: 'Hello' })
    const { id: transportId } = await addTransport(console.service, { name: 'Brand B' })
    await console.service.ask('POST', `/api/multipleTransport/transportEmail/${id}`, {
      transportId,
    })
    const sent = { email_id: id, started_at: Date.now() - 60_000 }
    await logDeliveries(console.service, [
      ...Array.from({ length: 3 }, () => ({ ...sent, outcome: 'accepted' as const })),
      { ...sent, outcome: 'refused' },
    ])
    const page = await console.open('/emails?search=often')
    const row = page.row(/Often sent .* 75 % accepted 1 refused .*Brand B/)
    await row.waitFor()
    await row.link('Often sent').click()
    const use = page.region('Use')
    await use.see('Refused')
    await use.link('All deliveries').waitFor()
  })

  test('a contact is added with all its fields, changed, found and deleted', async () => {
    const page = await console.open('/contacts/new')
    await page.getByLabel('Email', exact).fill('dan@example.net')
    await page.getByLabel('First name').fill('Dan')
    await page.getByRole('textbox', { name: 'Tags' }).fill('customer,vip,')
    await page.getByRole('combobox', { name: 'Owner' }).fill('adm')
    await page.option(/admin/).click()
    await page.button('Save').click()
    await page.getByRole('heading', { name: 'dan@example.net' }).waitFor()
    await page.button('Remove vip').click()
    await page.getByText('Phone and address').click()
    await page.getByLabel('City').fill('Vienna')
    await page.button('Save').click()
    // The message of the first save may still be shown.
    await until(async () => {
      const { body } = await console.service.ask('GET', '/api/contacts?search=dan')
      return Object.values<TestBody>(body.contacts)[0]?.tags.length === 1
    }, 'the change is saved')
    const { body } = await console.service.ask('GET', '/api/contacts?search=dan')
    const [contact]: TestBody[] = Object.values(body.contacts)
    assert.deepEqual(contact.tags, [{ tag: 'customer' }])
    await page.locator('.page-head').link('Contacts').click()
    await page.getByLabel('Search by address, name or company').fill('dan')
    await page.link('carla@example.net').waitFor({ state: 'detached' })
    await page.goto(`/contacts/${contact.id}`)
    await page.button('Delete').click()
    await page.dialog().button('Delete').click()
    await page.link('carla@example.net').waitFor()
    assert.equal(await page.link('dan@example.net').count(), 0)
  })
})
