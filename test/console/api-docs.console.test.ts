import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { needsBrowser } from '../browser/launch.ts'
import { assertAccessible, openTestConsole, type TestConsole } from './test-console.ts'

/** The parts of the OpenAPI document that the tests read. */
interface ApiDocument {
  tags: { name: string }[]
  paths: Record<string, Record<string, { operationId: string; tags: string[] }>>
}

/** The section of an operation. */
const operation = (page: Page, id: string) => page.locator(`section[aria-labelledby=${id}]`)

describe('the pages of the API', needsBrowser, () => {
  let console: TestConsole
  let page: Page
  before(async () => {
    console = await openTestConsole()
    page = console.page
  })
  beforeEach(() => page.setViewportSize({ width: 1_280, height: 800 }))
  // Fails where a page asked another host, or broke the content security policy.
  after(() => console.close())

  test('every operation of the OpenAPI document has its place, its example and its curl command', async () => {
    const { body } = await console.service.ask('GET', '/api/openapi.json')
    const { tags, paths } = body as ApiDocument
    const pages = new Map<string, string>()
    for (const { name } of tags) {
      const answer = await console.service.ask('GET', `/api/docs/${name}`, undefined, {
        as: 'anonymous',
      })
      assert.equal(answer.status, 200, `${name}: run npm run docs && npm run build:web`)
      assert.equal(answer.headers['cache-control'], 'no-cache')
      assert.match(String(answer.headers['content-security-policy']), /script-src 'self';/)
      pages.set(name, answer.text)
    }
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
    assert.ok(operations.length > 200)
    for (const { operationId, tags: names } of operations) {
      const html = pages.get(names[0] ?? '') ?? ''
      const [, rest = ''] = html.split(`<h2 id="${operationId}"`)
      const [section = ''] = rest.split('</section>')
      assert.match(section, /<pre class="curl">curl /, operationId)
      assert.match(section, /<h3>Answers<\/h3>/, operationId)
    }
  })

  test('axe finds nothing in them, and none of them scrolls sideways', async () => {
    await console.open('/api/docs')
    await assertAccessible(page)
    await console.open('/api/docs/queue')
    for (const summary of await page.locator('summary').all()) await summary.click()
    await assertAccessible(page)
    await page.setViewportSize({ width: 360, height: 800 })
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('searchbox').waitFor()
  })

  test('the search finds operations by name, path and field; Enter opens the first', async () => {
    await console.open('/api/docs')
    await page.keyboard.press('/')
    const found = page.locator('#menu li:visible')
    const search = async (text: string) => {
      await page.getByRole('searchbox', { name: 'Search operations' }).fill(text)
      await page.locator('#found', { hasText: /operations?$/ }).waitFor()
      return found.allTextContents()
    }
    assert.deepEqual(await search('drill unknown-word'), [])
    assert.match((await search('/api/queue/brakes continue')).join(), /POST/)
    assert.match((await search('testedEmailFrom')).join(), /Create a Transport/)
    const [first] = await search('importSuppressions')
    assert.match(first ?? '', /Import suppressions/)
    await page.keyboard.press('Enter')
    await page.waitForURL('**/api/docs/suppressions#importSuppressions')
  })

  test('the address of an operation shows it, marks it in the menu, and works on a phone', async () => {
    await console.open('/api/docs/multipleTransports#createTransport')
    const isInView = () =>
      page.waitForFunction(() => {
        const { top = -1 } = document.activeElement?.getBoundingClientRect() ?? {}
        return document.activeElement?.id === 'createTransport' && top > 0 && top < innerHeight / 2
      })
    await isInView()
    assert.equal(
      await page.locator('[aria-current=location]').getAttribute('href'),
      '/api/docs/multipleTransports#createTransport',
    )
    await page.setViewportSize({ width: 360, height: 700 })
    await page.goto(`${console.url}/api/docs/multipleTransports`)
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('link', { name: 'Create a Transport' }).first().click()
    await isInView()
    assert.equal(await page.getByRole('searchbox').isVisible(), false, 'the menu is closed')
  })

  test('a request is tried with the session of the console, without a password', async () => {
    await console.open('/api/docs/multipleTransports')
    await page.getByText('Logged in as Admin').waitFor()
    const create = operation(page, 'createTransport')
    await create.getByText('Try it').click()
    // The example is sent as it stands.
    await create.getByRole('button', { name: 'Send POST' }).click()
    await create.getByRole('status').filter({ hasText: '201 Created' }).waitFor()
    const { id } = JSON.parse((await create.locator('.result').textContent()) ?? '')
    const get = operation(page, 'getTransport')
    await get.getByText('Try it').click()
    await get.getByRole('textbox', { name: 'id' }).fill(String(id))
    await get.getByRole('button', { name: 'Send GET' }).click()
    await get.getByRole('status').filter({ hasText: '200 OK' }).waitFor()
    assert.match((await get.locator('.result').textContent()) ?? '', /"name": "Newsletter"/)
  })

  test('the curl command has the values of the form, the address of this Mailyard, and can be copied', async () => {
    await console.context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await console.open('/api/docs/contacts')
    await page.getByText('Logged in as Admin').waitFor()
    const section = operation(page, 'editContact')
    const curl = section.locator('.curl')
    await section.getByText('Try it').click()
    await section.getByRole('textbox', { name: 'id', exact: true }).fill('12')
    await section.getByRole('textbox', { name: 'Body' }).fill(`{"firstname": "Conan O'Brien"}`)
    await section.getByRole('button', { name: 'Copy' }).click()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    assert.equal(copied, await curl.textContent())
    assert.equal(
      copied.replaceAll(/ \\\n +/g, ' '),
      `curl -u admin@localhost -X PATCH '${console.url}/api/contacts/12/edit' -H 'content-type: application/json' -d '{"firstname": "Conan O'\\''Brien"}'`,
    )
  })

  test('a reader who is not logged in reads them, and is offered the log-in for a try', async () => {
    await console.context.clearCookies()
    await page.goto(`${console.url}/api/docs/queue`)
    await page.getByRole('link', { name: 'Log in' }).waitFor()
    const list = operation(page, 'listQueuedMessages')
    await list.getByText('Try it').click()
    await list.getByRole('button', { name: 'Send GET' }).click()
    await list.getByRole('status').filter({ hasText: '401 Unauthorized' }).waitFor()
    assert.match((await list.getByRole('status').textContent()) ?? '', /Log in to the console/)
    await page.getByRole('link', { name: 'Back to the console' }).click()
    await page.waitForURL(`${console.url}/`)
  })
})
