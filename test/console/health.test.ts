import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { needsBrowser } from '../browser/launch.ts'
import { addUser } from '../callers.ts'
import { assertAccessible, openTestConsole, type TestConsole } from './test-console.ts'

describe('health in the console', needsBrowser, () => {
  let console: TestConsole
  before(async () => {
    console = await openTestConsole()
  })
  after(() => console?.close())

  test('administrators see checks, versions, processes, and settings without secrets', async () => {
    const page = await console.open('/health')
    await page.getByRole('table', { name: 'Checks' }).waitFor()
    await page.getByText(process.version, { exact: true }).waitFor()
    await page.getByText('Answers this page').waitFor()
    await page.getByText('Settings in force').first().click()
    await page.getByRole('table', { name: 'Settings in force' }).waitFor()
    assert.ok(!(await page.content()).includes('correct horse battery'))
    await assertAccessible(page)
  })

  test('others are not offered it', async () => {
    const viewer = await addUser(console.service, { email: ['view'] })
    const page = await console.open('/health', viewer)
    await page.getByRole('alert').waitFor()
    assert.equal(await page.getByRole('link', { name: 'Health' }).count(), 0)
  })
})
