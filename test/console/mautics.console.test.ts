import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { needsBrowser } from '../browser/launch.ts'
import { addUser } from '../callers.ts'
import { logDeliveries } from '../log-deliveries.ts'
import { type MauticDouble, startMauticDouble } from '../mautic-double/mautic-double.ts'
import { openDialogue } from '../smtp-dialogue.ts'
import { until } from '../until.ts'
import { assertAccessible, openTestConsole, type TestConsole } from './test-console.ts'

describe('connected Mautics in the console', needsBrowser, () => {
  let console: TestConsole
  let mautic: MauticDouble
  let smtpPort: number

  before(async () => {
    mautic = await startMauticDouble()
    console = await openTestConsole({ config: { mailerDsn: 'inbox://local' } })
    smtpPort = (await console.service.openSmtpServer()).port ?? 0
  })
  after(async () => {
    await console?.close()
    await mautic?.close()
  })

  test('a Mautic is connected step by step, to its first message', async () => {
    const page = await console.open('/mautics')
    await page.getByRole('link', { name: 'Connect a Mautic' }).first().click()
    await page.getByLabel('URL of Mautic').fill(mautic.url)
    await page.getByLabel('Name', { exact: true }).fill('Shop')
    const { username, password } = mautic.administrator
    await page.getByLabel('User name').fill(username)
    await page.getByRole('textbox', { name: 'Password' }).fill('not the password')
    await page.getByRole('button', { name: 'Connect' }).click()
    await page.getByText('The Mautic "shop" was not saved.').waitFor()
    await page.getByText('was not accepted by this Mautic').waitFor()
    assert.equal((await console.service.ask('GET', '/api/mautics')).body.total, 0)
    await assertAccessible(page)
    await page.getByRole('textbox', { name: 'Password' }).fill(password)
    await page.getByRole('button', { name: 'Connect' }).click()
    await page.getByRole('heading', { name: 'Mautic "shop" is connected' }).waitFor()
    const dsn = new URL(await page.getByLabel('Mailer DSN').inputValue())
    await page.getByText('The Mautic "shop" can be used.').waitFor()
    await page.getByText('Waiting for the first message').waitFor()
    const webhook = page.getByRole('region', { name: 'Create the webhook' })
    await webhook.getByLabel('Where Mautic reaches Mailyard').fill('no address')
    await webhook.getByRole('button', { name: 'Create the webhook' }).click()
    await webhook.getByText('must be an http or https URL').first().waitFor()
    await webhook.getByLabel('Where Mautic reaches Mailyard').fill(console.url)
    await webhook.getByRole('button', { name: 'Create the webhook' }).click()
    await page.getByText(`leads to ${console.url}/webhooks/mautic/1`).waitFor()
    assert.equal(mautic.data.hooks.size, 1)
    await assertAccessible(page)

    const dialogue = await openDialogue(smtpPort)
    await dialogue.say('EHLO mautic.test')
    await dialogue.logIn(dsn.username, dsn.password)
    const raw = 'From: news@shop.test\r\nTo: ann@rcpt.test\r\nSubject: Test\r\n\r\nHello'
    await dialogue.hand({ from: 'news@shop.test', to: ['ann@rcpt.test'], raw })
    dialogue.end()
    await page.getByText('A message to ann@rcpt.test has come.').waitFor()
    await assertAccessible(page)
  })

  test('the finding of a changed webhook has a button that creates it again', async () => {
    const [hook] = mautic.data.hooks.values()
    hook.isPublished = false
    await console.service.app.mautics.synchronize(1)
    const page = await console.open('/health')
    await page.getByText(`Webhook ${hook.id} is unpublished.`).waitFor()
    await page.getByRole('button', { name: 'Create again: shop' }).click()
    await page.getByText(/^Webhook \d+ of this Mautic leads to/).waitFor()
    const states = [...mautic.data.hooks.values()].map(({ isPublished }) => isPublished)
    assert.deepEqual(states, [true])
  })

  test('the page of a Mautic shows the problem of its webhook, creates it again, and deletes it', async () => {
    const [hook] = mautic.data.hooks.values()
    hook.isPublished = false
    await console.service.app.mautics.synchronize(1)
    const page = await console.open('/mautics/1?tab=settings')
    const webhook = page.getByRole('region', { name: 'Webhook' })
    await webhook.getByText(`Webhook ${hook.id} is unpublished.`).waitFor()
    await assertAccessible(page)
    await webhook.getByRole('button', { name: 'Create it again' }).click()
    await page.getByText(/^Webhook \d+ of this Mautic leads to/).waitFor()
    assert.deepEqual(
      [...mautic.data.hooks.values()].map(({ isPublished }) => isPublished),
      [true],
    )
    await webhook.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('The webhook was deleted in Mautic.').waitFor()
    await webhook.getByRole('button', { name: 'Create the webhook' }).waitFor()
    assert.equal(mautic.data.hooks.size, 0)
  })

  test('a Mautic without a transport is connected: the check fails, and its first message waits with the reason', async () => {
    const without = await openTestConsole()
    try {
      const { port = 0 } = await without.service.openSmtpServer()
      const page = await without.open('/mautics/new')
      const fill = async (name: string) => {
        await page.getByLabel('URL of Mautic').fill(mautic.url)
        await page.getByLabel('Name', { exact: true }).fill(name)
        const { username, password } = mautic.administrator
        await page.getByLabel('User name').fill(username)
        await page.getByRole('textbox', { name: 'Password' }).fill(password)
      }
      await fill('waiting')
      await page.getByRole('button', { name: 'Connect' }).click()
      const dsn = new URL(await page.getByLabel('Mailer DSN').inputValue())
      await page.getByText('Mail without an assignment has no transport').first().waitFor()
      const dialogue = await openDialogue(port)
      await dialogue.say('EHLO mautic.test')
      await dialogue.logIn(dsn.username, dsn.password)
      const raw = 'From: news@shop.test\r\nTo: ann@rcpt.test\r\nSubject: Test\r\n\r\nHello'
      await dialogue.hand({ from: 'news@shop.test', to: ['ann@rcpt.test'], raw })
      dialogue.end()
      await page.getByText('It is stored, not sent, and waits: 451').waitFor()
      await assertAccessible(page)
      await page.getByRole('link', { name: 'Choose a default transport' }).click()
      await page.getByRole('button', { name: 'Try it with the inbox' }).click()
      await page.getByText('Inbox', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Mautic "waiting" is saved.').last().waitFor()
      await until(async () => {
        const { body } = await without.service.ask('GET', '/api/deliveries?mautic=1')
        return body.deliveries[0]?.outcome === 'accepted'
      }, 'the message is captured')
      await assertAccessible(page)
    } finally {
      await without.close()
    }
  })

  test('the page of a Mautic shows what is known of it, saves changes, and renews the SMTP password', async () => {
    const { service } = console
    const { mautics } = (await service.ask('GET', '/api/mautics')).body
    await service.app.mautics.synchronize(mautics[0].id)
    await until(async () => {
      const { body } = await service.ask('GET', `/api/mautics/${mautics[0].id}`)
      return body.mautic.status.emails === 40
    }, 'the synchronization')
    const page = await console.open('/mautics')
    await page.setViewportSize({ width: 1600, height: 800 })
    await page.getByRole('row', { name: /shop.*Connected.*None.*40, 12/ }).waitFor()
    await assertAccessible(page)
    await page.getByRole('link', { name: 'shop' }).click()
    await page.getByRole('heading', { name: 'Synchronization' }).waitFor()
    await page.getByText('Connected', { exact: true }).waitFor()
    await page.getByText('A message to ann@rcpt.test has come.').waitFor()
    await assertAccessible(page)
    await page.getByRole('button', { name: 'New password' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'New password' }).click()
    const shown = await page.getByLabel('Mailer DSN').inputValue()
    assert.match(shown, /^smtp:\/\/[0-9a-f]{32}:[0-9a-f]{64}@/)
    await page.getByRole('button', { name: 'I have copied it' }).click()
    await page.getByRole('tab', { name: 'Settings' }).click()
    await page.getByLabel('Host names').fill('mail.shop.test')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Mautic "shop" is saved.').waitFor()
    const { body } = await service.ask('GET', `/api/mautics/${mautics[0].id}`)
    assert.deepEqual(body.mautic.hosts, ['mail.shop.test'])
    await assertAccessible(page)
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
      const { body } = await console.service.ask('GET', '/api/mautics/1/reports')
      return body.reports.find((each: { address: string }) => each.address === address)?.state
    }
    await until(async () => (await state('stranger@rcpt.test')) === 'failed', 'the failed report')
    await until(async () => (await state('c20@rcpt.test')) === 'done', 'the accepted report')
    const page = await console.open('/mautics')
    await page.getByRole('link', { name: 'shop' }).click()
    await page.getByRole('tab', { name: 'Reports' }).click()
    const region = page.getByRole('region', { name: 'Reports to this Mautic' })
    await region.getByRole('row', { name: /c20@rcpt\.test.*Accepted/ }).waitFor()
    await assertAccessible(page)
    await region.getByLabel('State').selectOption('failed')
    await region.getByText('c20@rcpt.test').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Send now: the report of stranger@rcpt.test' }).click()
    await page.getByText('The report of stranger@rcpt.test is sent now.').waitFor()
    await until(async () => (await state('stranger@rcpt.test')) === 'failed', 'another failure')
    await region.getByLabel('State').selectOption('')
    await page.getByRole('button', { name: 'Delete the report of stranger@rcpt.test' }).click()
    await region.getByText('stranger@rcpt.test').waitFor({ state: 'detached' })
    assert.equal(await state('stranger@rcpt.test'), undefined)
  })

  test('a Mautic that is down is stored when that is asked for, and a wrong new password is not saved', async () => {
    const page = await console.open('/mautics/1?tab=settings')
    await page.getByRole('textbox', { name: 'Password' }).fill('not the password')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('was not accepted by this Mautic').waitFor()
    await page.getByRole('button', { name: 'Discard changes' }).click()
    await page.goto(`${console.url}/mautics/new`)
    await page.getByLabel('URL of Mautic').fill('http://127.0.0.1:1')
    await page.getByLabel('Name', { exact: true }).fill('down')
    await page.getByLabel('User name').fill('mailyard')
    await page.getByRole('textbox', { name: 'Password' }).fill('secret')
    await page.getByRole('button', { name: 'Connect' }).click()
    await page.getByText('does not lead to a Mautic').waitFor()
    await page.getByRole('button', { name: 'Save without the test' }).click()
    await page.getByRole('heading', { name: 'is stored, and not connected yet' }).waitFor()
    await console.service.ask('DELETE', '/api/mautics/2/delete')
  })

  test('a viewer sees Mautics, and changes none', async () => {
    const viewer = await addUser(console.service, { api: ['view'] })
    const page = await console.open('/mautics', viewer)
    await page.getByRole('link', { name: 'shop' }).click()
    await page.getByRole('heading', { name: 'shop' }).waitFor()
    assert.equal(await page.getByRole('button', { name: /Save|Delete|New password/ }).count(), 0)
    await page.getByRole('tab', { name: 'Settings' }).click()
    assert.equal(await page.getByRole('button', { name: /Save|Delete|Create/ }).count(), 0)
    assert.ok(await page.getByLabel('URL of Mautic').isDisabled())
  })

  test('refused messages are listed, and a tag is asked for', async () => {
    const { service } = console
    // A link may lead to the tab.
    const page = await console.open('/mautics/1#refusals')
    const region = page.getByRole('region', { name: 'Refused messages' })
    await region.getByText('No message of this Mautic was refused.').waitFor()
    await page.getByRole('tab', { name: 'Settings' }).click()
    await page.getByLabel('Tag contacts whose messages are refused').check()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Mautic "shop" is saved.').waitFor()
    const { body } = await service.ask('GET', '/api/mautics/1')
    assert.equal(body.mautic.isTagging, true)
    const about = { mautic_id: 1, email_id: 17, recipient: 'late@rcpt.test' }
    const rows = Array.from({ length: 21 }, (_, index) => {
      const reply = '554 5.7.1 rejected as spam'
      return { ...about, outcome: 'refused' as const, reply, recipient: `r${index}@rcpt.test` }
    })
    await logDeliveries(service, [{ ...about, outcome: 'expired' }, ...rows])
    await page.getByRole('tab', { name: 'Reports' }).click()
    await region
      .getByRole('row', { name: /r20@rcpt\.test.*554 5\.7\.1 rejected as spam/ })
      .waitFor()
    await region.getByText('1–20 of 22').waitFor()
    await assertAccessible(page)
    await region.getByRole('button', { name: 'Next' }).click()
    await region.getByRole('row', { name: /r0@rcpt\.test/ }).waitFor()
    await region.getByLabel('Outcome').selectOption('expired')
    await region.getByText('1–1 of 1').waitFor()
    await region.getByLabel('Outcome').selectOption('cancelled')
    await region.getByText('No refused message has this outcome.').waitFor()
  })
})
