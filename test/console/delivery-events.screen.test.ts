import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { addTransport, addUser } from '../callers.ts'
import { logDeliveries } from '../log-deliveries.ts'
import { useScreens } from './test-screens.ts'

const publicUrl = 'https://mail.example.com'
const words = '550 5.1.1 The email account that you tried to reach does not exist.'

describe('what happened after a message was accepted', () => {
  const console = useScreens({ config: { publicUrl } })
  before(async () => {
    const { id } = await addTransport(console.service, {
      name: 'Newsletters',
      mailerDsn: 'postmark+api://token@default',
    })
    const names = ['bounced', 'complained', 'delivered', 'silent']
    await logDeliveries(
      console.service,
      names.map((name) => ({
        outcome: 'accepted',
        recipient: `${name}@orchard.example`,
        recipient_key: `${name}@orchard.example`,
        sender: 'news@orchard.example',
        subject: `News for ${name}`,
        transport_id: id,
        transport: 'Newsletters',
        provider_id: `id-of-${name}`,
        started_at: Date.now() - 60_000,
      })),
    )
    const webhook = `/api/multipleTransports/${id}/webhook`
    const body = await console.ask('PUT', webhook, {})
    const path = body.webhook.url.slice(publicUrl.length)
    const at = new Date().toISOString()
    const post = async (event: object) => {
      const headers = { 'content-type': 'application/json' }
      const text = JSON.stringify(event)
      await console.service.askFor('POST', path, text, { as: 'anonymous', headers })
    }
    const of = (name: string) => ({
      MessageID: `id-of-${name}`,
      Email: `${name}@orchard.example`,
      Recipient: `${name}@orchard.example`,
    })
    await post({ RecordType: 'Delivery', ...of('delivered'), DeliveredAt: at, Details: '250 Ok' })
    const bounce = { RecordType: 'Bounce', BouncedAt: at, Details: words }
    await post({ ...bounce, ID: 1, Type: 'HardBounce', ...of('bounced') })
    await post({ ...bounce, RecordType: 'SpamComplaint', ID: 2, ...of('complained') })
    await console.service.app.idle()
  })

  const rows = () => console.page.row().filter({ hasText: '@orchard.example' })

  test('bounced deliveries are found, with what the provider said, and the CSV has only them', async () => {
    const page = await console.open('/deliveries')
    await rows().nth(0).waitFor()
    await page.filterBy('Event', 'Bounced')
    await page.waitForURL(/\/deliveries\?event=bounced$/)
    await page.until(async () => (await rows().count()) === 1, 'only one is listed')
    const bounced = rows().filter({ hasText: 'bounced@' })
    await bounced.see(/^Bounced$/)
    const csv = (await page.download(page.link('Download CSV'))).trim().split('\n')
    assert.equal(csv.length, 2)
    assert.match(String(csv[1]), /bounced@orchard\.example/)
    await page.link('bounced@orchard.example').click()
    const events = page.region('Events')
    await events.see('Bounced', 'For good')
    await events.see(words)
    await events.see('by webhook of Postmark')
    await page.locator('.page-head .badge').see('Bounced')
    await page.goto('/deliveries?recipient=silent*')
    await page.link('silent@orchard.example').click()
    await page.region('Attempts').waitFor()
    assert.equal(await page.region('Events').count(), 0)
  })

  test('the overview counts them by time, and leads to them', async () => {
    const page = await console.open('/?range=hour')
    const outcomes = page.region('Messages by outcome')
    await outcomes.link(/^Events$/).click()
    const events = page.region('Events')
    await events.getByRole('img').waitFor()
    await events.getByRole('listitem').see(/^Complained 1 25(?:\.0)? %$/)
    await events.link('Complained').click()
    await rows().filter({ hasText: 'complained@' }).waitFor()
    assert.equal(await rows().count(), 1)
  })

  test('who may not see addresses sees the events without the words of servers', async () => {
    const viewer = await addUser(console.service, { email: ['view'] })
    const page = await console.open('/deliveries?event=bounced', viewer)
    await page.link('********').click()
    const events = page.region('Events')
    await events.see('Bounced')
    assert.equal(await events.getByText(words).count(), 0)
  })
})
