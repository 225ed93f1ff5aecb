import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { QueueTables } from '../../src/queue/table.ts'
import { needsBrowser } from '../browser/launch.ts'
import { addTransport, addUser } from '../callers.ts'
import { brakedGroup } from '../queue/braked-group.ts'
import { addQueued } from '../queue/test-queue.ts'
import { assertAccessible, openTestConsole, type TestConsole } from './test-console.ts'

const hourMs = 3_600_000

describe('the queue in the console', needsBrowser, () => {
  let console: TestConsole
  before(async () => {
    console = await openTestConsole()
    const transport = await addTransport(console.service, { mailerDsn: 'null://null' })
    const now = Date.now()
    const due = { due_at: now + hourMs, transport_id: transport.id }
    for (const recipient of ['ann@a.test', 'bob@b.test', 'cid@b.test'])
      await addQueued(console.service, now, { recipient, ...due, problem: '451 4.3.0 later' })
  })
  after(() => console?.close())

  test('shows what is stored, and never calls it sent', async () => {
    const page = await console.open('/queue')
    await page.getByText('stored and not sent yet').waitFor()
    await page.getByRole('row', { name: /ann@a\.test.*Deferred/ }).waitFor()
    await page.getByRole('table', { name: 'By transport' }).waitFor()
    await assertAccessible(page)
  })

  test('changes selected messages with Undo, and all that match a filter after a question with their number', async () => {
    const { id: transport_id } = await addTransport(console.service, { mailerDsn: 'null://null' })
    const due_at = Date.now() + hourMs
    await addQueued(console.service, Date.now(), { recipient: 'zoe@a.test', due_at, transport_id })
    const page = await console.open('/queue')
    await page.getByText('To change many messages at once, filter them first').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Cancel messages' }).count(), 0)
    await page
      .getByRole('row', { name: /zoe@a\.test/ })
      .getByRole('checkbox')
      .check()
    const selected = page.getByRole('region', { name: '1 selected' })
    await selected.getByRole('button', { name: 'Hold' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Keep it' }).click()
    await selected.getByRole('button', { name: 'Hold' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Hold 1 message' }).click()
    const held = page.getByRole('row', { name: /zoe@a\.test.*Held/ })
    await held.waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    // It is due at once.
    await held.waitFor({ state: 'detached' })
    await page.getByLabel('Recipient').fill('@b.test')
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByText('ann@a.test').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Cancel messages' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Cancel 2 messages?').waitFor()
    await dialog.getByRole('button', { name: 'Keep them' }).waitFor()
    await dialog.getByText('They are deleted and never sent').waitFor()
    await assertAccessible(page)
    await dialog.getByRole('button', { name: 'Cancel 2 messages' }).click()
    await page.getByText('Cancelled: 2.').waitFor()
    const { body } = await console.service.ask('GET', '/api/queue/messages')
    assert.deepEqual(
      body.messages.map(({ recipient }: { recipient: string }) => recipient),
      ['zoe@a.test', 'ann@a.test'],
    )
  })

  test('holds a transport with what arrives later, and releases it when nothing waits for it', async () => {
    const { id: transport_id } = await addTransport(console.service, { name: 'Slow relay' })
    const dueAt = Date.now() + hourMs
    await addQueued(console.service, Date.now(), {
      recipient: 'dan@c.test',
      transport_id,
      due_at: dueAt,
    })
    const page = await console.open('/queue')
    await page.getByRole('link', { name: 'Slow relay' }).click()
    await page.getByText('ann@a.test').waitFor({ state: 'detached' })
    const matching = page.getByText('All that match:').locator('..')
    await matching.getByRole('button', { name: 'Hold' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Hold the transport and 1 message?').waitFor()
    await dialog.getByText('also those that arrive later').waitFor()
    await assertAccessible(page)
    await dialog.getByRole('button', { name: 'Hold 1 message' }).click()
    await page.getByRole('row', { name: /dan@c\.test.*Held/ }).waitFor()
    const group = page.getByRole('row', { name: /Slow relay.*Held.*are held by/ })
    await group.waitFor()
    await assertAccessible(page)
    await matching.getByRole('button', { name: 'Cancel messages' }).click()
    await dialog.getByRole('button', { name: 'Cancel 1 message' }).click()
    await page.getByText('No queued message matches these filters.').waitFor()
    await group.getByRole('button', { name: 'Release' }).click()
    await dialog.getByText('are not held any more').waitFor()
    await dialog.getByRole('button', { name: 'Release 0 messages' }).click()
    await page.getByText('Released: 0.').waitFor()
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
    await page.getByRole('link', { name: 'eve@c.test' }).click()
    await page.getByRole('heading', { name: 'Your bill' }).waitFor()
    await page.getByText('Last answer: 451 4.7.1 come back').waitFor()
    await page.getByRole('region', { name: 'Attempts' }).waitFor()
    await page.getByRole('region', { name: 'Headers' }).getByText('cannot be decrypted').waitFor()
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Cancel', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel 1 message' }).click()
    await page.getByText('It is not in the queue any more').waitFor()
    await assertAccessible(page)
  })

  test('names what a brake holds, and continues or cancels it after a question', async () => {
    const { app } = console.service
    const db = app.storage.tables<QueueTables>()
    const { id: transportId } = await addTransport(console.service, { name: 'Wrong relay' })
    const group = { ...brakedGroup, transport_id: transportId, braked_at: Date.now() - hourMs }
    const groups = [
      { sender_domain: 'a.test', mautic_id: 0 },
      { sender_domain: 'b.test', mautic_id: 7 },
    ]
    for (const own of groups) {
      await db
        .insertInto('queue_brakes')
        .values({ ...group, ...own })
        .execute()
      const { id: brakeId } = await db
        .selectFrom('queue_brakes')
        .select('id')
        .where('sender_domain', '=', own.sender_domain)
        .executeTakeFirstOrThrow()
      const recipient = `held@${own.sender_domain}`
      const message = { sender: `news@${own.sender_domain}`, lane: 'bulk' as const, recipient }
      await addQueued(console.service, Date.now() + hourMs, {
        ...message,
        mautic_id: own.mautic_id,
        transport_id: transportId,
      })
      await db
        .updateTable('queue_recipients')
        .set({ state: 'held', brake_id: brakeId })
        .where('address', '=', recipient)
        .execute()
    }
    const page = await console.open('/queue')
    const ofDomain = (domain: string) =>
      page.getByRole('alert').filter({ hasText: `from ${domain}` })
    const notice = ofDomain('a.test')
    await notice
      .getByText(/58 of the last 60 .* for good \(96\.7 %\)\. It began .*: 1 message waits/)
      .waitFor()
    await notice.getByRole('link', { name: 'Wrong relay' }).waitFor()
    await assertAccessible(page)
    await notice.getByRole('button', { name: 'Continue' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Continue, and send 1 message?').waitFor()
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('Released: 1 message.').waitFor()
    await notice.waitFor({ state: 'detached' })
    const viewer = await addUser(console.service, { queue: ['view'] })
    await console.open('/queue', viewer)
    await ofDomain('b.test').getByText('of the Mautic 7 from b.test through a transport').waitFor()
    assert.equal(await ofDomain('b.test').getByRole('button').count(), 0)
    await console.open('/queue')
    await ofDomain('b.test').getByRole('button', { name: 'Cancel the messages' }).click()
    await dialog.getByText('from b.test through Wrong relay').waitFor()
    await dialog.getByRole('button', { name: 'Cancel the messages' }).click()
    await page.getByText('Cancelled: 1 message.').waitFor()
    assert.deepEqual((await console.service.ask('GET', '/api/queue/brakes')).body, { brakes: [] })
  })

  test('offers no action to a user who may only view it', async () => {
    const viewer = await addUser(console.service, { queue: ['view'] })
    const page = await console.open('/queue', viewer)
    await page
      .getByRole('row', { name: /shop@a\.test/ })
      .first()
      .waitFor()
    assert.equal(await page.getByRole('button', { name: 'Cancel messages' }).count(), 0)
  })
})
