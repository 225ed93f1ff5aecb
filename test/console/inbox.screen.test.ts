import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { addTransport, addUser } from '../callers.ts'
import { useScreens } from './test-screens.ts'

describe('the inbox in the console', () => {
  const console = useScreens()
  let transportId: number

  const sendTest = async (to: string) => {
    const path = `/api/multipleTransports/send/test/${transportId}`
    const body = await console.ask('POST', path, { to })
    assert.equal(body.success, true, body.message)
  }

  test('a captured test is listed and read', async () => {
    transportId = (
      await addTransport(console.service, { name: 'Try-out', mailerDsn: 'inbox://local' })
    ).id
    await sendTest('ann@example.com')
    await sendTest('bob@example.com')
    const page = await console.open('/inbox')
    await page.row(/ann@example\.com.*Try-out/).waitFor()
    await page.link('Test message').nth(0).click()
    await page.opens('Test message')
    await page.see('Captured, not sent')
    assert.equal(await page.link('Try-out').getAttribute('href'), `/transports/${transportId}`)
    await page.tab('Headers').click()
    await page.getByRole('tabpanel').see('Test message')
  })

  test('who may only view reads messages; who may delete, deletes one or all', async () => {
    const viewer = await addUser(console.service, { email: ['view'] })
    const page = await console.open('/inbox', viewer)
    await page.link('Test message').nth(0).click()
    await page.see('Captured, not sent')
    assert.equal(await page.button(/Delete/).count(), 0)
    assert.equal(await page.link('Try-out').count(), 0)
    await page.goto('/inbox')
    await page
      .row(/Test message/)
      .nth(0)
      .waitFor()
    assert.equal(await page.button(/Delete/).count(), 0)
    await console.open('/inbox')
    await page.confirm('Delete all')
    await page.see(/No captured message yet/)
  })
})
