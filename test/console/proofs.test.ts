import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { needsBrowser } from '../browser/launch.ts'
import { addTransport } from '../callers.ts'
import { type DnsServer, startDnsServer } from '../dns-server.ts'
import { type MailServer, openMailServer } from '../mail-server.ts'
import { assertAccessible, openTestConsole, type TestConsole } from './test-console.ts'

describe('proofs in the console', needsBrowser, () => {
  let console: TestConsole
  let dns: DnsServer
  let server: MailServer
  before(async () => {
    dns = await startDnsServer({ '_dmarc.brand.example': { TXT: ['v=DMARC1; p=reject'] } })
    server = await openMailServer()
    console = await openTestConsole({ config: { dnsServers: [dns.address] } })
  })
  after(async () => {
    await console?.close()
    await server?.close()
    await dns?.close()
  })

  const card = (name: string) => console.page.getByRole('region', { name, exact: true })

  test('the proof leads from a test message to its source, and is shown with the domain', async () => {
    const domain = 'proven.example'
    await addTransport(console.service, {
      name: 'Proven relay',
      mailerDsn: `smtp://127.0.0.1:${server.port}`,
      testedEmailFrom: `news@${domain}`,
    })
    const { service } = console
    const added = await service.ask('POST', '/api/dkimKeys/new', { domain, selector: 'p1' })
    const { dkimKey } = added.body
    dns.set(dkimKey.record.name, 'TXT', [dkimKey.record.value])
    await service.ask('POST', `/api/dkimKeys/${dkimKey.id}/check`)
    const page = await console.open(`/senders/${domain}`)
    await card('Proven relay').getByRole('link', { name: 'Prove it' }).click()
    await page.getByRole('button', { name: 'Send the test message', disabled: false }).waitFor()
    assert.equal(await page.getByLabel('From address').inputValue(), `news@${domain}`)
    await page.getByLabel('Your mailbox').fill('ann@mailbox.example')
    await page.getByRole('button', { name: 'Send the test message' }).click()
    await page.getByText('Wait for the message, then go on with step 2.').waitFor()
    for (const program of ['Outlook', 'Apple Mail', 'Thunderbird'])
      await page.getByRole('tab', { name: program }).click()
    await page.getByText('View Source').waitFor()
    const source = page.getByRole('textbox', { name: 'Source of the message' })
    await source.fill('Hello,\n\nthis is the text that is shown.')
    await page.getByRole('button', { name: 'Verify' }).click()
    await page.getByText('This is not the source of a message').waitFor()
    await assertAccessible(page)
    const [tested] = server.received
    assert.ok(tested)
    assert.deepEqual(tested.to, ['ann@mailbox.example'])
    await source.fill(tested.raw)
    await page.getByRole('button', { name: 'Verify' }).click()
    await card('Result').getByText('Valid', { exact: true }).waitFor()
    await card('Result').getByText('The message is kept as the proof of this sender.').waitFor()
    await assertAccessible(page)
    await card('Result').getByRole('link', { name: domain }).click()
    await card('Proven relay').getByText('Kept until').waitFor()
  })

  test('the proof of the default transport begins with a message that was sent otherwise', async () => {
    const page = await console.open('/senders/verify?domain=brand.example&transport=0')
    await page.getByText('A test cannot be sent through the default transport').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Send the test message' }).count(), 0)
    await page.getByRole('textbox', { name: 'Source of the message' }).waitFor()
    await assertAccessible(page)
  })

  test('the source of a message that Mailyard did not send is verified, and is no proof', async () => {
    const page = await console.open('/senders/verify')
    const source = page.getByRole('textbox', { name: 'Source of the message' })
    await source.fill('From: a@brand.example\nTo: b@c.example\nMessage-ID: <x@brand.example>\n\nHi')
    await page.getByRole('button', { name: 'Verify' }).click()
    await card('Result').getByText('The message is not kept as a proof.').waitFor()
    await card('Result').getByText('The message has no DKIM signature.').waitFor()
    await assertAccessible(page)
  })
})
