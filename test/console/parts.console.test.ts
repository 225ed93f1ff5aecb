import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { emptyDelivery } from '../../src/delivery/log/delivery-row.ts'
import { deliveryOutcomes } from '../../src/delivery/outcomes.ts'
import type { DeliveryTables } from '../../src/delivery/table.ts'
import { needsBrowser } from '../browser/launch.ts'
import { addEmail, addTransport } from '../callers.ts'
import { assertAccessible, openTestConsole, type TestConsole } from './test-console.ts'

const contactCount = 60

describe('the parts of the console', needsBrowser, () => {
  let console: TestConsole
  let emailId: number
  before(async () => {
    console = await openTestConsole()
    const contacts = Array.from({ length: contactCount }, (_, index) => ({
      email: `c${String(index).padStart(3, '0')}@example.com`,
    }))
    await console.service.ask('POST', '/api/contacts/batch/new', contacts)
    const { id } = await addTransport(console.service, { mailerDsn: 'inbox://local' })
    for (const name of ['Picked A', 'Picked B'])
      await addTransport(console.service, { name, mailerDsn: 'null://null' })
    await console.service.ask('POST', `/api/multipleTransports/send/test/${id}`, { to: 'a@b.test' })
    emailId = (await addEmail(console.service, { name: 'Welcome', plainText: 'Hello' })).id
  })
  after(() => console?.close())

  const boxes = () => console.page.locator('.table tbody input[type="checkbox"]')
  const selected = () => console.page.locator('.selection')

  test('a table selects a range by Shift and all rows that match a search on other pages', async () => {
    await console.open('/contacts')
    await boxes().nth(1).click()
    await selected().getByText('1 selected').waitFor()
    // Every mass action needs a filter.
    assert.equal(
      await selected()
        .getByRole('button', { name: /that match/ })
        .count(),
      0,
    )
    const page = await console.open('/contacts?search=example.com')
    await boxes().nth(1).click()
    await boxes()
      .nth(4)
      .click({ modifiers: ['Shift'] })
    await selected().getByText('4 selected').waitFor()
    await boxes().nth(2).click()
    await selected().getByText('3 selected').waitFor()
    await selected()
      .getByRole('button', { name: `Select all ${contactCount} that match` })
      .click()
    await selected().getByText(`${contactCount} selected`).waitFor()
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByRole('link', { name: 'c059@example.com' }).waitFor()
    assert.equal(await boxes().first().isChecked(), true)
    await assertAccessible(page)
  })

  test('Shift selects no rows of a page that the reader has left', async () => {
    const page = await console.open('/contacts')
    await boxes().nth(2).click()
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByRole('link', { name: 'c059@example.com' }).waitFor()
    await boxes()
      .nth(6)
      .click({ modifiers: ['Shift'] })
    await selected().getByText('2 selected').waitFor()
    assert.equal(await boxes().nth(5).isChecked(), false)
  })

  test('a filter that is chosen right after typing is kept by the search', async () => {
    const page = await console.open('/emails')
    await page.getByRole('searchbox').first().pressSequentially('we')
    await page.getByLabel('State').selectOption('Published')
    await page.waitForURL(/search=we/)
    assert.equal(new URL(page.url()).searchParams.get('state'), 'published')
  })

  test('a picker is used by keys alone, and its choice can be removed', async () => {
    const page = await console.open('/deliveries')
    const picker = page.getByRole('combobox', { name: 'Transport' })
    await picker.focus()
    await picker.fill('Picked')
    await page.getByRole('option', { name: 'Picked B' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(/transportId=/)
    await page.waitForFunction(
      () => (document.activeElement as HTMLInputElement).value === 'Picked B',
    )
    await picker.fill('Picked A')
    await page.getByRole('option', { name: 'Picked A' }).waitFor()
    await page.keyboard.press('Escape')
    assert.equal(await picker.inputValue(), 'Picked B', 'Escape keeps the choice')
    await page.locator('.picker-clear').first().click()
    assert.equal(await picker.inputValue(), '')
  })

  test('arrow keys choose a tab and move the focus to it', async () => {
    const page = await console.open('/inbox/1')
    const selected = page.locator('[role=tab][aria-selected=true]')
    await page.getByRole('tab', { name: 'Text' }).focus()
    await page.keyboard.press('ArrowRight')
    assert.equal(await selected.innerText(), 'Headers')
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Headers')
    await page.getByRole('tabpanel').getByText('Subject').waitFor()
    await page.keyboard.press('ArrowLeft')
    assert.equal(await selected.innerText(), 'Text')
  })

  test('outcomes differ without colour, by icon and word', async () => {
    const start = { source: 'api' as const, caller: 'tests', startedAt: Date.now(), processId: 'x' }
    const rows = deliveryOutcomes.map((outcome) => {
      const address = { recipient: 'each@b.test', recipient_key: 'each@b.test' }
      return { ...emptyDelivery(start), ...address, outcome }
    })
    const db = console.service.app.storage.tables<DeliveryTables>()
    await db.insertInto('deliveries').values(rows).execute()
    const page = await console.open('/deliveries?recipient=each@b.test')
    const badges = page.locator('.table tbody .badge')
    await badges.nth(deliveryOutcomes.length - 1).waitFor()
    const looks = await Promise.all(
      (await badges.all()).map(async (badge) => {
        return { icon: await badge.locator('svg').innerHTML(), word: await badge.innerText() }
      }),
    )
    for (const name of ['icon', 'word'] as const)
      assert.equal(new Set(looks.map((look) => look[name])).size, deliveryOutcomes.length, name)
  })

  test('j and k go through the rows, x selects one, Enter opens it, and typing stays typing', async () => {
    const page = await console.open('/contacts')
    await boxes().first().waitFor()
    const focused = () => page.evaluate(() => document.activeElement?.textContent)
    await page.keyboard.press('j')
    assert.equal(await focused(), 'c000@example.com')
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('k')
    assert.equal(await focused(), 'c001@example.com')
    await page.keyboard.press('x')
    await selected().getByText('1 selected').waitFor()
    assert.equal(await boxes().nth(1).isChecked(), true)
    await page.getByRole('searchbox').first().fill('')
    await page.getByRole('searchbox').first().press('j')
    assert.equal(await page.getByRole('searchbox').first().inputValue(), 'j')
    await page.getByRole('searchbox').first().fill('')
    await page.getByRole('link', { name: 'c001@example.com' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'c001@example.com' }).waitFor()
  })

  test('leaving a form with changes asks in a dialogue, and staying keeps what was typed', async () => {
    const page = await console.open(`/emails/${emailId}`)
    await page.getByLabel('Name', { exact: true }).fill('Changed')
    await page.getByRole('link', { name: 'Limits' }).click()
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
    await dialog.waitFor()
    await assertAccessible(page)
    await dialog.getByRole('button', { name: 'Stay' }).click()
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Changed')
    await page.getByRole('link', { name: 'Limits' }).click()
    await dialog.getByRole('button', { name: 'Leave' }).click()
    await page.getByRole('heading', { name: 'Limits', level: 1 }).waitFor()
  })

  test('an edit of someone else is shown in the window, and has the focus', async () => {
    const page = await console.open(`/emails/${emailId}`)
    await page.getByLabel('Name', { exact: true }).fill('Mine')
    await console.service.ask('PATCH', `/api/emails/${emailId}/edit`, { subject: 'Theirs' })
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
    await page.getByRole('button', { name: 'Save' }).click()
    const alert = page.getByRole('alert')
    await alert.getByText('Someone else has changed this').waitFor()
    const state = await page.evaluate(() => {
      const notice = document.querySelector('.fault-of-form')
      const { top = -1 } = notice?.getBoundingClientRect() ?? {}
      const hasFocus = notice?.contains(document.activeElement) ?? false
      return { isInView: top >= 0 && top < innerHeight, hasFocus }
    })
    assert.deepEqual(state, { isInView: true, hasFocus: true })
    await alert.getByRole('button', { name: 'Keep your changes' }).click()
    await page.getByText('is saved').waitFor()
  })

  test('a record that does not exist has a title, and a way back to its list', async () => {
    for (const [path, list] of [
      ['/limits/4000', 'Limits'],
      ['/transports/4000', 'Transports'],
    ] as const) {
      const page = await console.open(path)
      await page.getByRole('heading', { level: 1, name: 'This page does not exist' }).waitFor()
      await page.getByRole('alert').getByText('not found').waitFor()
      await assertAccessible(page)
      await page.locator('main').getByRole('link', { name: list }).click()
      await page.getByRole('heading', { level: 1, name: list }).waitFor()
    }
  })

  test('texts can be copied without HTTPS, where the browser offers no clipboard', async () => {
    const page = await console.context.newPage()
    await page.addInitScript(() =>
      Object.defineProperty(Navigator.prototype, 'clipboard', { value: undefined }),
    )
    await page.goto(`${console.url}/emails`)
    await page.locator('.table').waitFor()
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    const copy = page.getByRole('button', { name: /^Copy GET \/api\/emails\?/ })
    await copy.click()
    await page.getByText('Copied.').waitFor()
    assert.equal(await copy.evaluate((button) => document.activeElement === button), true)
    await page.keyboard.press('Escape')
    await page.getByRole('searchbox').first().focus()
    await page.keyboard.press('ControlOrMeta+V')
    assert.match(await page.getByRole('searchbox').first().inputValue(), /^curl -u /)
    await page.evaluate(() => Object.assign(document, { execCommand: () => false }))
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    await copy.click()
    await page.getByText('The browser does not let this page copy.').waitFor()
    await page.close()
  })

  test('a value that is refused has the focus, in the window', async () => {
    const page = await console.open(`/emails/${emailId}`)
    await page.getByLabel('From: address').fill('not an address')
    await page.getByLabel('Name', { exact: true }).press('Enter')
    await page.locator('[aria-invalid="true"]').waitFor()
    const isInView = await page.evaluate(() => {
      const { top = -1 } = document.activeElement?.getBoundingClientRect() ?? {}
      const isFaulty = document.activeElement?.getAttribute('aria-invalid') === 'true'
      return isFaulty && top >= 0 && top < innerHeight
    })
    assert.equal(isInView, true)
  })

  test('all times have the style and the zone that the reader chose, which the menu shows', async () => {
    const page = await console.open('/emails')
    const title = () => page.locator('.table time').first().getAttribute('title')
    await page.locator('.table time').first().waitFor({ state: 'attached' })
    await page.getByRole('button', { name: /^Settings/ }).click()
    const dialog = page.getByRole('dialog', { name: 'Settings' })
    await dialog.getByLabel('Dates and numbers').selectOption('en-GB')
    await dialog.getByLabel('Time zone').selectOption('Asia/Tokyo')
    await assertAccessible(page)
    await dialog.getByRole('button', { name: 'Close' }).click()
    assert.match(String(await title()), /^\d{1,2} \w{3} \d{4}, \d\d:\d\d:\d\d .*(?:GMT\+9|JST)/)
    await page.getByRole('button', { name: /^Settings.*Asia\/Tokyo/ }).waitFor()
    await page.reload()
    await page.locator('.table time').first().waitFor({ state: 'attached' })
    assert.match(String(await title()), /GMT\+9|JST/)
  })
})

describe('the menu of the console', needsBrowser, () => {
  test('says what waits', async (t) => {
    const console = await openTestConsole()
    t.after(() => console.close())
    const page = await console.open('/')
    const menu = page.getByRole('navigation', { name: 'Menu' })
    await menu.getByRole('link', { name: /Health.*findings?/ }).waitFor()
    await assertAccessible(page)
  })
})
