import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { createTransport } from 'nodemailer'
import { adminPassword } from '../administrator.ts'
import { needsBrowser } from '../browser/launch.ts'
import { addTransport, addUser } from '../callers.ts'
import { assertAccessible, openTestConsole, type TestConsole } from './test-console.ts'

const sandboxed = '<h1>Your bill</h1><form><input aria-label="Code"></form>'

describe('the inbox in the console', needsBrowser, () => {
  let console: TestConsole
  let transportId: number
  before(async () => {
    console = await openTestConsole()
  })
  after(() => console?.close())

  const sendTest = async (to: string) => {
    const path = `/api/multipleTransports/send/test/${transportId}`
    const { body } = await console.service.ask('POST', path, { to })
    assert.equal(body.success, true, body.message)
  }

  test('a captured test is listed and read', async () => {
    transportId = (
      await addTransport(console.service, { name: 'Try-out', mailerDsn: 'inbox://local' })
    ).id
    await sendTest('ann@example.com')
    await sendTest('bob@example.com')
    const page = await console.open('/inbox')
    await page.getByRole('row', { name: /ann@example\.com.*Try-out/ }).waitFor()
    await assertAccessible(page)
    await page.getByRole('link', { name: 'Test message' }).first().click()
    await page.getByRole('heading', { name: 'Test message' }).waitFor()
    await page.getByText('Captured, not sent').waitFor()
    assert.equal(
      await page.getByRole('link', { name: 'Try-out' }).getAttribute('href'),
      `/transports/${transportId}`,
    )
    await page.getByRole('tab', { name: 'Headers' }).click()
    await page.getByRole('tabpanel').getByText('Test message').waitFor()
    await assertAccessible(page)
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
      html: sandboxed,
      headers: { 'X-Mailyard-Transport': String(transportId) },
      attachments: [{ filename: 'bill.txt', content: '12 euros' }],
    })
    const page = await console.open('/inbox')
    await page.getByRole('link', { name: 'Bill 7' }).click()
    const frame = page.locator('iframe')
    await page.frameLocator('iframe').getByRole('heading', { name: 'Your bill' }).waitFor()
    assert.equal(await frame.getAttribute('sandbox'), '')
    assert.doesNotMatch(String(await frame.getAttribute('src')), /images/)
    await assertAccessible(page)
    await page.getByLabel('Phone width').check()
    assert.equal((await frame.boundingBox())?.width, 390)
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
    await page.getByRole('row', { name: /ann@example\.com/ }).waitFor()
    assert.equal(await page.getByRole('link', { name: 'Bill 7' }).count(), 0)
  })

  test('who may only view reads messages; who may delete, deletes one or all', async () => {
    const viewer = await addUser(console.service, { email: ['view'] })
    const page = await console.open('/inbox', viewer)
    await page.getByRole('link', { name: 'Test message' }).first().click()
    await page.getByText('Captured, not sent').waitFor()
    assert.equal(await page.getByRole('button', { name: /Delete/ }).count(), 0)
    assert.equal(await page.getByRole('link', { name: 'Try-out' }).count(), 0)
    await page.goto(`${console.url}/inbox`)
    await page
      .getByRole('row', { name: /Test message/ })
      .first()
      .waitFor()
    assert.equal(await page.getByRole('button', { name: /Delete/ }).count(), 0)
    await console.open('/inbox')
    await page.getByRole('button', { name: 'Delete all' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete all' }).click()
    await page.getByText(/No captured message yet/).waitFor()
  })
})
