import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { BroadcastTables } from '../../src/broadcasts/table.ts'
import { createBroadcastFixture } from '../broadcasts/broadcast-fixture.ts'
import { needsBrowser } from '../browser/launch.ts'
import { addUser } from '../callers.ts'
import { type MailCatcher, startMailCatcher } from '../mail-catcher.ts'
import { type ScriptedServer, startScriptedServer } from '../scripted-server.ts'
import { assertAccessible, openTestConsole, type TestConsole } from './test-console.ts'

describe('broadcasts in the console', needsBrowser, () => {
  let console: TestConsole
  let catcher: MailCatcher
  let server: ScriptedServer
  const fixture = createBroadcastFixture(() => console.service)
  before(async () => {
    catcher = await startMailCatcher()
    server = await startScriptedServer()
    console = await openTestConsole({ config: { adminEmail: 'admin@example.com' } })
  })
  after(async () => {
    await console?.close()
    await catcher?.stop()
    await server?.stop()
  })

  const figure = (name: string, value: number) =>
    console.page.locator('.figure', { hasText: name }).getByText(String(value), { exact: true })

  const badge = (state: string) =>
    console.page.locator('.page-head .badge').getByText(state, { exact: true })

  test('an email is tested, sent to a segment and followed; refused recipients are tried again', async () => {
    const transportId = await fixture.transport(catcher.dsn)
    const values = { name: 'News', subject: 'Hello {contactfield=firstname}' }
    const emailId = await fixture.email(transportId, values)
    const { segment } = await fixture.segment(5, (index) =>
      index < 2 ? { email: `refuse-554-${index}@example.com` } : {},
    )
    const page = await console.open('/broadcasts')
    await page.getByText('No broadcast yet.').waitFor()
    await assertAccessible(page)
    await page.getByRole('link', { name: 'New broadcast' }).first().click()
    await page.getByRole('combobox', { name: 'Email' }).fill('News')
    await page.getByRole('option', { name: /^News/ }).click()
    await page.getByRole('combobox', { name: 'Segment' }).fill(segment)
    await page.getByRole('option', { name: segment }).click()
    await page.getByText('The email reaches 5 contacts.').waitFor()
    const preview = page.getByRole('region', { name: 'Preview' })
    await preview.getByText('Hello N0').waitFor()
    await preview.getByText('mailyard@localhost').waitFor()
    const through = page.getByRole('region', { name: 'Sent through' })
    await through.getByText('Not tested').waitFor()
    await through.getByText('Nothing was sent through it in the last 24 hours.').waitFor()
    assert.equal(new URL(page.url()).searchParams.get('emailId'), String(emailId))

    await page.getByRole('button', { name: 'Send a test to yourself' }).click()
    await page.getByText('Sent to admin@example.com.').waitFor()
    await through.getByText(/In the last 24 hours: 1 accepted/).waitFor()
    assert.deepEqual(catcher.mails[0]?.to, ['admin@example.com'])
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Send to 5 contacts' }).click()
    await page.getByRole('dialog').getByText('You have sent a test to yourself.').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Send now' }).click()

    await badge('Done, not to all').waitFor()
    await figure('Accepted', 3).waitFor()
    await figure('Refused', 2).waitFor()
    assert.equal(catcher.mails.length, 4)
    const refused = page.getByRole('region', { name: 'Recipients' })
    await refused
      .getByText(/5\.7\.1 not welcome/)
      .first()
      .waitFor()
    await refused.getByRole('link', { name: 'refuse-554-1@example.com' }).waitFor()
    await refused
      .getByRole('row', { name: /Refused/ })
      .nth(1)
      .waitFor()
    assert.equal(await refused.getByRole('row', { name: /Accepted/ }).count(), 0)
    await refused.getByLabel('State').selectOption({ label: 'Accepted' })
    await refused
      .getByRole('row', { name: /Accepted/ })
      .nth(2)
      .waitFor()
    assert.equal(await refused.getByRole('row', { name: /Refused/ }).count(), 0)
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Send to 2 refused recipients again' }).click()
    await page.getByText('2 contacts queued again.').waitFor()
    await badge('Done, not to all').waitFor()
    await page.locator('.page-head').getByRole('link', { name: 'Broadcasts' }).click()
    await page.getByRole('row', { name: /News.*Done, not to all/ }).waitFor()
    await assertAccessible(page)
  })

  test('what the email does not reach is left out of the button, and a transport that fails says so', async () => {
    const transportId = await fixture.transport('smtp://127.0.0.1:1')
    await console.service.ask('POST', `/api/multipleTransports/send/test/${transportId}`, {})
    const emailId = await fixture.email(transportId, { name: 'Few' })
    const { segment, contacts } = await fixture.segment(4)
    for (const { email } of contacts.slice(0, 3))
      await console.service.ask('POST', '/api/suppressions/new', { address: email })
    const page = await console.open(`/broadcasts/new?emailId=${emailId}&segment=${segment}`)
    await page.getByText('Suppressed: 3').waitFor()
    await page.getByRole('button', { name: 'Send to 1 contact', exact: true }).waitFor()
    await page.getByRole('region', { name: 'Preview' }).getByText('N3').waitFor()
    const through = page.getByRole('region', { name: 'Sent through' })
    await through.getByText('Failed its last test').waitFor()
    await through.getByRole('alert').waitFor()
    await assertAccessible(page)
  })

  test('refused recipients whose addresses are suppressed now are not offered to be sent to again', async () => {
    server.act = () => ({ code: 550, text: '5.7.1 blocked' })
    const emailId = await fixture.email(await fixture.transport(server.dsn), { name: 'Blocked' })
    const { segment, contacts } = await fixture.segment(2)
    const id = await fixture.send(emailId, { segment })
    await fixture.until(id, ({ state }) => state === 'done')
    const page = await console.open(`/broadcasts/${id}`)
    const again = page.getByRole('button', { name: /refused recipients? again/ })
    await again.getByText('Send to 2 refused recipients again').waitFor()
    for (const { email } of contacts)
      await console.service.ask('POST', '/api/suppressions/new', { address: email })
    const counted = page.waitForResponse(/retry\?dryRun=1/)
    await page.reload()
    await counted
    await badge('Done, not to all').waitFor()
    assert.equal(await again.count(), 0)
  })

  test('a broadcast is followed live, paused, resumed and cancelled', async () => {
    server.act = () => ({ code: 450, text: '4.2.0 try again later' })
    const emailId = await fixture.email(await fixture.transport(server.dsn), { name: 'Later' })
    const { segment } = await fixture.segment(3)
    const id = await fixture.send(emailId, { segment })
    const page = await console.open(`/broadcasts/${id}`)
    await page.getByText('Live', { exact: true }).waitFor()
    await figure('Waiting', 3).waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    const states = page.getByRole('region', { name: 'Recipients' }).getByRole('row')
    await badge('Paused').waitFor()
    await states.filter({ hasText: 'Paused' }).nth(2).waitFor()
    await page.getByRole('link', { name: 'Its recipients in the queue' }).click()
    const ofBroadcast = page.getByRole('row').filter({ hasText: `Broadcast ${id}` })
    const waiting = ofBroadcast.filter({ hasText: 'Paused' })
    await waiting.nth(2).waitFor()
    await assertAccessible(page)
    await waiting
      .first()
      .getByRole('link', { name: `Broadcast ${id}` })
      .click()
    await page.getByRole('button', { name: 'Resume' }).click()
    await badge('Running').waitFor()
    await fixture.act(id, 'pause')
    const brake = { braked_at: 1, brake_attempts: 60, brake_refused: 58 }
    const db = console.service.app.storage.tables<BroadcastTables>()
    await db.updateTable('broadcasts').set(brake).where('id', '=', id).execute()
    await page.reload()
    const notice = page.getByRole('alert').filter({ hasText: '58 of 60 attempts were refused' })
    await notice.getByRole('link', { name: 'Show the refused deliveries' }).waitFor()
    await notice.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('dialog').getByText('Continue, and send to 3 contacts?').waitFor()
    await assertAccessible(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Continue' }).click()
    await badge('Running').waitFor()
    await page.getByRole('button', { name: 'Cancel the broadcast' }).click()
    const dialog = page.getByRole('dialog', { name: 'Cancel, and leave out 3 contacts?' })
    await dialog.getByRole('button', { name: 'Cancel the broadcast' }).click()
    await badge('Cancelled').waitFor()
    await figure('Not reached', 3).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Resume' }).count(), 0)
  })

  test('while events are not served, the broadcast is asked for again and again', async () => {
    server.act = () => ({ code: 450, text: '4.2.0 try again later' })
    const emailId = await fixture.email(await fixture.transport(server.dsn))
    const { segment } = await fixture.segment(1)
    const id = await fixture.send(emailId, { segment })
    const events = `**/api/broadcasts/${id}/events`
    await console.page.route(events, (route) => route.fulfill({ status: 503, body: '' }))
    const page = await console.open(`/broadcasts/${id}`)
    await page.getByText('Refreshed every few seconds').waitFor()
    await fixture.act(id, 'cancel')
    await badge('Cancelled').waitFor()
    await page.unroute(events)
  })

  test('an address with an email that does not exist says so beside the field', async () => {
    const page = await console.open('/broadcasts/new?emailId=999&segment=x')
    await page.getByRole('combobox', { name: 'Email', description: /not found/ }).waitFor()
    assert.equal(await page.getByRole('button', { name: /^Send/ }).count(), 0)
  })

  test('who may only view sees the progress and the reasons, and no way to send', async () => {
    const viewer = await addUser(console.service, { email: ['view'], contact: ['view'] })
    const page = await console.open('/broadcasts', viewer)
    await page.getByRole('link', { name: 'News' }).click()
    await page
      .getByRole('region', { name: 'Recipients' })
      .getByRole('row', { name: /Refused.*554 5\.7\.1/ })
      .first()
      .waitFor()
    assert.equal(await page.getByRole('button', { name: /Pause|Cancel|Send/ }).count(), 0)
    await assertAccessible(page)
    await page.goto(`${console.url}/broadcasts/new`)
    await page.getByText('You may not send emails.').waitFor()
  })
})
