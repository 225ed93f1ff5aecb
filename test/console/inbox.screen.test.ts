import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { addTransport, addUser } from '../callers.ts'
import { useScreens } from './test-screens.ts'

describe('the inbox in the console', () => {
  const console = useScreens()

  test('a captured test is listed and read; who may delete, deletes one or all', async () => {
    const transport = { name: 'Try-out', mailerDsn: 'inbox://local' }
    const { id } = await addTransport(console.service, transport)
    for (const to of ['ann@example.com', 'bob@example.com'])
      await console.ask('POST', `/api/multipleTransports/send/test/${id}`, { to })
    const page = await console.open('/inbox')
    await page.row(/ann@example\.com.*Try-out/).waitFor()
    await page.link('Test message').nth(0).click()
    await page.opens('Test message')
    await page.see('Captured, not sent')
    assert.equal(await page.link('Try-out').getAttribute('href'), `/transports/${id}`)
    await page.tab('Headers').click()
    await page.getByRole('tabpanel').see('Test message')

    await console.open('/inbox', await addUser(console.service, { email: ['view'] }))
    await page.row(/ann@example\.com|\*{8}/).waitFor()
    assert.equal(await page.button(/Delete/).count(), 0)
    await page.link('Test message').nth(0).click()
    await page.see('Captured, not sent')
    assert.equal(await page.button(/Delete/).count(), 0)
    assert.equal(await page.link('Try-out').count(), 0)
    await console.open('/inbox')
    await page.confirm('Delete all')
    await page.see(/No captured message yet/)
  })
})
