import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { addTransport } from '../callers.ts'
import { addMautic, closeMautics, type TestMautic } from '../mautics.ts'
import { addQueued } from '../queue/test-queue.ts'
import { openDialogue } from '../smtp-dialogue.ts'
import { useScreens } from './test-screens.ts'

const hourMs = 3_600_000

describe('what comes from a Mautic in the console', () => {
  const console = useScreens()
  let mautic: TestMautic
  let transportId: number
  let smtpPort: number

  before(async () => {
    const { service } = console
    mautic = await addMautic(service, { emails: [7, 8], users: { 4: 'dan@brand.test' } })
    const transport = { name: 'Brand server', mailerDsn: 'inbox://local' }
    transportId = (await addTransport(service, transport)).id
    smtpPort = (await service.openSmtpServer()).port ?? 0
  })
  after(async () => {
    await closeMautics()
  })

  test('a transport is given to the brand of a Mautic, and its list says so', async () => {
    const page = await console.open(`/transports/${transportId}?edit=1`)
    const { brand } = await console.ask('GET', `/api/brands/${mautic.brand}`)
    await page.enter({ Brand: brand.name })
    await page.button('Save without a test').click()
    await page.see('Transport "Brand server" is saved.')
    const body = await console.ask('GET', `/api/multipleTransports/${transportId}`)
    assert.equal(body.brand, mautic.brand)
    await page.goto('/transports')
    await page.row('Brand server').getByRole('img', { name: brand.name }).waitFor()
  })

  test('emails and users of a Mautic are assigned, and a transport is offered with its brand', async () => {
    const { id: shared } = await addTransport(console.service, { name: 'Brand of others' })
    const page = await console.open('/assignments')
    await page.enter({ 'Assigned emails and users': mautic.name })
    await page.button('Change the assignment of Newsletter 7').click()
    await page.dialog().pick('Transport', 'Brand server', /^Brand server.*Brand/)
    await page.button('Assign').click()
    await page.dialog().gone()
    await page.row(/Newsletter 7.*Id 7 in Mautic.*Brand server/).waitFor()
    await page.link('Users').click()
    await page.row(/user4/).waitFor()
    await page.enter({ 'Assigned emails and users': 'Mailyard itself' })
    await page.row(/admin/).waitFor()
    await page.button('Change the assignment of admin').click()
    await page.dialog().combobox('Transport').fill('Brand')
    await page.option('Brand of others').waitFor()
    await console.ask('POST', `/api/multipleTransport/transportEmail/8?mautic=${mautic.id}`, {
      transportId: shared,
    })
    await page.goto(`/transports/${shared}?edit=1`)
    await page.enter({ Published: false })
    await page.see(/Used by 1 email. No transport is left for 1 email/)
  })

  test('the route of a message of a Mautic is found by the ids that it has there, and the fire drill', async () => {
    const page = await console.open('/routing')
    await page.enter({ 'Route of': mautic.name })
    await page.pick('Email', 'Newsletter 7', /Newsletter 7/)
    const route = page.region('Route')
    await route.link('Brand server').nth(0).waitFor()
    await route.see(`it is assigned to the email of Mautic "${mautic.name}"`)
    await page.goto('/routing?view=drill')
    await page.enter({ 'Assigned emails and users': mautic.name })
    await page.pick('Mark a transport as down', 'Brand server', /^Brand server/)
    await page.button('Show what would happen').click()
    const emails = page.table('Emails')
    await emails.row(/Newsletter 7.*Id 7 in Mautic/).waitFor()
  })

  test('a delivery names its Mautic and its email, and is found by the Mautic', async () => {
    const { username, password } = new URL(mautic.mailerDsn)
    const dialogue = await openDialogue(smtpPort)
    await dialogue.say('EHLO mautic.test')
    await dialogue.logIn(username, password)
    const lines = ['From: news@brand.test', 'To: ann@rcpt.test', 'X-EMAIL-ID: 7', '', 'Hello']
    const raw = lines.join('\r\n')
    await dialogue.hand({ from: 'news@brand.test', to: ['ann@rcpt.test'], raw })
    dialogue.end()
    const page = await console.open('/deliveries')
    await page.filterBy('Mautic', mautic.name)
    await page.waitForURL(new RegExp(`mautic=${mautic.id}$`))
    const row = page.row(/ann@rcpt\.test/)
    await row.see('Newsletter 7')
    await row.link(mautic.name).waitFor()
    await row.link('ann@rcpt.test').click()
    const message = page.region('Message')
    await message.see('Newsletter 7')
    assert.equal(await message.link('Newsletter 7').count(), 0)
  })

  test('the queue is filtered by Mautic and by transport, and changed as it is filtered', async () => {
    const now = Date.now()
    const due = { due_at: now + hourMs, transport_id: transportId }
    const ofMautic = { mautic_id: mautic.id, email_id: 8 }
    await addQueued(console.service, now, { recipient: 'bea@rcpt.test', ...due, ...ofMautic })
    await addQueued(console.service, now, { recipient: 'own@rcpt.test', ...due })
    await addQueued(console.service, now, { recipient: 'new@rcpt.test', due_at: now + hourMs })
    const page = await console.open('/queue')
    const row = page.row(/bea@rcpt\.test/)
    await row.see('Newsletter 8')
    await page.button('+ Filter').click()
    await page.locator('.menu-list').button('Transport').click()
    await page.pick('Transport', 'brand', 'Brand server')
    await page.getByText('new@rcpt.test').gone()
    await page.see('own@rcpt.test')
    await page.filterBy('Mautic', mautic.name)
    await page.getByText('own@rcpt.test').gone()
    await page.button('Hold').nth(-1).click()
    await page.dialog().button('Hold 1 message').click()
    await page.see('Held: 1 message.')
    const body = await console.ask('GET', '/api/queue/messages?state=held')
    assert.deepEqual(
      body.messages.map(({ recipient }: { recipient: string }) => recipient),
      ['bea@rcpt.test'],
    )
  })
})
