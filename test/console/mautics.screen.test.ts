import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { addUser } from '../callers.ts'
import { type MauticDouble, startMauticDouble } from '../mautic-double/mautic-double.ts'
import { synchronizeMautic } from '../mautics.ts'
import { until } from '../until.ts'
import { handFromMautic } from './hand-from-mautic.ts'
import { openTestScreens, useScreens } from './test-screens.ts'

describe('connected Mautics in the console', () => {
  const console = useScreens({ config: { mailerDsn: 'inbox://local' } })
  let mautic: MauticDouble
  before(async () => {
    mautic = await startMauticDouble()
    const url = await console.service.listen()
    // A person connects it in the tests of docs/tasks.
    await console.ask('POST', '/api/mautics/new', {
      name: 'shop',
      url: mautic.url,
      ...mautic.administrator,
    })
    await console.ask('POST', '/api/mautics/1/webhook', { url })
  })
  after(async () => {
    await mautic?.close()
  })

  test('the finding of a changed webhook has a button that creates it again', async () => {
    const [hook] = mautic.data.hooks.values()
    hook.isPublished = false
    await synchronizeMautic(console.service, 1)
    // What was found before is kept for some seconds.
    console.clock.advance(10_000)
    const page = await console.open('/health')
    await page.see(`Webhook ${hook.id} is unpublished.`)
    await page.button('Create again: shop').click()
    await page.see(/^Webhook \d+ of this Mautic leads to/)
    const states = [...mautic.data.hooks.values()].map(({ isPublished }) => isPublished)
    assert.deepEqual(states, [true])
  })

  test('the page of a Mautic shows the problem of its webhook, creates it again, and deletes it', async () => {
    const [hook] = mautic.data.hooks.values()
    hook.isPublished = false
    await synchronizeMautic(console.service, 1)
    const page = await console.open('/mautics/1?tab=settings')
    const webhook = page.region('Webhook')
    await webhook.see(`Webhook ${hook.id} is unpublished.`)
    await webhook.button('Create it again').click()
    await page.see(/^Webhook \d+ of this Mautic leads to/)
    assert.deepEqual(
      [...mautic.data.hooks.values()].map(({ isPublished }) => isPublished),
      [true],
    )
    await webhook.getByText('is unpublished.').gone()
    await webhook.confirm('Delete')
    await page.see('The webhook was deleted in Mautic.')
    await webhook.button('Create the webhook').waitFor()
    assert.equal(mautic.data.hooks.size, 0)
  })

  test('a Mautic without a transport is connected: the check fails, and its first message waits with the reason', async () => {
    const without = await openTestScreens()
    try {
      const { port = 0 } = await without.service.openSmtpServer()
      const page = await without.open('/mautics/new')
      const { username, password } = mautic.administrator
      await page.enter({ 'URL of Mautic': mautic.url, Name: 'Waiting', 'User name': username })
      await page.enter({ Password: 'not the password' })
      await page.button('Connect').click()
      await page.see('The Mautic "waiting" was not saved.', 'was not accepted by this Mautic')
      await page.enter({ Password: password })
      await page.button('Connect').click()
      const dsn = new URL(await page.getByLabel('Mailer DSN').inputValue())
      await page.see('Mail without an assignment has no transport', 'Waiting for the first message')
      const place = page.getByLabel('Where Mautic reaches Mailyard')
      const proposed = await place.inputValue()
      await place.fill('no address')
      await page.button('Create the webhook').click()
      await page.see('must be an http or https URL')
      await place.fill(proposed)
      await handFromMautic(port, dsn)
      await page.see('It is stored, not sent, and waits: 451')
      await page.link('Choose a default transport').click()
      await page.button('Try it with the inbox').click()
      await page.see(/^Inbox$/)
      await page.button('Save').click()
      await page.getByText('Mautic "waiting" is saved.').nth(-1).waitFor()
      await without.service.app.idle()
      const [{ outcome }] = (await without.ask('GET', '/api/deliveries?mautic=1')).deliveries
      assert.equal(outcome, 'accepted')
    } finally {
      await without.close()
    }
  })

  test('the page of a Mautic shows what is known of it, saves changes, and renews the SMTP password', async () => {
    const { service } = console
    const { mautics } = await console.ask('GET', '/api/mautics')
    await synchronizeMautic(service, mautics[0].id)
    await service.app.idle()
    const page = await console.open('/mautics')
    await page.row(/shop.*No message yet.*None.*40, 12/).waitFor()
    await page.link('shop').click()
    await page.see('Synchronization')
    await page.see(/^No message yet$/)
    await page.confirm('New password')
    const shown = await page.getByLabel('Mailer DSN').inputValue()
    assert.match(shown, /^smtp:\/\/[0-9a-f]{32}:[0-9a-f]{64}@/)
    await page.button('I have copied it').click()
    await page.edit()
    await page.enter({ 'Host names': 'mail.shop.test', 'Log-in only from': '127.0.0.0/8' })
    await page.button('Save').click()
    await page.see('Mautic "shop" is saved.')
    const body = await console.ask('GET', `/api/mautics/${mautics[0].id}`)
    const { hosts, networks } = body.mautic
    assert.deepEqual({ hosts, networks }, { hosts: ['mail.shop.test'], networks: ['127.0.0.0/8'] })
  })

  test('reports to Do not contact are listed, sent again and deleted', async () => {
    const { reports } = console.service.app.mautics
    const report = { mauticId: 1, contactId: null, emailId: 17, reason: 'bounced' as const }
    const comments = '550 5.1.1 no such user'
    await reports.add([
      { ...report, address: 'c20@rcpt.test', comments },
      { ...report, address: 'stranger@rcpt.test', comments },
    ])
    const state = async (address: string) => {
      const body = await console.ask('GET', '/api/mautics/1/reports')
      return body.reports.find((each: { address: string }) => each.address === address)?.state
    }
    await until(async () => (await state('stranger@rcpt.test')) === 'failed', 'the failed report')
    await until(async () => (await state('c20@rcpt.test')) === 'done', 'the accepted report')
    const page = await console.open('/mautics')
    await page.link('shop').click()
    await page.tab('Reports').click()
    const region = page.region('Reports to this Mautic')
    await region.row(/c20@rcpt\.test.*Accepted/).waitFor()
    await region.filterBy('State', 'Failed')
    await region.getByText('c20@rcpt.test').gone()
    await page.button('Send now: the report of stranger@rcpt.test').click()
    await page.see('Sent now: the report of stranger@rcpt.test.')
    await until(async () => (await state('stranger@rcpt.test')) === 'failed', 'another failure')
    await region.button('Remove the filter State: Failed').click()
    await page.button('Delete the report of stranger@rcpt.test').click()
    await region.getByText('stranger@rcpt.test').gone()
    assert.equal(await state('stranger@rcpt.test'), undefined)
  })

  test('a Mautic that is down is stored when that is asked for, and a wrong new password is not saved', async () => {
    const page = await console.open('/mautics/1?edit=1')
    await page.enter({ Password: 'not the password' })
    await page.button('Save').click()
    await page.see('was not accepted by this Mautic')
    await page.button('Discard changes').click()
    await page.goto('/mautics/new')
    await page.enter({
      'URL of Mautic': 'http://127.0.0.1:1',
      Name: 'down',
      'User name': 'mailyard',
    })
    await page.enter({ Password: 'secret' })
    await page.button('Connect').click()
    await page.see('does not lead to a Mautic')
    await page.button('Save without the test').click()
    await page.opens('is stored, and not connected yet')
    await console.ask('DELETE', '/api/mautics/2/delete')
  })

  test('a viewer sees Mautics, and changes none', async () => {
    const viewer = await addUser(console.service, { api: ['view'] })
    const page = await console.open('/mautics', viewer)
    await page.link('shop').click()
    await page.opens('shop')
    assert.equal(await page.button(/Save|Delete|New password/).count(), 0)
    await page.tab('Settings').click()
    await page.region('Details').see(mautic.url)
    assert.equal(await page.button(/Save|Edit|Delete|Create/).count(), 0)
  })

  test('leads to its refused messages, and has their contacts tagged', async () => {
    const page = await console.open('/mautics/1?tab=reports')
    const link = page.link('Refused messages')
    assert.equal(await link.getAttribute('href'), '/deliveries?mautic=1&outcome=refused')
    await page.edit()
    await page.enter({ 'Tag contacts whose messages are refused': true })
    await page.button('Save').click()
    await page.see('Mautic "shop" is saved.')
    const body = await console.ask('GET', '/api/mautics/1')
    assert.equal(body.mautic.isTagging, true)
  })
})
