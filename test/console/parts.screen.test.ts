import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { deliveryOutcomes } from '../../src/core/delivery/outcomes.ts'
import { addEmail, addTransport } from '../callers.ts'
import { logDeliveries } from '../log-deliveries.ts'
import { useScreens } from './test-screens.ts'

const contactCount = 60

describe('the parts of the console', () => {
  const console = useScreens()
  let emailId: number
  before(async () => {
    const contacts = Array.from({ length: contactCount }, (_, index) => ({
      email: `c${String(index).padStart(3, '0')}@example.com`,
    }))
    await console.ask('POST', '/api/contacts/batch/new', contacts)
    const { id } = await addTransport(console.service, { mailerDsn: 'inbox://local' })
    for (const name of ['Picked A', 'Picked B'])
      await addTransport(console.service, { name, mailerDsn: 'null://null' })
    await console.ask('POST', `/api/multipleTransports/send/test/${id}`, { to: 'a@b.test' })
    emailId = (await addEmail(console.service, { name: 'Welcome', plainText: 'Hello' })).id
  })

  const boxes = () => console.page.locator('.table tbody input[type="checkbox"]')
  const selected = () => console.page.locator('.selection')

  test('a table selects a range by Shift and all rows that match a search on other pages', async () => {
    await console.open('/contacts')
    await boxes().nth(1).click()
    await selected().see('1 selected')
    // Every mass action needs a filter.
    assert.equal(
      await selected()
        .button(/that match/)
        .count(),
      0,
    )
    const page = await console.open('/contacts?search=example.com')
    await boxes().nth(1).click()
    await boxes().nth(4).click({ shiftKey: true })
    await selected().see('4 selected')
    await boxes().nth(2).click()
    await selected().see('3 selected')
    await selected().button(`Select all ${contactCount} that match`).click()
    await selected().see(`${contactCount} selected`)
    await page.button('Next').click()
    await page.link('c059@example.com').waitFor()
    assert.equal((await boxes().nth(0).one()).checked, true)
  })

  test('Shift selects no rows of a page that the reader has left', async () => {
    const page = await console.open('/contacts')
    await boxes().nth(2).click()
    await page.button('Next').click()
    await page.link('c059@example.com').waitFor()
    await boxes().nth(6).click({ shiftKey: true })
    await selected().see('2 selected')
    assert.equal((await boxes().nth(5).one()).checked, false)
  })

  test('a filter that is chosen right after typing is kept by the search', async () => {
    const page = await console.open('/emails')
    for (const text of ['w', 'we']) await page.getByRole('searchbox').nth(0).fill(text)
    await page.filterBy('State', 'Published')
    await page.waitForURL(/search=we/)
    assert.equal(new URL(page.url()).searchParams.get('state'), 'published')
  })

  test('a picker is used by keys alone, and its choice can be removed', async () => {
    const page = await console.open('/assignments')
    await page.enter({ 'Emails: select all on this page': true })
    const picker = page.combobox('Assign the selected to')
    await picker.fill('Picked')
    await page.option('Picked B').waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    assert.ok((await picker.one()).matches(':focus'))
    await page.until(async () => (await picker.inputValue()) === 'Picked B', 'it is chosen')
    await picker.fill('Picked A')
    await page.option('Picked A').waitFor()
    await page.keyboard.press('Escape')
    assert.equal(await picker.inputValue(), 'Picked B', 'Escape keeps the choice')
    await page.locator('.picker-clear').nth(0).click()
    await page.until(async () => (await picker.inputValue()) === '', 'it is removed')
  })

  test('a filter is set by keys alone, and Escape closes its menu', async () => {
    const page = await console.open('/emails')
    await page.button('+ Filter').press('Enter')
    await page.keyboard.press('Enter')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(/state=unpublished/)
    const chip = page.button('State: Unpublished').nth(0)
    await chip.press('Enter')
    await page.keyboard.press('Escape')
    await page.locator('.menu-list').gone()
    assert.ok((await chip.one()).matches(':focus'))
  })

  test('arrow keys choose a tab and move the focus to it', async () => {
    const page = await console.open('/inbox/1')
    const selected = page.locator('[role=tab][aria-selected=true]')
    await page.tab('Text').press('ArrowRight')
    assert.equal(await selected.innerText(), 'Headers')
    assert.ok((await selected.one()).matches(':focus'))
    await page.getByRole('tabpanel').see('Subject')
    await page.keyboard.press('ArrowLeft')
    assert.equal(await selected.innerText(), 'Text')
  })

  test('outcomes differ without colour, by icon and word', async () => {
    const address = { recipient: 'each@b.test', recipient_key: 'each@b.test' }
    await logDeliveries(
      console.service,
      deliveryOutcomes.map((outcome) => ({ ...address, outcome })),
    )
    const page = await console.open('/deliveries?recipient=each@b.test')
    const badges = page.locator('.table tbody .badge')
    await badges.nth(deliveryOutcomes.length - 1).waitFor()
    const icons = badges.elements().map((badge) => badge.querySelector('svg')?.outerHTML)
    const badgeWords = badges.elements().map(({ textContent }) => textContent)
    for (const looks of [icons, badgeWords])
      assert.equal(new Set(looks).size, deliveryOutcomes.length)
  })

  test('a record is read first; its form has an address, which Back and saving leave', async () => {
    const page = await console.open('/emails')
    await page.link('Welcome').click()
    await page.region('Details').waitFor()
    assert.equal(await page.getByLabel('Name').count(), 0)
    await page.edit()
    await page.waitForURL(/edit=1$/)
    assert.equal(await page.button('Save').count(), 0, 'nothing is changed')
    await page.goBack()
    await page.region('Details').waitFor()
    await page.goto(`/emails/${emailId}?edit=1`)
    await page.enter({ Name: '' })
    await page.button('Save').click()
    await page.getByRole('textbox', { name: 'Name', description: /is missing/ }).waitFor()
    await page.enter({ Name: 'Welcome back' })
    await page.button('Save').click()
    await page.opens('Welcome back')
    await page.region('Details').waitFor()
    await page.waitForURL(/\d$/)
  })

  test('leaving a form with changes asks in a dialogue, and staying keeps what was typed', async () => {
    const page = await console.open(`/emails/${emailId}?edit=1`)
    await page.enter({ Name: 'Changed' })
    await page.link('Limits').click()
    const dialog = page.dialog('Leave without saving?')
    await dialog.waitFor()
    await dialog.button('Stay').click()
    assert.equal(await page.getByLabel('Name').inputValue(), 'Changed')
    await page.link('Limits').click()
    await dialog.button('Leave').click()
    await page.opens('Limits')
  })

  test('a record that does not exist has a title, and a way back to its list', async () => {
    for (const [path, list] of [
      ['/limits/4000', 'Limits'],
      ['/transports/4000', 'Transports'],
    ] as const) {
      const page = await console.open(path)
      await page.opens('This page does not exist')
      await page.getByRole('alert').see('not found')
      await page.locator('main').link(list).click()
      await page.opens(list)
    }
  })

  test('all times have the style and the zone that the reader chose, which the menu shows', async () => {
    const page = await console.open('/emails')
    const title = () => page.locator('.table time').nth(0).getAttribute('title')
    await page.locator('.table time').nth(0).waitFor()
    await page.button(/^Settings/).click()
    const dialog = page.dialog('Settings')
    await dialog.enter({ 'Dates and numbers': 'en-GB', 'Time zone': 'Asia/Tokyo' })
    await dialog.button('Close').click()
    assert.match(String(await title()), /^\d{1,2} \w{3} \d{4}, \d\d:\d\d:\d\d .*(?:GMT\+9|JST)/)
    await page.button(/^Settings.*Asia\/Tokyo/).waitFor()
    await page.reload()
    await page.locator('.table time').nth(0).waitFor()
    assert.match(String(await title()), /GMT\+9|JST/)
  })
})
