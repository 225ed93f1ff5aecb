import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { emptyDelivery } from '../../src/delivery/log/delivery-row.ts'
import { type DeliveryTables, defaultTransport } from '../../src/delivery/table.ts'
import { needsBrowser } from '../browser/launch.ts'
import { addEmail, addTransport, addUser } from '../callers.ts'
import { type DnsServer, startDnsServer } from '../dns-server.ts'
import { type MailServer, openMailServer } from '../mail-server.ts'
import type { TestBody } from '../test-app.ts'
import { until } from '../until.ts'
import { assertAccessible, openTestConsole, type TestConsole } from './test-console.ts'

const policy = 'v=DMARC1; p=reject; adkim=s'

/** Brevo signs with records that no domain has. */
const brevo = 'brevo+api://sample-key@default'

describe('senders in the console', needsBrowser, () => {
  let console: TestConsole
  let dns: DnsServer
  let server: MailServer
  /** How far the clock of the service is ahead: it remembers for some seconds which domains are used. */
  let aheadMs = 0
  before(async () => {
    dns = await startDnsServer({
      '_dmarc.brand.example': { TXT: [policy] },
      'brand.example': { TXT: ['v=spf1 ip4:192.0.2.1 -all'] },
      'other.example': { TXT: ['v=spf1 -all'] },
    })
    server = await openMailServer()
    console = await openTestConsole({
      config: { dnsServers: [dns.address] },
      clock: { now: () => Date.now() + aheadMs },
    })
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
    aheadMs += 15_000
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

  test('a domain is checked with another transport, which the keyboard chooses', async () => {
    const id = await addSender('third.example', 'Third', brevo)
    const page = await console.open('/senders/brand.example')
    const picker = page.getByRole('combobox', { name: 'Check with another transport' })
    await picker.focus()
    await page.keyboard.type('Third')
    await page.getByRole('option', { name: 'Third' }).waitFor()
    await page.keyboard.press('Enter')
    await card('Third').getByText('Not aligned').waitFor()
    assert.equal(new URL(page.url()).search, `?transport=${id}`)
  })

  test('what is no domain is refused with a sentence', async () => {
    const page = await console.open('/senders/no%20domain')
    await page.getByRole('alert').waitFor()
    await assertAccessible(page)
  })

  test('users see senders with the permission to view transports', async () => {
    const viewer = await addUser(console.service, { multipleTransports: ['view'] })
    const page = await console.open('/senders/brand.example', viewer)
    await card('Relay').waitFor()
    await page.getByRole('button', { name: 'Check again' }).waitFor()
    await page.goto(`${console.url}/senders`)
    await page.getByRole('link', { name: 'DKIM keys' }).waitFor()
    await page.goto(`${console.url}/senders/keys`)
    await page.getByText('No key yet.').waitFor()
    assert.equal(await page.getByRole('link', { name: 'Add a key' }).count(), 0)
    const other = await addUser(console.service, { email: ['view'] })
    await console.open('/', other)
    await page.getByRole('link', { name: 'Emails' }).waitFor()
    assert.equal(await page.getByRole('link', { name: 'Senders' }).count(), 0)
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

  test('an assignment of many senders names the domains that it does not check', async () => {
    const domains = Array.from({ length: 7 }, (_, index) => `many${index}.example`)
    const emails: number[] = []
    for (const domain of domains) {
      const { id } = await addEmail(console.service, { fromAddress: `news@${domain}` })
      emails.push(id)
    }
    const page = await console.open(`/assignments?search=ids:${emails.join(',')}`)
    await page.getByRole('checkbox', { name: /^Emails: select all/ }).check()
    await page.getByRole('combobox', { name: 'Assign the selected to' }).fill('Brevo')
    await page.getByRole('option', { name: 'Brevo', exact: true }).click()
    const unchecked = page.getByText('Not checked here')
    await unchecked.waitFor()
    const warned = await page.getByText('Receivers will not believe many').count()
    const named = await unchecked.getByRole('link').allInnerTexts()
    assert.equal(warned, 5)
    assert.equal(named.length, 2)
    assert.ok(named.every((name) => domains.includes(name)))
    await assertAccessible(page)
  })

  test('a domain of many transports shows the worst of them, and the others on demand', async () => {
    const domain = 'shared.example'
    for (let count = 1; count <= 12; count += 1) {
      await addSender(domain, `Shared ${count}`, count === 12 ? brevo : relay())
    }
    const page = await console.open(`/senders/${domain}`)
    const cards = page.getByRole('region', { name: /^Shared/ })
    await cards.first().getByText('Not aligned').waitFor()
    assert.equal(await cards.count(), 10)
    await page.getByRole('button', { name: 'Show 2 more transports' }).click()
    await until(async () => (await cards.count()) === 12, 'all transports are shown')
    await assertAccessible(page)
  })

  test('the report on a test has a notice of its own for what is known of the sender', async () => {
    const id = await addSender('reported.example', 'Reported', relay())
    const page = await console.open(`/transports/${id}`)
    await page.getByRole('button', { name: 'Send a test' }).click()
    const notices = card('Test').locator('.notice')
    await notices.nth(1).waitFor()
    const [accepted = '', alignment = '', ...others] = await notices.allInnerTexts()
    assert.match(accepted, /^The server accepted the test message to \S+ \(.+\)\.$/)
    assert.match(alignment, /^Whether DMARC passes is not known/)
    assert.deepEqual(others, [])
    await card('Test').getByRole('link', { name: 'Open reported.example' }).waitFor()
    await assertAccessible(page)
  })

  test('an email with an internationalized From domain shows what is known of that domain', async () => {
    await addSender('xn--bcher-kva.example', 'Books', brevo)
    await ask('POST', '/api/senders/xn--bcher-kva.example/check')
    const email = await addEmail(console.service, { fromAddress: 'news@bücher.example' })
    await console.open(`/emails/${email.id}`)
    await card('Sender').getByText('Not aligned').first().waitFor()
    await card('Sender').getByRole('link', { name: 'Books' }).waitFor()
  })

  test('the fire drill names the domains that may not be believed through what remains', async () => {
    const domain = 'drilled.example'
    const list = `failover(${relay()} ${brevo})`
    const id = await addSender(domain, 'Drilled list', list)
    const email = await addEmail(console.service, { fromAddress: `news@${domain}` })
    await ask('POST', `/api/multipleTransport/transportEmail/${email.id}`, { transportId: id })
    await ask('POST', `/api/senders/${domain}/check`)
    aheadMs += 15_000
    const page = await console.open('/routing?view=drill')
    await page.getByRole('combobox', { name: 'Mark a transport as down' }).fill('Drilled')
    await page.getByRole('option', { name: 'Drilled list' }).click()
    await page.getByRole('button', { name: 'Show what would happen' }).click()
    const table = page.getByRole('table', { name: 'From domains that may not be believed' })
    const row = table.getByRole('row').filter({ hasText: 'brevo+api://default' })
    await row.getByText('Not aligned').waitFor()
    await assertAccessible(page)
    await row.getByRole('link', { name: domain }).click()
    await page.waitForURL(`${console.url}/senders/${domain}?transport=${id}`)
    await card('Drilled list').waitFor()
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

  test('a key is created, and signs once its record is found', async () => {
    const page = await console.open('/senders/signed.example')
    await card('DKIM key of Mailyard').getByRole('link', { name: 'Create a key' }).click()
    assert.equal(await page.getByLabel('From domain').inputValue(), 'signed.example')
    await page.getByLabel('Selector').fill('m1')
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Create the key' }).click()
    await page.waitForURL(/\/senders\/keys\/\d+$/)
    await page.getByText('Waiting for its record').waitFor()
    const name = 'm1._domainkey.signed.example'
    await page.getByRole('button', { name: `Copy the value of ${name}` }).click()
    const value = await page.evaluate(() => navigator.clipboard.readText())
    assert.match(value, /^v=DKIM1; k=rsa; p=/)
    await assertAccessible(page)
    dns.set(name, 'TXT', [value])
    aheadMs += 3_600_000
    await page.getByRole('button', { name: 'Check now' }).click()
    await page.getByText('Messages of this domain are signed.').waitFor()
    await page.goto(`${console.url}/senders/keys`)
    await page.getByRole('row', { name: /signed\.example\s*Active/ }).waitFor()
    await assertAccessible(page)
    await addSender('signed.example', 'Signing relay', relay())
    await page.goto(`${console.url}/senders/signed.example`)
    await card('Signing relay').getByText('Aligned', { exact: true }).waitFor()
  })

  test('a wrong key to import is refused beside its field', async () => {
    const page = await console.open('/senders/keys/new?domain=imported.example')
    await page.getByLabel('Import a private key that you have').check()
    await page.getByLabel('Private key (PEM)').fill('no key')
    await page.getByRole('button', { name: 'Create the key' }).click()
    await page.getByRole('textbox', { name: 'Private key (PEM)', description: /PEM|key/ }).waitFor()
    await assertAccessible(page)
    const { body } = await console.service.ask('GET', '/api/dkimKeys?search=imported')
    assert.equal(body.total, 0)
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
