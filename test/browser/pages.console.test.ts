import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { addClient, addUser, type TestClient, type TestUser } from '../callers.ts'
import { askToken } from '../consent.ts'
import { openTestApp, type TestApp } from '../test-app.ts'
import { launchBrowser, needsBrowser, openContext } from './launch.ts'

/** What went wrong in a page, and what it fetched. */
interface Watch {
  problems: string[]
  urls: string[]
}

/** Console errors, violations of the policy and failed requests are all problems. */
function watch(page: Page): Watch {
  const problems: string[] = []
  const urls: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('requestfailed', (request) => problems.push(`${request.url()} failed`))
  page.on('request', (request) => urls.push(request.url()))
  return { problems, urls }
}

describe('in a real browser', needsBrowser, () => {
  let browser: Browser
  let service: TestApp
  let baseUrl: string
  /** The application that sends its users to the consent page. */
  let application: Server
  let callback: string
  let user: TestUser
  let client: TestClient

  before(async () => {
    browser = await launchBrowser()
    service = await openTestApp()
    baseUrl = await service.listen()
    application = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html').end('<title>App</title>Welcome back.')
    })
    await new Promise<void>((done) => application.listen(0, '127.0.0.1', done))
    callback = `http://127.0.0.1:${(application.address() as AddressInfo).port}/callback?app=1`
    user = await addUser(service, {})
    client = await addClient(service, { name: 'Campaigns & Co', redirectUris: [callback] })
  })
  after(async () => {
    await browser?.close()
    application?.closeAllConnections()
    application?.close()
    await service?.close()
  })

  const openConsent = async (page: Page) => {
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: client.clientId,
      redirect_uri: callback,
      state: 'some state',
    })
    await page.goto(`${baseUrl}/oauth/v2/authorize?${query.toString()}`)
  }

  const logIn = async (page: Page, password: string) => {
    await page.getByLabel('User name or email').fill(user.username)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Log in' }).click()
  }

  test('a user logs in, consents, and is back at the application with a code that works', async () => {
    const page = await (await openContext(browser)).newPage()
    const { problems, urls } = watch(page)
    await openConsent(page)
    await logIn(page, user.password)
    await page.getByRole('heading', { name: 'Let Campaigns & Co use Mailyard?' }).waitFor()
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.waitForURL(/\/callback\?app=1&/)
    assert.equal(await page.textContent('body'), 'Welcome back.')
    const values = new URL(page.url()).searchParams
    assert.equal(values.get('state'), 'some state')
    const { status, body } = await askToken(service, client, {
      grant_type: 'authorization_code',
      code: values.get('code'),
      redirect_uri: callback,
    })
    assert.equal(status, 200, body.error_description)
    assert.deepEqual(problems, [])
    const own = [baseUrl, new URL(callback).origin]
    for (const url of urls) assert.ok(own.includes(new URL(url).origin), url)
    assert.equal(await page.evaluate('document.cookie'), '', 'no script sees the session')
    await page.context().close()
  })

  test('a wrong password is shown as an error; "Deny" redirects with access_denied', async () => {
    const page = await (await openContext(browser)).newPage()
    const { problems } = watch(page)
    await openConsent(page)
    await logIn(page, 'wrong password')
    await page.getByRole('alert').getByText('is wrong').waitFor()
    await logIn(page, user.password)
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.waitForURL(/error=access_denied/)
    assert.equal(new URL(page.url()).searchParams.get('code'), null)
    const others = problems.filter((text) => !/401 \(Unauthorized\)/.test(text))
    assert.deepEqual(others, [])
    await page.context().close()
  })

  test('an application may send its user on to another of its addresses', async () => {
    const onward = createServer((_request, response) => {
      const location = callback.replace('127.0.0.1', 'localhost')
      response.writeHead(302, { location }).end()
    })
    await new Promise<void>((done) => onward.listen(0, '127.0.0.1', done))
    const redirectUri = `http://127.0.0.1:${(onward.address() as AddressInfo).port}/callback`
    const relayed = await addClient(service, { redirectUris: [redirectUri] })
    const page = await (await openContext(browser)).newPage()
    const { problems } = watch(page)
    await page.goto(
      `${baseUrl}/oauth/v2/authorize?response_type=code&client_id=${relayed.clientId}`,
    )
    await logIn(page, user.password)
    await page.getByRole('button', { name: 'Allow' }).click()
    await page
      .getByText('Welcome back.')
      .waitFor()
      .catch(() => undefined)
    assert.deepEqual(problems, [])
    assert.equal(new URL(page.url()).hostname, 'localhost')
    await page.context().close()
    onward.close()
  })
})
