import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { addTransport, addUser } from '../callers.ts'
import { addQueued } from '../queue/test-queue.ts'
import {
  assertAccessible,
  needsBrowser,
  openTestConsole,
  type TestConsole,
} from './test-console.ts'

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
    await page.getByRole('table', { name: 'By transport and lane' }).waitFor()
    await assertAccessible(page)
  })

  test('holds a selected message, and cancels all that match after a question', async () => {
    const page = await console.open('/queue')
    await page
      .getByRole('row', { name: /ann@a\.test/ })
      .getByRole('checkbox')
      .check()
    await page.getByRole('button', { name: 'Hold' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Hold' }).click()
    await page.getByRole('row', { name: /ann@a\.test.*Held/ }).waitFor()
    await page.getByLabel('Recipient').fill('*@b.test')
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByText('ann@a.test').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Cancel messages' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Cancel messages: 2 messages?').waitFor()
    await dialog.getByText('They are deleted and never sent').waitFor()
    await assertAccessible(page)
    await dialog.getByRole('button', { name: 'Cancel messages' }).click()
    await page.getByText('Cancelled: 2.').waitFor()
    const { body } = await console.service.ask('GET', '/api/queue/messages')
    assert.deepEqual(
      body.messages.map(({ recipient }: { recipient: string }) => recipient),
      ['ann@a.test'],
    )
  })

  test('offers no action to a user who may only view it', async () => {
    const viewer = await addUser(console.service, { queue: ['view'] })
    const page = await console.open('/queue', viewer)
    await page.getByRole('row', { name: /shop@a\.test/ }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Cancel messages' }).count(), 0)
  })
})
