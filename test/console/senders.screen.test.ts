import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { defaultTransport } from '../../src/core/delivery/table.ts'
import { addEmail, addTransport } from '../callers.ts'
import { type DnsServer, startDnsServer } from '../dns-server.ts'
import { logDeliveries } from '../log-deliveries.ts'
import { type MailServer, openMailServer } from '../mail-server.ts'
import { addBrand } from '../mautics.ts'
import { openTestScreens, type TestScreens } from './test-screens.ts'

const policy = 'v=DMARC1; p=reject; adkim=s'

/** Brevo signs with records that no domain has. */
const brevo = 'brevo+api://sample-key@default'

describe('senders in the console', () => {
  let console: TestScreens
  let dns: DnsServer
  let server: MailServer
  before(async () => {
    dns = await startDnsServer({
      '_dmarc.brand.example': { TXT: [policy] },
      'brand.example': { TXT: ['v=spf1 ip4:192.0.2.1 -all'] },
      'other.example': { TXT: ['v=spf1 -all'] },
    })
    server = await openMailServer()
    console = await openTestScreens({ config: { dnsServers: [dns.address] } })
  })
  after(async () => {
    await console?.close()
    await server?.close()
    await dns?.close()
  })

  const relay = () => `smtp://127.0.0.1:${server.port}`
  /** Adds a transport whose test messages are of this domain. */
  const addSender = async (domain: string, name: string, mailerDsn: string): Promise<number> => {
    const values = { name, mailerDsn, testedEmailFrom: `news@${domain}` }
    const { id } = await addTransport(console.service, values)
    // The service remembers for some seconds which domains are used.
    console.clock.advance(15_000)
    return id
  }
  const card = (name: string) => console.page.region(name)

  test('each From domain is listed with its transports, and what is not aligned comes first', async () => {
    await addSender('brand.example', 'Relay', relay())
    await addSender('brand.example', 'Brevo', brevo)
    const page = await console.open('/senders')
    const row = page.row().filter({ hasText: 'brand.example' })
    await row.see('Not checked')
    await console.ask('POST', '/api/senders/brand.example/check')
    await page.reload()
    await row.see('reject')
    assert.match(
      await row.innerText(),
      /Not aligned\s*Cannot tell\s*Set up brand\.example at Brevo, .+\./,
    )
    await page.getByRole('searchbox').fill('unused.example')
    await page.link('Check unused.example').waitFor()
    await page.getByRole('searchbox').fill('ann@address.example')
    await page.link('Check address.example').waitFor()
    await page.getByRole('searchbox').fill('[192.0.2.77]')
    await page.link('Check address.example').gone()
    assert.equal(await page.link(/^Check /).count(), 0)
    // A part of a domain that is used may be a domain too.
    await page.getByRole('searchbox').fill('rand.example')
    await page.link('Check rand.example').waitFor()
    await row.waitFor()
    await page.getByRole('searchbox').fill('brand')
    await row.link('brand.example').click()
    await page.opens('brand.example')
  })

  test('a domain shows its DMARC record, and each member of a list with what is missing', async () => {
    const name = 'Failover of brands'
    const id = await addSender('brand.example', name, `failover(${relay()} ${brevo})`)
    const page = await console.open('/senders/brand.example')
    const transport = card(name)
    const list = transport.getByRole('list', { name: 'Servers and providers' })
    const [first, second] = [0, 1].map((place) => list.getByRole('listitem').nth(place))
    await transport.see('Not aligned')
    assert.ok(first && second)
    assert.match(await first.innerText(), /^Cannot tell/)
    assert.match(await second.innerText(), /^Not aligned\s*brevo\+api:\/\/default\s*Brevo/)
    await first.link('Create it').waitFor()
    await second.link('How to').waitFor()
    await card('DMARC').see(policy)
    await card('DMARC').see('_dmarc.brand.example', 'strict: exactly this domain')
    await transport.link(name).click()
    await page.waitForURL(new RegExp(`/transports/${id}$`))
  })

  test('a domain without a DMARC record shows the one to publish, and a new check finds it', async () => {
    await addSender('other.example', 'Other', relay())
    const page = await console.open('/senders/other.example')
    await card('DMARC').see('There is no DMARC record.')
    const name = '_dmarc.other.example'
    await card('DMARC').button(`Copy the value of ${name}`).click()
    const value = page.copied
    assert.match(value, /^v=DMARC1; p=none/)
    await card('DMARC').button(`Copy the name ${name}`).click()
    assert.equal(page.copied, name)
    dns.set(name, 'TXT', [value])
    await page.button('Check again').click()
    await card('DMARC').see(value)
  })

  test('an email shows the alignment of its From domain, and an assignment warns before it is made', async () => {
    const email = await addEmail(console.service, { fromAddress: 'news@brand.example' })
    const page = await console.open(`/emails/${email.id}`)
    await card('Sender').see('Not aligned')
    await card('Sender').link('Open brand.example').waitFor()
    await page.goto(`/assignments?search=ids:${email.id}`)
    await page.button(/^Change the assignment/).click()
    const dialog = page.dialog()
    await dialog.combobox('Transport').nth(0).fill('Brevo')
    await page.option('Brevo').click()
    await dialog.see('Receivers will not believe brand.example through Brevo.')
    await dialog.link(/What is missing for brand\.example/).click()
    await page.waitForURL(/\/senders\/brand\.example\?transport=\d+$/)
    await card('Brevo').see('Not aligned')
  })

  test('an assignment warns of many emails, and says that the default sender is not checked', async () => {
    const known = { fromAddress: 'news@other.example' }
    const emails = [await addEmail(console.service, {})]
    for (let count = 0; count < 31; count += 1) emails.push(await addEmail(console.service, known))
    const last = await addEmail(console.service, { fromAddress: 'news@brand.example' })
    const ids = [...emails, last].map(({ id }) => id).join(',')
    const page = await console.open(`/assignments?search=ids:${ids}`)
    await page.getByRole('checkbox', { name: /^Emails: select all/ }).check()
    await page.pick('Assign the selected to', 'Brevo')
    await page.see(
      'Receivers will not believe brand.example through Brevo.',
      'emails without a From address use the default sender',
    )
  })

  test('a transport shows the From domains that are sent through it', async () => {
    const id = await addSender('linked.example', 'Linked', brevo)
    const page = await console.open(`/transports/${id}`)
    await card('From domains').see(/^Not checked$/)
    await console.ask('POST', '/api/senders/linked.example/check')
    await page.reload()
    await card('From domains').see('Not aligned')
    await card('From domains').link('All senders').click()
    await page.button('Remove the filter Through Linked').waitFor()
    assert.equal(await page.row().filter({ hasText: 'Not aligned' }).count(), 1)
    await page.filterBy('Alignment', 'Aligned')
    await page.see('No domain in use matches.')
  })

  test('a delivery that was refused because its sender was not believed links the domain', async () => {
    const sender = 'bounces@sub.other.example'
    const reasons = [
      'The server refused the message: 550 5.7.515 Access denied, sending domain [BRAND.EXAMPLE] does not meet the required authentication level.',
      "The server refused the message: 550-5.7.26 Unauthenticated email from other.example is not accepted due to domain's DMARC policy.",
      'The server refused the message: 550-5.7.26 The sender is unauthenticated.',
      'The server refused the message: 550 5.1.1 unknown.',
    ]
    const row = { sender, recipient: 'ann@outlook.example', outcome: 'refused' as const }
    const rows = reasons.flatMap((reason) => [
      { ...row, reason, transport_id: 7, transport: 'Relay' },
      { ...row, reason, transport_id: defaultTransport, transport: 'default' },
      { ...row, reason },
    ])
    const links: (string | null)[] = []
    for (const id of await logDeliveries(console.service, rows)) {
      const page = await console.open(`/deliveries/${id}`)
      await page.see('The server refused the message')
      const link = page.link('The receiver did not believe the sender')
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

  test('a key names a brand when it is created, and another one later', async () => {
    const one = await addBrand(console.service, { name: 'One' })
    const other = await addBrand(console.service, { name: 'Other' })
    const page = await console.open('/senders/keys/new')
    await page.enter({ 'From domain': 'named.example' })
    await page.enter({ Brand: 'One' })
    await page.button('Create the key').click()
    await page.see('Publish the record of this key')
    const read = async () =>
      (await console.ask('GET', '/api/dkimKeys?search=named.example')).dkimKeys[0].brand
    assert.equal(await read(), one)
    await page.button('Edit').click()
    await page.enter({ Brand: 'Other' })
    await page.button('Save').click()
    await page.see('is saved.', 'Signs messages of')
    assert.equal(await read(), other)
    await page.goto('/senders/keys')
    await page.row('named.example').see('Other')
  })

  test('a key is replaced by another one once its record is there, and deleted', async () => {
    const body = await console.ask('POST', '/api/dkimKeys/new', {
      domain: 'replaced.example',
      selector: 'r1',
    })
    const { id, record } = body.dkimKey
    dns.set(record.name, 'TXT', [record.value])
    await console.ask('POST', `/api/dkimKeys/${id}/check`)
    const page = await console.open(`/senders/keys/${id}`)
    const dialog = page.dialog()
    await card('Replace this key').link('Create another key').click()
    await page.button('Create the key').click()
    await page.see('No message is signed with this key')
    await page.button('Edit').click()
    await page.getByLabel('Published').check()
    await page.button('Save').click()
    await page.see('stays until DNS has the record of this one')
    const { dkimKeys } = await console.ask('GET', '/api/dkimKeys?search=replaced.example')
    const [, second] = dkimKeys
    dns.set(second.record.name, 'TXT', [second.record.value])
    await page.button('Save').click()
    await page.see('Messages of this domain are signed.')
    await page.goto(`/senders/keys/${id}`)
    await page.see('No message is signed with this key')
    await page.button('More').click()
    await page.button('Delete').click()
    await dialog.see('The private key cannot be restored.')
    await dialog.button('Keep it').click()
    await page.button('More').click()
    await page.button('Delete').click()
    await dialog.button('Delete').click()
    await page.waitForURL(/\/senders\/keys$/)
    assert.equal((await console.service.ask('GET', `/api/dkimKeys/${id}`)).status, 404)
  })
})
