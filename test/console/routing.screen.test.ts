import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { addUser } from '../callers.ts'
import { useScreens } from './test-screens.ts'

describe('assignments and routing in the console', () => {
  const console = useScreens()

  before(async () => {
    for (const name of ['Brand A', 'Brand B']) {
      const body = { name, mailerDsn: 'null://null' }
      await console.ask('POST', '/api/multipleTransports/new', body)
    }
    for (const name of ['Newsletter', 'Receipt']) {
      const body = { name, subject: name, customHtml: '<p>Hello</p>' }
      await console.ask('POST', '/api/emails/new', body)
    }
  })

  test('one email is assigned, then all at once, which is undone', async () => {
    const page = await console.open('/assignments')
    await page.button('Change the assignment of Newsletter').click()
    await page.pick('Transport', 'Brand A')
    await page.enter({ 'Owner’s transport first': 'Yes' })
    await page.button('Assign').click()
    await page.see('1 email now uses Brand A.')
    const row = page.row(/Newsletter/)
    await row.link('Brand A').waitFor()
    await row.see('Owner’s transport first')

    await page.enter({ 'Emails: select all on this page': true })
    await page.pick('Assign the selected to', 'Brand B')
    await page.button('Assign').click()
    await page.see('3 emails now use Brand B.')
    await page.link('Brand B').nth(2).waitFor()
    // Each has again what it had.
    const toast = page.locator('.toast').filter({ hasText: '3 emails now use Brand B.' })
    await toast.button('Undo').click()
    await row.link('Brand A').waitFor()
    await row.see('Owner’s transport first')
    assert.equal(await page.link('Brand B').count(), 0)
    await page.getByRole('checkbox', { name: /^Emails: select all/ }).check()
    await page.pick('Assign the selected to', 'Brand B')
    await page.button('Assign').click()
    await page.link('Brand B').nth(2).waitFor()
    assert.equal(await page.link('Brand B').count(), 3)

    await page.button('+ Filter').click()
    await page.locator('.menu-list').button('Assigned to').click()
    await page.pick('Assigned to', '', 'Default')
    await page.see('Nothing matches.')
  })

  test('a user is assigned, and who may only view cannot', async () => {
    const page = await console.open('/assignments?of=users')
    await page.button('Change the assignment of admin').click()
    await page.pick('Transport', 'Brand A')
    await page.button('Assign').click()
    await page.see('1 user now uses Brand A.')
    const viewer = await addUser(console.service, { multipleTransports: ['view'], email: ['view'] })
    await console.open('/assignments', viewer)
    await page.row(/Receipt/).waitFor()
    assert.equal(await page.button(/Change the assignment/).count(), 0)
    assert.equal(await page.link('Users').count(), 0)
  })

  test('the route of a message is shown as steps with reasons', async () => {
    await console.ask('POST', '/api/multipleTransport/transportEmail/2', { transportId: 2 })
    const page = await console.open('/routing')
    await page.see(/It is not sent\.|default transport/)
    await page.pick('Email', 'Newsletter', /Newsletter/)
    const route = page.region('Route')
    await route.link('Brand B').nth(0).waitFor()
    await route.see('Taken')
    await page.enter({ 'Transport that the message names': 'Brand A' })
    await route.see('Named in the message')
  })
})
