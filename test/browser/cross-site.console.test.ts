import assert from 'node:assert/strict'
import { request as ask, createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page, Response } from 'playwright-core'
import { adminPassword } from '../administrator.ts'
import { openTestApp, type TestApp } from '../test-app.ts'
import { launchBrowser, needsBrowser, openContext } from './launch.ts'

/**
 * A proxy that asks browsers for Basic credentials, as Mailyard does not: so the browser keeps some, and adds
 * them to each later request of any page.
 */
function createAskingProxy(target: string): Server {
  return createServer((request, response) => {
    const { method, headers, url } = request
    const onward = ask(`${target}${url}`, { method, headers }, (answer) => {
      const challenge = answer.statusCode === 401 ? { 'www-authenticate': 'Basic realm="x"' } : {}
      response.writeHead(answer.statusCode ?? 502, { ...answer.headers, ...challenge })
      answer.pipe(response)
    })
    request.pipe(onward)
  })
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return (server.address() as AddressInfo).port
}

describe('in a real browser that keeps Basic credentials', needsBrowser, () => {
  let browser: Browser
  let page: Page
  let service: TestApp
  let proxy: Server
  let evil: Server
  let baseUrl: string
  let evilPort: number
  /** What the page of the other site holds. */
  let evilPage = ''

  before(async () => {
    browser = await launchBrowser()
    service = await openTestApp()
    proxy = createAskingProxy(await service.listen())
    baseUrl = `http://127.0.0.1:${await listen(proxy)}`
    evil = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html').end(evilPage)
    })
    evilPort = await listen(evil)
    const context = await openContext(browser, {
      httpCredentials: { username: 'admin', password: adminPassword },
    })
    page = await context.newPage()
    const self = await page.goto(`${baseUrl}/api/users/self`)
    assert.equal(self?.status(), 200)
  })
  after(async () => {
    await browser?.close()
    for (const server of [proxy, evil]) {
      server?.closeAllConnections()
      server?.close()
    }
    await service?.close()
  })

  const countUsers = async () => (await service.ask('GET', '/api/users')).body.total
  /** What Mailyard answers to what a page does. */
  const answerOf = async (act: () => Promise<unknown>) => {
    const isOurs = (answer: Response) => answer.url().startsWith(baseUrl)
    const [answer] = await Promise.all([page.waitForResponse(isOurs), act()])
    return answer
  }
  const fields = {
    username: 'mallory',
    email: 'mallory@example.com',
    role: '1',
    'plainPassword[password]': 'a long password',
    'plainPassword[confirm]': 'a long password',
  }
  const inputs = Object.entries(fields)
    .map(([name, value]) => `<input name="${name}" value="${value}">`)
    .join('')
  const json = JSON.stringify({
    username: 'mallory',
    email: 'mallory@example.com',
    role: 1,
    plainPassword: { password: 'a long password', confirm: 'a long password' },
  })
  const form = (attributes: string, content = inputs) =>
    `<form id="f" method="post" action="${baseUrl}/api/users/new" ${attributes}>${content}</form>`

  test('a form on another site changes nothing, of whatever kind, also one that hides where it is from', async () => {
    const asJson = `<input name='${json.slice(0, -1)},"x":"' value='"}'>`
    const pages = [
      form(''),
      form('enctype="multipart/form-data"'),
      form('enctype="text/plain"', asJson),
      `<meta name="referrer" content="no-referrer">${form('')}`,
    ]
    for (evilPage of pages)
      for (const host of ['localhost', '127.0.0.1']) {
        await page.goto(`http://${host}:${evilPort}/`)
        const answer = await answerOf(() => page.evaluate('document.getElementById("f").submit()'))
        await page.waitForURL(/\/users\/new$/)
        assert.equal(answer.status(), 403, evilPage)
        assert.match((await answer.request().headerValue('authorization')) ?? '', /^Basic /)
      }
    assert.equal(await countUsers(), 1)
  })

  test('a script of another site changes nothing', async () => {
    evilPage = '<title>evil</title>'
    const body = JSON.stringify(json)
    const post = (type: string, more: string) =>
      `fetch('${baseUrl}/api/users/new', {method: 'POST', mode: 'no-cors', credentials: 'include', headers: {'content-type': '${type}'}, body: ${body}${more}}).then(() => true)`
    const scripts = [
      post('text/plain', ''),
      post('application/x-www-form-urlencoded', ''),
      post('text/plain', ', referrerPolicy: "no-referrer"'),
      `navigator.sendBeacon('${baseUrl}/api/users/new', ${body})`,
    ]
    for (const host of ['127.0.0.1', 'localhost']) {
      await page.goto(`http://${host}:${evilPort}/`)
      for (const script of scripts) {
        const status = (await answerOf(() => page.evaluate(script))).status()
        // On another host Chromium does not even send the credentials.
        assert.ok(status === 403 || (status === 401 && host === 'localhost'), `${status} ${script}`)
      }
    }
    assert.equal(await countUsers(), 1)
  })

  test("Mailyard's own pages still send what they are to send", async () => {
    await page.goto(`${baseUrl}/api/docs/`)
    const script = `fetch('/api/roles/new', {method: 'POST', headers: {'content-type': 'application/json'}, body: '{"name":"own page"}'}).then((answer) => answer.status)`
    assert.equal(await page.evaluate(script), 201)
  })
})
