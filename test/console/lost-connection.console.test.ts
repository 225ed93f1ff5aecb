import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { adminPassword } from '../administrator.ts'
import { needsBrowser } from '../browser/launch.ts'
import { addUser } from '../callers.ts'
import { assertAccessible, useTestConsole } from './test-console.ts'

const lost = 'The connection to Mailyard is lost.'

describe('a lost connection or session', needsBrowser, () => {
  const console = useTestConsole()

  /** Ends all sessions once a transport is to be saved: no other request of the page meets their end before. */
  const endSessionsOnSave = (page: Page) =>
    page.route(
      /multipleTransports\/new/,
      async (route) => {
        const { request } = console.context
        const { sessions } = await (await request.get(`${console.url}/api/sessions`)).json()
        for (const { id } of sessions) await request.delete(`${console.url}/api/sessions/${id}`)
        await route.continue()
      },
      { times: 1 },
    )

  /** Fills in a new transport, and waits until the editor has asked what the DSN means. */
  const fillTransport = async (name: string) => {
    const page = await console.open('/transports/new')
    await page.getByLabel('Name', { exact: true }).fill(name)
    await page.getByLabel('DSN', { exact: true }).fill('null://null')
    await page.locator('option:checked', { hasText: 'Null' }).waitFor({ state: 'attached' })
    return page
  }

  test('is shown, ends by itself, and keeps what was typed and asked for', async () => {
    const page = await console.open('/transports/new')
    await page.getByLabel('Name', { exact: true }).fill('Typed before')
    await console.context.setOffline(true)
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByText(lost).waitFor()
    await assertAccessible(page)
    await console.context.setOffline(false)
    await page.getByText(lost).waitFor({ state: 'detached' })
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Typed before')
    // A screen that is asked for meanwhile appears when it is restored.
    await page.goto(`${console.url}/`)
    await page.getByRole('link', { name: 'Deliveries' }).waitFor()
    await console.context.setOffline(true)
    await page.getByRole('link', { name: 'Deliveries' }).click()
    await page.getByText(lost).waitFor()
    await console.context.setOffline(false)
    await page.getByRole('heading', { name: 'Deliveries', level: 1 }).waitFor()
    await page.getByText(lost).waitFor({ state: 'detached' })
  })

  test('a change that met the end of a session is made after the log-in, but not for another user', async () => {
    const page = await fillTransport('Kept')
    await endSessionsOnSave(page)
    await page.getByRole('button', { name: 'Test and save' }).click()
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    await dialog.waitFor()
    await assertAccessible(page)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await dialog.getByLabel('Password').fill(adminPassword)
    await dialog.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('heading', { name: 'Kept' }).waitFor()
    const { body } = await console.service.ask('GET', '/api/multipleTransports?search=Kept')
    assert.equal(body.length, 1)

    // Another user gets their own screens, and not the changes of the first.
    const viewer = await addUser(console.service, { multipleTransports: ['view'] })
    await fillTransport('Dropped')
    await endSessionsOnSave(page)
    await page.getByRole('button', { name: 'Test and save' }).click()
    await dialog.getByLabel('User name or email').fill(viewer.username)
    await dialog.getByLabel('Password').fill(viewer.password)
    await dialog.getByRole('button', { name: 'Log in' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Emails' }).waitFor({ state: 'detached' })
    const dropped = await console.service.ask('GET', '/api/multipleTransports?search=Dropped')
    assert.deepEqual(dropped.body, [])
  })
})
