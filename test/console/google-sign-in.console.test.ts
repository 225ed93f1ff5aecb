import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { needsBrowser } from '../browser/launch.ts'
import { freePort } from '../free-port.ts'
import { GoogleServer, googleClient, googleRefreshToken } from '../google-server.ts'
import { openTestConsole, type TestConsole } from './test-console.ts'

const callbackPath = '/oauth/google/callback'
const dsn = `gmail+oauth://${encodeURIComponent(googleClient.clientId)}:${encodeURIComponent(googleClient.clientSecret)}@default`

/** Chooses the form of Google, and fills in the client. */
async function openForm(console: TestConsole): Promise<Page> {
  const page = await console.open('/transports/new')
  await page.getByRole('textbox', { name: 'DSN' }).fill(`${dsn}?refreshToken=old`)
  await page.getByRole('button', { name: 'Sign in with Google' }).waitFor()
  return page
}

describe('the sign-in with Google in the console', needsBrowser, () => {
  let google: GoogleServer
  let console: TestConsole
  before(async () => {
    const port = await freePort()
    const publicUrl = `http://127.0.0.1:${port}`
    google = await GoogleServer.start([`${publicUrl}${callbackPath}`])
    const { endpoints: googleEndpoints } = google
    const otherOrigins = [googleEndpoints.issuer]
    console = await openTestConsole({ port, otherOrigins, config: { publicUrl }, googleEndpoints })
  })
  afterEach(() => console.check())
  after(async () => {
    await console?.close()
    await google?.close()
  })
  test('fills in the refresh token, which no address and no other page gets, and says why Google refuses', async () => {
    const page = await openForm(console)
    const button = page.getByRole('button', { name: 'Sign in with Google' })
    await page.getByLabel('Client secret', { exact: true }).fill('')
    await page.getByText('Fill in the client id and the client secret first.').waitFor()
    assert.equal(await button.isDisabled(), true)
    await page.getByLabel('Client secret', { exact: true }).fill(googleClient.clientSecret)
    const redirectUri = await page.getByLabel('Redirect URI').inputValue()
    assert.equal(redirectUri, `${console.url}${callbackPath}`)
    google.behavior = { isDenied: true }
    await button.click()
    await page.getByRole('alert').filter({ hasText: 'access_denied' }).waitFor()
    assert.equal(await page.getByLabel('Refresh token', { exact: true }).inputValue(), 'old')
    google.behavior = {}
    google.consents.length = 0
    await page.getByLabel('Mailbox', { exact: true }).fill('shop@example.com')
    const addresses: string[] = []
    console.context.on('request', (request) => addresses.push(request.url()))
    const opening = page.waitForEvent('popup')
    await button.click()
    const popup = await opening
    await page.getByText('The refresh token is filled in.').waitFor()
    assert.equal(
      await page.getByLabel('Refresh token', { exact: true }).inputValue(),
      googleRefreshToken,
    )
    if (!popup.isClosed()) await popup.waitForEvent('close')
    assert.equal(google.consents[0]?.get('login_hint'), 'shop@example.com')
    for (const secret of [googleRefreshToken, googleClient.clientSecret])
      for (const form of [secret, encodeURIComponent(secret)])
        assert.ok(!addresses.some((address) => address.includes(form)), form)
    await page.getByLabel('Name', { exact: true }).fill('Shop')
    await page.getByRole('button', { name: 'Save without a test' }).click()
    await page.getByRole('heading', { name: 'Shop' }).waitFor()
    const { body } = await console.service.ask('GET', '/api/multipleTransports/1')
    const { searchParams } = new URL(body.mailerDsn)
    assert.equal(searchParams.get('refreshToken'), googleRefreshToken)
    assert.equal(searchParams.get('mailbox'), 'shop@example.com')
  })

  test('ends when another client is typed, or by Cancel; the window that comes back then changes nothing', async () => {
    const page = await openForm(console)
    // The window stays at a page of Google until the test goes on.
    const consent = `${google.endpoints.authorization}?*`
    await console.context.route(consent, (route) => route.fulfill({ body: 'Allow?' }))
    const start = async () => {
      const opening = page.waitForEvent('popup')
      await page.getByRole('button', { name: 'Sign in with Google' }).click()
      const popup = await opening
      await popup.getByText('Allow?').waitFor()
      await page.getByText('Waiting for your consent').waitFor()
      return popup
    }
    const canceled = await start()
    await page.getByRole('button', { name: 'Cancel', exact: true }).click()
    const replaced = await start()
    await page.getByLabel('Client id', { exact: true }).fill('another')
    await page.getByText('Waiting for your consent').waitFor({ state: 'hidden' })
    await console.context.unroute(consent)
    for (const popup of [canceled, replaced]) {
      await popup.reload()
      await popup.getByText('You can close this window').waitFor()
      assert.equal(new URL(popup.url()).search, '')
      await popup.close()
    }
    assert.equal(await page.getByLabel('Refresh token', { exact: true }).inputValue(), 'old')
  })
})
