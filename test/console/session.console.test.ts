import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { adminPassword } from '../administrator.ts'
import { needsBrowser } from '../browser/launch.ts'
import { assertAccessible, useTestConsole } from './test-console.ts'

describe('the session of the console', needsBrowser, () => {
  const console = useTestConsole()

  test('a wrong password is reported; the right one opens the screen that was asked for', async () => {
    const { page, url } = console
    await page.goto(`${url}/transports`)
    await page.getByLabel('User name or email').fill('admin')
    await page.getByLabel('Password').fill('wrong')
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('alert').getByText('The user name or password is wrong.').waitFor()
    await assertAccessible(page)
    await page.getByLabel('Password').fill(adminPassword)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('heading', { name: 'Transports' }).waitFor()
    assert.equal(new URL(page.url()).pathname, '/transports')
    // It is kept from scripts and from other sites.
    const [cookie] = await console.context.cookies()
    assert.deepEqual([cookie?.httpOnly, cookie?.sameSite], [true, 'Strict'])
  })
})

describe('the first start', needsBrowser, () => {
  const console = useTestConsole(() => ({ config: { adminPassword: undefined } }))

  test('its link asks for a password and opens the console', async () => {
    const { page, url, service } = console
    const { link = '' } = service.app.firstLogin ?? {}
    await page.goto(`${url}/set-password#${link.split('#')[1]}`)
    await page.getByLabel('New password').fill('a good password')
    await page.getByLabel('The password again').fill('another')
    await page.getByText('Both must be the same.').waitFor()
    await assertAccessible(page)
    await page.getByLabel('The password again').fill('a good password')
    await page.getByRole('button', { name: 'Save and log in' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.goto(`${url}/set-password#${link.split('#')[1]}`)
    await page.getByText('This link was used, or has expired.').waitFor()
    assert.equal(await page.getByLabel('New password').count(), 0)
    await assertAccessible(page)
    await page.getByRole('link', { name: 'Log in' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
  })
})
