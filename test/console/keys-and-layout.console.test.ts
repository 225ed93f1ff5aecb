import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { before, describe, test } from 'node:test'
import { createTransport } from 'nodemailer'
import { adminPassword } from '../administrator.ts'
import { needsBrowser } from '../browser/launch.ts'
import { addEmail, addTransport } from '../callers.ts'
import { logDeliveries } from '../log-deliveries.ts'
import { useTestConsole } from './test-console.ts'

describe('keys, focus, clipboard and layout of the console', needsBrowser, () => {
  const console = useTestConsole()
  let emailId: number
  let transportId: number
  before(async () => {
    const { service } = console
    const contacts = [0, 1, 2].map((index) => ({ email: `c00${index}@example.com` }))
    await service.ask('POST', '/api/contacts/batch/new', contacts)
    transportId = (await addTransport(service, { mailerDsn: 'inbox://local' })).id
    emailId = (await addEmail(service, { name: 'Welcome', plainText: 'Hello' })).id
  })

  const boxes = () => console.page.locator('.table tbody input[type="checkbox"]')
  const selected = () => console.page.locator('.selection')

  test('j and k go through the rows, x selects one, Enter opens it, and typing stays typing', async () => {
    const page = await console.open('/contacts')
    await boxes().first().waitFor()
    const isFocused = (hasText: string) => page.locator(':focus', { hasText }).waitFor()
    await page.keyboard.press('j')
    await isFocused('c000@example.com')
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('k')
    await isFocused('c001@example.com')
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

  test('an edit of someone else, and a value that is refused, are shown in the window with the focus', async () => {
    const page = await console.open(`/emails/${emailId}?edit=1`)
    await page.getByLabel('Name', { exact: true }).fill('Mine')
    await console.service.ask('PATCH', `/api/emails/${emailId}/edit`, { subject: 'Theirs' })
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
    await page.getByRole('button', { name: 'Save' }).click()
    const alert = page.getByRole('alert')
    await alert.getByText('Someone else has changed this').waitFor()
    await page.waitForFunction(() => {
      const notice = document.querySelector('.fault-of-form')
      const { top = -1 } = notice?.getBoundingClientRect() ?? {}
      return top >= 0 && top < innerHeight && notice?.contains(document.activeElement)
    })
    await alert.getByRole('button', { name: 'Keep your changes' }).click()
    await page.getByText('is saved').waitFor()

    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('From: address').fill('not an address')
    await page.getByLabel('Name', { exact: true }).press('Enter')
    await page.waitForFunction(() => {
      const { top = -1 } = document.activeElement?.getBoundingClientRect() ?? {}
      const isFaulty = document.activeElement?.getAttribute('aria-invalid') === 'true'
      return isFaulty && top >= 0 && top < innerHeight
    })
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
    await copy.and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('searchbox').first().focus()
    await page.keyboard.press('ControlOrMeta+V')
    assert.match(await page.getByRole('searchbox').first().inputValue(), /^curl -u /)
    // The list of what is searched for has its own text to copy.
    await page.waitForURL(/search=curl/)
    await page.evaluate(() => Object.assign(document, { execCommand: () => false }))
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    await copy.click()
    await page.getByText('The browser does not let this page copy.').waitFor()
    await page.close()
  })

  test('HTML is shown in a sandbox; the source is a download', async () => {
    const server = await console.service.openSmtpServer()
    const client = createTransport({
      host: '127.0.0.1',
      port: server.port ?? 0,
      auth: { user: 'admin', pass: adminPassword },
    })
    await client.sendMail({
      from: 'shop@example.com',
      to: 'carla@example.com',
      subject: 'Bill 7',
      html: '<h1>Your bill</h1><form><input aria-label="Code"></form>',
      headers: { 'X-Mailyard-Transport': String(transportId) },
      attachments: [{ filename: 'bill.txt', content: '12 euros' }],
    })
    const page = await console.open('/inbox')
    await page.getByRole('link', { name: 'Bill 7' }).click()
    const frame = page.locator('iframe')
    await page.frameLocator('iframe').getByRole('heading', { name: 'Your bill' }).waitFor()
    assert.equal(await frame.getAttribute('sandbox'), '')
    assert.doesNotMatch(String(await frame.getAttribute('src')), /images/)
    await page.getByLabel('Load images of other servers').check()
    await page.locator('iframe[src$="/html?images=1"]').waitFor()
    await page.getByRole('tab', { name: 'Text' }).click()
    await page.getByText('The message has no text.').waitFor()
    await page.getByRole('tab', { name: 'Source' }).click()
    await page.getByText(/^Subject: Bill 7/m).waitFor()
    await page.getByText(/^bill\.txt \(text\/plain/).waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download the source' }).click(),
    ])
    assert.match(download.suggestedFilename(), /^message-\d+\.eml$/)
    assert.match(readFileSync(await download.path(), 'utf8'), /^Subject: Bill 7/m)
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText(/No captured message yet/).waitFor()
    assert.equal(await page.getByRole('link', { name: 'Bill 7' }).count(), 0)
  })

  test('the overview has a bar for each outcome, all totals in one line, and nothing beside a small screen', async () => {
    const times = { started_at: Date.now() - 60_000 }
    const outcomes = ['accepted', 'refused', 'uncertain'] as const
    await logDeliveries(
      console.service,
      outcomes.map((outcome) => ({ outcome, recipient: `${outcome}@rcpt.test`, ...times })),
    )
    const page = await console.open('/?range=hour')
    const chart = page.getByRole('region', { name: 'Messages by outcome' })
    await chart.getByRole('img').waitFor()
    const heights = await chart
      .locator('.bars [data-outcome]')
      .evaluateAll((bars: HTMLElement[]) =>
        bars.flatMap((bar) => (bar.offsetHeight > 0 ? [bar.dataset['outcome']] : [])),
      )
    assert.deepEqual([...new Set(heights)].sort(), [...outcomes])
    await page.setViewportSize({ width: 1_440, height: 900 })
    const tops = await chart
      .locator('.totals li')
      .evaluateAll((all: HTMLElement[]) => all.map((each) => each.getBoundingClientRect().top))
    assert.equal(new Set(tops).size, 1)
    await console.open('/?range=week')
    await page.setViewportSize({ width: 360, height: 900 })
    await chart.getByRole('img').waitFor()
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360)
    // Also where the clock of the browser is ahead.
    await page.clock.setSystemTime(Date.now() + 2 * 3_600_000)
    await page.reload()
    await chart.getByRole('img').waitFor()
  })
})
