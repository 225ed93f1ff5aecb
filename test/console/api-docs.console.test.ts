import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { needsBrowser } from '../browser/launch.ts'
import { assertAccessible, useTestConsole } from './test-console.ts'

/** The parts of the OpenAPI document that the tests read. */
interface ApiDocument {
  tags: { name: string }[]
  paths: Record<string, Record<string, { operationId: string; tags: string[] }>>
}

/** The section of an operation. */
const operation = (page: Page, id: string) => page.locator(`section[aria-labelledby=${id}]`)

describe('the pages of the API', needsBrowser, () => {
  // Fails in the end where a page asked another host, or broke the content security policy.
  const console = useTestConsole()
  let page: Page
  before(() => {
    page = console.page
  })

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

  test('an operation is found by name, path and field, shown by its address, and marked in the menu, also on a phone', async () => {
    await console.open('/api/docs')
    await assertAccessible(page)
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
    await page.goto(`${console.url}/api/docs/multipleTransports#createTransport`)
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

  test('a request is tried with the session of the console, else the log-in is offered; its curl command is copied', async () => {
    await console.context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.setViewportSize({ width: 1_280, height: 800 })
    /** Sends what its form holds, and returns the answer. */
    const send = async (id: string, button: string, status: string) => {
      const section = operation(page, id)
      await section.getByRole('button', { name: button }).click()
      await section.getByRole('status').filter({ hasText: status }).waitFor()
      return (await section.textContent()) ?? ''
    }
    const tryOut = (id: string) => operation(page, id).getByText('Try it').click()
    await page.goto(`${console.url}/api/docs/multipleTransports`)
    await page.getByText('Logged in as Admin').waitFor()
    await tryOut('createTransport')
    // The example is sent as it stands.
    const created = await send('createTransport', 'Send POST', '201 Created')
    await tryOut('getTransport')
    const get = operation(page, 'getTransport')
    await get.getByRole('textbox', { name: 'id' }).fill(/"id": (\d+)/.exec(created)?.[1] ?? '')
    assert.match(await send('getTransport', 'Send GET', '200 OK'), /"name": "Newsletter"/)

    await page.goto(`${console.url}/api/docs/contacts`)
    const section = operation(page, 'editContact')
    await page.getByText('Logged in as Admin').waitFor()
    await tryOut('editContact')
    await section.getByRole('textbox', { name: 'id', exact: true }).fill('12')
    await section.getByRole('textbox', { name: 'Body' }).fill(`{"firstname": "Conan O'Brien"}`)
    await section.getByRole('button', { name: 'Copy' }).click()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    assert.equal(copied, await section.locator('.curl').textContent())
    assert.equal(
      copied.replaceAll(/ \\\n +/g, ' '),
      `curl -u admin@localhost -X PATCH '${console.url}/api/contacts/12/edit' -H 'content-type: application/json' -d '{"firstname": "Conan O'\\''Brien"}'`,
    )

    await console.context.clearCookies()
    await page.goto(`${console.url}/api/docs/queue`)
    await page.getByRole('link', { name: 'Log in' }).waitFor()
    await tryOut('listQueuedMessages')
    const refused = await send('listQueuedMessages', 'Send GET', '401 Unauthorized')
    assert.match(refused, /Log in to the console/)
    await assertAccessible(page)
    await page.getByRole('link', { name: 'Back to the console' }).click()
    await page.waitForURL(`${console.url}/`)
  })
})
