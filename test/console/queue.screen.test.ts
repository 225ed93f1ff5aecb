import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { QueueTables } from '../../src/core/queue/table.ts'
import { addTransport, addUser } from '../callers.ts'
import { brakedGroup } from '../queue/braked-group.ts'
import { addQueued } from '../queue/test-queue.ts'
import { useScreens } from './test-screens.ts'

const hourMs = 3_600_000

describe('the queue in the console', () => {
  const console = useScreens()
  before(async () => {
    const transport = await addTransport(console.service, { mailerDsn: 'null://null' })
    const now = Date.now()
    const due = { due_at: now + hourMs, transport_id: transport.id }
    for (const recipient of ['ann@a.test', 'bob@b.test', 'cid@b.test'])
      await addQueued(console.service, now, { recipient, ...due, problem: '451 4.3.0 later' })
  })

  test('shows what is stored, never calls it sent, and offers no action to a user who may only view it', async () => {
    const page = await console.open('/queue')
    await page.see('stored and not sent yet')
    await page.row(/ann@a\.test.*Deferred/).waitFor()
    await page.table('By transport').waitFor()
    await console.open('/queue', await addUser(console.service, { queue: ['view'] }))
    await page.row(/shop@a\.test/).waitFor()
    assert.equal(await page.button(/Cancel|Hold|Release/).count(), 0)
    assert.equal(await page.getByRole('checkbox').count(), 0)
  })

  test('filters by what is typed before the first frame of the page', async () => {
    const page = await console.open('/queue')
    await page.reload()
    await page.getByLabel('Recipient').fill('ann@')
    await page.keyboard.press('Enter')
    await page.waitForURL(/recipient=ann%40/)
  })

  test('changes selected messages with Undo, and all that match a filter after a question with their number', async () => {
    const { id: transport_id } = await addTransport(console.service, { mailerDsn: 'null://null' })
    const due_at = Date.now() + hourMs
    await addQueued(console.service, Date.now(), { recipient: 'zoe@a.test', due_at, transport_id })
    const page = await console.open('/queue')
    await page.see('To change many messages at once, filter them first')
    assert.equal(await page.button('Cancel messages').count(), 0)
    const box = page.row(/zoe@a\.test/).getByRole('checkbox')
    await box.check()
    const selected = page.region('1 selected')
    await selected.confirm('Hold', 'Keep it')
    await selected.confirm('Hold', 'Hold 1 message')
    const held = page.row(/zoe@a\.test.*Held/)
    await held.waitFor()
    await page.button('Undo').click()
    // It is due at once.
    await held.gone()
    await page.enter({ Recipient: '@b.test' })
    await page.getByText('ann@a.test').gone()
    await page.button('Cancel messages').click()
    const dialog = page.dialog()
    await dialog.see('Cancel 2 messages?')
    await dialog.button('Keep them').waitFor()
    await dialog.see('They are deleted and never sent')
    await dialog.button('Cancel 2 messages').click()
    await page.see('Cancelled: 2 messages.')
    const { messages } = await console.ask('GET', '/api/queue/messages')
    const left = messages.map(({ recipient }: { recipient: string }) => recipient)
    assert.deepEqual(left, ['zoe@a.test', 'ann@a.test'])
  })

  test('holds a transport with what arrives later, and releases it when nothing waits for it', async () => {
    const { id: transport_id } = await addTransport(console.service, { name: 'Slow relay' })
    const due_at = Date.now() + hourMs
    await addQueued(console.service, Date.now(), { recipient: 'dan@c.test', transport_id, due_at })
    const page = await console.open('/queue')
    await page.link('Slow relay').click()
    await page.getByText('ann@a.test').gone()
    // The first one is of the transport itself.
    await page.button('Hold').nth(-1).click()
    const dialog = page.dialog()
    await dialog.see('Hold the transport and 1 message?', 'also those that arrive later')
    await dialog.button('Hold 1 message').click()
    // What was counted before is shown for some seconds.
    console.clock.advance(10_000)
    await page.row(/dan@c\.test.*Held/).waitFor()
    const group = page.row(/Slow relay.*Held.*are held by/)
    await group.waitFor()
    await page.button('Cancel messages').click()
    await dialog.button('Cancel 1 message').click()
    await page.see('No queued message matches these filters.')
    await group.button('Release').click()
    await dialog.see('are not held any more')
    await dialog.button('Release 0 messages').click()
    await page.see('Released: 0 messages.')
    const holds = console.service.app.storage.tables<QueueTables>().selectFrom('queue_holds')
    assert.deepEqual(await holds.selectAll().execute(), [])
  })

  test('opens a message with its attempts and headers, and cancels it: 3 clicks', async () => {
    const { id: transport_id } = await addTransport(console.service, { name: 'Greylisting' })
    const message = { recipient: 'eve@c.test', subject: 'Your bill', transport_id }
    await addQueued(console.service, Date.now(), {
      ...message,
      due_at: Date.now() + hourMs,
      attempts: 1,
      problem: '451 4.7.1 come back',
    })
    const page = await console.open('/queue')
    await page.link('eve@c.test').click()
    await page.opens('Your bill')
    await page.see('Last answer: 451 4.7.1 come back')
    await page.region('Attempts').waitFor()
    await page.region('Headers').see('cannot be decrypted')
    await page.confirm('Cancel', 'Cancel 1 message')
    await page.see('It is not in the queue any more')
  })

  test('names what a brake holds, and continues or cancels it after a question', async () => {
    const db = console.service.app.storage.tables<QueueTables>()
    const { id: transportId } = await addTransport(console.service, { name: 'Wrong relay' })
    const group = { ...brakedGroup, transport_id: transportId, braked_at: Date.now() - hourMs }
    const groups = [
      { sender_domain: 'a.test', mautic_id: 0 },
      { sender_domain: 'b.test', mautic_id: 7 },
    ]
    for (const own of groups) {
      const brake = db.insertInto('queue_brakes').values({ ...group, ...own })
      const { id } = await brake.returning('id').executeTakeFirstOrThrow()
      const recipient = `held@${own.sender_domain}`
      const message = { recipient, lane: 'bulk', mautic_id: own.mautic_id } as const
      const due = { sender: `news@${own.sender_domain}`, transport_id: transportId }
      await addQueued(console.service, Date.now() + hourMs, { ...message, ...due })
      const held = db.updateTable('queue_recipients').set({ state: 'held', brake_id: id })
      await held.where('address', '=', recipient).execute()
    }
    const page = await console.open('/queue')
    const ofDomain = (domain: string) =>
      page.getByRole('alert').filter({ hasText: `from ${domain}` })
    const notice = ofDomain('a.test')
    await notice.see(/are held since .*\d.*\. 58 of the last 60 .* \(96\.7 %\)\. 1 message/)
    await notice.link('Wrong relay').waitFor()
    const why = await notice.link('See why').getAttribute('href')
    assert.equal(why, `/deliveries?sender=*%40a.test&outcome=refused&transportId=${transportId}`)
    const change = await notice.link('Change the transport').getAttribute('href')
    assert.equal(change, `/assignments?of=emails&transport=${transportId}`)
    await notice.button('Continue').click()
    const dialog = page.dialog()
    await dialog.see('Continue, and send 1 message?')
    await dialog.button('Continue').click()
    await page.see('Released: 1 message.')
    await notice.gone()
    await console.open('/queue', await addUser(console.service, { queue: ['view'] }))
    await ofDomain('b.test').see('of the Mautic 7 from b.test through a transport')
    assert.equal(await ofDomain('b.test').button().count(), 0)
    await console.open('/queue')
    await ofDomain('b.test').button('Cancel the messages').click()
    await dialog.see('from b.test through Wrong relay')
    await dialog.button('Cancel the messages').click()
    await page.see('Cancelled: 1 message.')
    assert.deepEqual(await console.ask('GET', '/api/queue/brakes'), { brakes: [] })
  })

  test('a transport whose last attempt failed is not called available once it may be tried again', async () => {
    const { id } = await addTransport(console.service, { mailerDsn: 'smtp://127.0.0.1:1' })
    const email = await console.fixture.email(id)
    const { contact } = await console.ask('POST', '/api/contacts/new', { email: 'dot@d.test' })
    await console.ask('POST', `/api/emails/${email}/contact/${contact.id}/send`, {})
    await console.ask('POST', '/api/queue/hold', { recipient: 'dot@d.test' })
    console.clock.advance(hourMs)
    const page = await console.open('/queue')
    const group = page.table('By transport').row(/Nothing answers at 127\.0\.0\.1:1/)
    assert.doesNotMatch(await group.innerText(), /Available/)
  })

  test('one whose transport is not chosen yet has a dash for it', async () => {
    await addQueued(console.service, Date.now(), { id: 900, recipient: 'f@f.test', state: 'held' })
    const page = await console.open('/queue/900')
    assert.equal(await page.region('State').locator('dd').nth(0).innerText(), '–')
  })
})
