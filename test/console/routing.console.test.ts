import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { needsBrowser } from '../browser/launch.ts'
import { addUser } from '../callers.ts'
import { assertAccessible, openTestConsole, type TestConsole } from './test-console.ts'

describe('assignments and routing in the console', needsBrowser, () => {
  let console: TestConsole

  before(async () => {
    console = await openTestConsole()
    for (const name of ['Brand A', 'Brand B']) {
      const body = { name, mailerDsn: 'null://null' }
      await console.service.ask('POST', '/api/multipleTransports/new', body)
    }
    for (const name of ['Newsletter', 'Receipt']) {
      const body = { name, subject: name, customHtml: '<p>Hello</p>' }
      await console.service.ask('POST', '/api/emails/new', body)
    }
  })
  after(() => console?.close())

  test('one email is assigned, then all at once, which is undone', async () => {
    const page = await console.open('/assignments')
    await page.getByRole('button', { name: 'Change the assignment of Newsletter' }).click()
    await page.getByRole('combobox', { name: 'Transport', exact: true }).fill('Brand A')
    await page.getByRole('option', { name: 'Brand A' }).click()
    await page.getByLabel('Owner’s transport first').selectOption({ label: 'Yes' })
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Assign', exact: true }).click()
    await page.getByText('Assigned: 1.').waitFor()
    const row = page.getByRole('row', { name: /Newsletter/ })
    await row.getByRole('link', { name: 'Brand A' }).waitFor()
    await row.getByText('Owner’s transport first').waitFor()

    await page.getByLabel('Emails: select all on this page').check()
    await page.getByRole('combobox', { name: 'Assign the selected to' }).fill('Brand B')
    await page.getByRole('option', { name: 'Brand B' }).click()
    await page.getByRole('button', { name: 'Assign', exact: true }).click()
    await page.getByText('Assigned: 3.').waitFor()
    await page.getByRole('link', { name: 'Brand B' }).nth(2).waitFor()
    // Each has again what it had.
    const toast = page.locator('.toast').filter({ hasText: 'Assigned: 3.' })
    await toast.getByRole('button', { name: 'Undo' }).click()
    await row.getByRole('link', { name: 'Brand A' }).waitFor()
    await row.getByText('Owner’s transport first').waitFor()
    assert.equal(await page.getByRole('link', { name: 'Brand B' }).count(), 0)
    await page.getByRole('checkbox', { name: /^Emails: select all/ }).check()
    await page.getByRole('combobox', { name: 'Assign the selected to' }).fill('Brand B')
    await page.getByRole('option', { name: 'Brand B' }).click()
    await page.getByRole('button', { name: 'Assign', exact: true }).click()
    await page.getByRole('link', { name: 'Brand B' }).nth(2).waitFor()
    assert.equal(await page.getByRole('link', { name: 'Brand B' }).count(), 3)
    await assertAccessible(page)

    await page.getByLabel('Assigned to').selectOption({ label: 'Default' })
    await page.getByText('Nothing matches.').waitFor()
  })

  test('a user is assigned, and who may only view cannot', async () => {
    const page = await console.open('/assignments?of=users')
    await page.getByRole('button', { name: 'Change the assignment of admin' }).click()
    await page.getByRole('combobox', { name: 'Transport', exact: true }).fill('Brand A')
    await page.getByRole('option', { name: 'Brand A' }).click()
    await page.getByRole('button', { name: 'Assign', exact: true }).click()
    await page.getByText('Assigned: 1.').waitFor()
    const viewer = await addUser(console.service, { multipleTransports: ['view'], email: ['view'] })
    await console.open('/assignments', viewer)
    await page.getByRole('row', { name: /Receipt/ }).waitFor()
    assert.equal(await page.getByRole('button', { name: /Change the assignment/ }).count(), 0)
    assert.equal(await page.getByRole('link', { name: 'Users' }).count(), 0)
  })

  test('the route of a message is shown as steps with reasons', async () => {
    await console.service.ask('POST', '/api/multipleTransport/transportEmail/2', { transportId: 2 })
    const page = await console.open('/routing')
    await page
      .getByText('It is not sent.')
      .or(page.getByText(/default transport/))
      .first()
      .waitFor()
    await page.getByRole('combobox', { name: 'Email' }).fill('Newsletter')
    await page.getByRole('option', { name: /Newsletter/ }).click()
    const route = page.getByRole('region', { name: 'Route' })
    await route.getByRole('link', { name: 'Brand B' }).first().waitFor()
    await route.getByText('Taken').waitFor()
    await page.getByLabel('Transport that the message names').fill('Brand A')
    await route.getByText('Named in the message').waitFor()
    await assertAccessible(page)
  })
})
