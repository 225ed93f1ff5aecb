import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openTestApp } from '../../test/test-app.ts'

const yard = await openTestApp()
after(() => yard.close())
const browser = { as: 'nobody' as const, headers: { accept: 'text/html,*/*;q=0.8' } }

test('GET / answers a page whose links all work, and that loads nothing', async () => {
  const { status, headers, text } = await yard.ask('GET', '/', undefined, browser)
  assert.equal(status, 200)
  assert.match(String(headers['content-type']), /^text\/html/)
  assert.match(String(headers['content-security-policy']), /default-src 'none'; style-src 'sha256-/)
  assert.doesNotMatch(text, /<script|src=|https?:\/\//)
  const links = [...text.matchAll(/<a href="([^"]+)"/g)].map(([, href]) => href)
  assert.ok(links.includes('api/docs'))
  for (const href of links)
    assert.equal((await yard.ask('GET', `/${href}`, undefined, browser)).status, 200, href)
})

test('a path that is not there is a page for a browser, and JSON for a program', async () => {
  const page = await yard.ask('GET', '/nothing/here', undefined, browser)
  assert.equal(page.status, 404)
  assert.match(page.text, /<h1>This page does not exist<\/h1>/)
  const program = await yard.ask('GET', '/nothing/here', undefined, { as: 'nobody' })
  assert.deepEqual([program.status, program.body.success], [404, false])
  const api = await yard.ask('GET', '/api/nothing', undefined, { headers: browser.headers })
  assert.deepEqual([api.status, api.body.success], [404, false])
})
