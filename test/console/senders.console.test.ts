import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { emptyDelivery } from '../../src/delivery/log/delivery-row.ts'
import { type DeliveryTables, defaultTransport } from '../../src/delivery/table.ts'
import { needsBrowser } from '../browser/launch.ts'
import { addEmail, addTransport } from '../callers.ts'
import { type DnsServer, startDnsServer } from '../dns-server.ts'
import { type MailServer, openMailServer } from '../mail-server.ts'
import { createMovableClock } from '../movable-clock.ts'
import type { TestBody } from '../test-app.ts'
import { assertAccessible, openTestConsole, type TestConsole } from './test-console.ts'

const policy = 'v=DMARC1; p=reject; adkim=s'

/** Brevo signs with records that no domain has. */
const brevo = 'brevo+api://sample-key@default'

describe('senders in the console', needsBrowser, () => {
  let console: TestConsole
  let dns: DnsServer
  let server: MailServer
  /** The service remembers for some seconds which domains are used. */
  const clock = createMovableClock()
  before(async () => {
    dns = await startDnsServer({
      '_dmarc.brand.example': { TXT: [policy] },
      'brand.example': { TXT: ['v=spf1 ip4:192.0.2.1 -all'] },
      'other.example': { TXT: ['v=spf1 -all'] },
    })
    server = await openMailServer()
    console = await openTestConsole({ config: { dnsServers: [dns.address] }, clock })
    await console.context.grantPermissions(['clipboard-read', 'clipboard-write'])
  })
  after(async () => {
    await console?.close()
    await server?.close()
    await dns?.close()
  })

  const ask = async (method: 'GET' | 'POST', path: string, body?: unknown): Promise<TestBody> => {
    const answer = await console.service.ask(method, path, body)
    assert.ok(answer.status < 300, `${path}: ${answer.text}`)
    return answer.body
  }
  const relay = () => `smtp://127.0.0.1:${server.port}`
  /** Adds a transport whose test messages are of this domain. */
  const addSender = async (domain: string, name: string, mailerDsn: string): Promise<number> => {
    const values = { name, mailerDsn, testedEmailFrom: `news@${domain}` }
    const { id } = await addTransport(console.service, values)
    clock.advance(15_000)
    return id
  }
  const card = (name: string) => console.page.getByRole('region', { name, exact: true })

  test('each From domain is listed with its transports, and what is not aligned comes first', async () => {
    await addSender('brand.example', 'Relay', relay())
    await addSender('brand.example', 'Brevo', brevo)
    const page = await console.open('/senders')
    const row = page.getByRole('row').filter({ hasText: 'brand.example' })
    await row.getByText('Not checked').first().waitFor()
    await ask('POST', '/api/senders/brand.example/check')
    await page.reload()
    await row.getByText('DMARC: reject').waitFor()
    const cells = row.getByRole('listitem')
    assert.match(
      await cells.nth(0).innerText(),
      /Not aligned\s*Brevo\s*Set up brand\.example at Brevo, .+\./,
    )
    assert.match(
      await cells.nth(1).innerText(),
      /Cannot tell\s*Relay\s*Create an RSA key of Mailyard .+\./,
    )
    await assertAccessible(page)
    await page.getByRole('searchbox').fill('unused.example')
    await page.getByRole('link', { name: 'Check unused.example' }).waitFor()
    await page.getByRole('searchbox').fill('ann@address.example')
    await page.getByRole('link', { name: 'Check address.example' }).waitFor()
    await page.getByRole('searchbox').fill('[192.0.2.77]')
    await page.getByRole('link', { name: 'Check address.example' }).waitFor({ state: 'detached' })
    assert.equal(await page.getByRole('link', { name: /^Check / }).count(), 0)
    // A part of a domain that is used may be a domain too.
    await page.getByRole('searchbox').fill('rand.example')
    await page.getByRole('link', { name: 'Check rand.example' }).waitFor()
    await row.waitFor()
    await page.getByRole('searchbox').fill('brand')
    await row.getByRole('link', { name: 'brand.example' }).click()
    await page.getByRole('heading', { name: 'brand.example' }).waitFor()
  })

  test('a domain shows its DMARC record, and each member of a list with what is missing', async () => {
    const name = 'Failover of brands'
    const id = await addSender('brand.example', name, `failover(${relay()} ${brevo})`)
    const page = await console.open('/senders/brand.example')
    const transport = card(name)
    const [first, second] = [0, 1].map((place) =>
      transport
        .getByRole('list', { name: 'Servers and providers' })
        .getByRole('listitem')
        .nth(place),
    )
    await transport.getByText('Not aligned').first().waitFor()
    assert.ok(first && second)
    assert.match(await first.innerText(), /^Cannot tell/)
    assert.match(await second.innerText(), /^Not aligned\s+brevo\+api:\/\/default\s*Brevo/)
    await first.getByRole('link', { name: 'Create it' }).waitFor()
    await second.getByRole('link', { name: 'How to' }).waitFor()
    await card('DMARC').getByText(policy).waitFor()
    await card('DMARC').getByText('_dmarc.brand.example').waitFor()
    await card('DMARC').getByText('strict: exactly this domain').waitFor()
    await card('Use').getByText('test messages').waitFor()
    await assertAccessible(page)
    await transport.getByRole('link', { name }).click()
    await page.waitForURL(`${console.url}/transports/${id}`)
  })

  test('a domain without a DMARC record shows the one to publish, and a new check finds it', async () => {
    await addSender('other.example', 'Other', relay())
    const page = await console.open('/senders/other.example')
    await card('DMARC').getByText('There is no DMARC record.').waitFor()
    const name = '_dmarc.other.example'
    await card('DMARC')
      .getByRole('button', { name: `Copy the value of ${name}` })
      .click()
    const value = await page.evaluate(() => navigator.clipboard.readText())
    assert.match(value, /^v=DMARC1; p=none/)
    await card('DMARC')
      .getByRole('button', { name: `Copy the name ${name}` })
      .click()
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), name)
    await assertAccessible(page)
    dns.set(name, 'TXT', [value])
    await page.getByRole('button', { name: 'Check again' }).click()
    await card('DMARC').getByText(value).waitFor()
  })

  test('an email shows the alignment of its From domain, and an assignment warns before it is made', async () => {
    const email = await addEmail(console.service, { fromAddress: 'news@brand.example' })
    const page = await console.open(`/emails/${email.id}`)
    await card('Sender').getByText('Not aligned').first().waitFor()
    await card('Sender').getByRole('link', { name: 'Open brand.example' }).waitFor()
    await assertAccessible(page)
    await page.goto(`${console.url}/assignments?search=ids:${email.id}`)
    await page.getByRole('button', { name: /^Change the assignment/ }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('combobox', { name: 'Transport' }).first().fill('Brevo')
    await page.getByRole('option', { name: 'Brevo', exact: true }).click()
    await dialog.getByText('Receivers will not believe brand.example through Brevo.').waitFor()
    await assertAccessible(page)
    await dialog.getByRole('link', { name: /What is missing for brand\.example/ }).click()
    await page.waitForURL(/\/senders\/brand\.example\?transport=\d+$/)
    await card('Brevo').getByText('Not aligned').first().waitFor()
  })

  test('an assignment warns of many emails, and says that the default sender is not checked', async () => {
    const known = { fromAddress: 'news@other.example' }
    const emails = [await addEmail(console.service, {})]
    for (let count = 0; count < 31; count += 1) emails.push(await addEmail(console.service, known))
    const last = await addEmail(console.service, { fromAddress: 'news@brand.example' })
    const ids = [...emails, last].map(({ id }) => id).join(',')
    const page = await console.open(`/assignments?search=ids:${ids}`)
    await page.getByRole('checkbox', { name: /^Emails: select all/ }).check()
    await page.getByRole('combobox', { name: 'Assign the selected to' }).fill('Brevo')
    await page.getByRole('option', { name: 'Brevo', exact: true }).click()
    await page.getByText('Receivers will not believe brand.example through Brevo.').waitFor()
    await page.getByText('Emails without a From address use the default sender').waitFor()
    await assertAccessible(page)
  })

  test('a transport shows the From domains that are sent through it', async () => {
    const id = await addSender('linked.example', 'Linked', brevo)
    const page = await console.open(`/transports/${id}`)
    await card('From domains').getByText('Not checked', { exact: true }).waitFor()
    await ask('POST', '/api/senders/linked.example/check')
    await page.reload()
    await card('From domains').getByText('Not aligned').waitFor()
    await assertAccessible(page)
    await card('From domains').getByRole('link', { name: 'All senders' }).click()
    await page.getByRole('button', { name: 'Remove the filter Through Linked' }).waitFor()
    assert.equal(await page.getByRole('row').filter({ hasText: 'Not aligned' }).count(), 1)
    await page.getByLabel('Alignment').selectOption({ label: 'Aligned' })
    await page.getByText('No domain in use matches.').waitFor()
  })

  test('a delivery that was refused because its sender was not believed links the domain', async () => {
    const start = { source: 'api' as const, caller: 'tests', startedAt: Date.now(), processId: 'x' }
    const row = { ...emptyDelivery(start), recipient: 'ann@outlook.example' }
    const sender = 'bounces@sub.other.example'
    const reasons = [
      'The server refused the message: 550 5.7.515 Access denied, sending domain [BRAND.EXAMPLE] does not meet the required authentication level.',
      "The server refused the message: 550-5.7.26 Unauthenticated email from other.example is not accepted due to domain's DMARC policy.",
      'The server refused the message: 550-5.7.26 The sender is unauthenticated.',
      'The server refused the message: 550 5.1.1 unknown.',
    ]
    const db = console.service.app.storage.tables<DeliveryTables>()
    const rows = await db
      .insertInto('deliveries')
      .values(
        reasons.flatMap((reason) => {
          const refused = { ...row, sender, outcome: 'refused' as const, reason }
          return [
            { ...refused, transport_id: 7, transport: 'Relay' },
            { ...refused, transport_id: defaultTransport, transport: 'default' },
            refused,
          ]
        }),
      )
      .returning('id')
      .execute()
    const links: (string | null)[] = []
    for (const { id } of rows) {
      const page = await console.open(`/deliveries/${id}`)
      await page.getByText('The server refused the message').first().waitFor()
      const link = page.getByRole('link', { name: 'The receiver did not believe the sender' })
      links.push((await link.count()) === 0 ? null : await link.getAttribute('href'))
    }
    const named = ['/senders/brand.example', '/senders/other.example']
    assert.deepEqual(links, [
      ...named.flatMap((href) => [href, href, href]),
      '/senders?transport=7',
      '/senders?transport=0',
      '/senders/sub.other.example',
      null,
      null,
      null,
    ])
  })

  test('a key is replaced by another one once its record is there, unpublished and deleted', async () => {
    const { body } = await console.service.ask('POST', '/api/dkimKeys/new', {
      domain: 'replaced.example',
      selector: 'r1',
    })
    const { id, record } = body.dkimKey
    dns.set(record.name, 'TXT', [record.value])
    await ask('POST', `/api/dkimKeys/${id}/check`)
    const page = await console.open(`/senders/keys/${id}`)
    const dialog = page.getByRole('dialog')
    await card('Replace this key').getByRole('link', { name: 'Create another key' }).click()
    await page.getByRole('button', { name: 'Create the key' }).click()
    await page.getByText('No message is signed with this key').waitFor()
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByText('stays until DNS has the record of this one').waitFor()
    await assertAccessible(page)
    const { dkimKeys } = await ask('GET', '/api/dkimKeys?search=replaced.example')
    const [, second] = dkimKeys
    dns.set(second.record.name, 'TXT', [second.record.value])
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByText('Messages of this domain are signed.').waitFor()
    await page.goto(`${console.url}/senders/keys/${id}`)
    await page.getByText('No message is signed with this key').waitFor()
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByText('Messages of this domain are signed.').waitFor()
    await page.getByRole('button', { name: 'Unpublish' }).click()
    await dialog.getByText('no longer signed by Mailyard').waitFor()
    await dialog.getByRole('button', { name: 'Unpublish' }).click()
    await page.getByText('No message is signed with this key').waitFor()
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByText('Messages of this domain are signed.').waitFor()

    await page.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByText('The private key cannot be restored.').waitFor()
    await dialog.getByRole('button', { name: 'Keep it' }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.waitForURL(`${console.url}/senders/keys`)
    assert.equal((await console.service.ask('GET', `/api/dkimKeys/${id}`)).status, 404)
  })
})
