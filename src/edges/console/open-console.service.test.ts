import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { basename, join } from 'node:path'
import { after, test } from 'node:test'
import { openTestApp } from '../../../test/test-app.ts'

const service = await openTestApp()
after(() => service.close())
const browser = { as: 'anonymous' as const, headers: { accept: 'text/html,*/*;q=0.8' } }

test('the page loads files of this server only, and no scripts from within', async () => {
  const { status, headers, text } = await service.ask('GET', '/', undefined, browser)
  assert.equal(status, 200)
  assert.match(String(headers['content-type']), /^text\/html/)
  const policy = String(headers['content-security-policy'])
  assert.match(policy, /default-src 'none'; script-src 'self';/)
  assert.doesNotMatch(policy, /https?:|script-src[^;]*unsafe/)
  assert.doesNotMatch(text, /<script>|<script [^>]*>[^<]|\son\w+=|https?:\/\//)
})

test('its files are kept by browsers for a year; their names change with their content', async () => {
  const { text } = await service.ask('GET', '/', undefined, browser)
  const files = [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path)
  assert.ok(files.length >= 2, text)
  for (const path of files) {
    const { status, headers } = await service.ask('GET', path ?? '', undefined, browser)
    assert.equal(status, 200)
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
  }
  const missing = await service.ask('GET', '/assets/main-OLD.js', undefined, browser)
  assert.deepEqual([missing.status, missing.body.success], [404, false])
})

test('its files are sent compressed to browsers that take gzip', async () => {
  const { text } = await service.ask('GET', '/', undefined, browser)
  const [path = ''] = /\/assets\/main-[^"]+/.exec(text) ?? []
  const gzip = { ...browser, headers: { ...browser.headers, 'accept-encoding': 'gzip, br' } }
  const plain = await service.ask('GET', path, undefined, browser)
  const { status, headers } = await service.ask('GET', path, undefined, gzip)
  assert.deepEqual([status, headers['content-encoding']], [200, 'gzip'])
  assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
  assert.match(String(headers['content-type']), /javascript/)
  assert.match(String(headers['vary']), /accept-encoding/i)
  assert.ok(Number(headers['content-length']) < plain.text.length / 2)
  assert.equal((await service.ask('GET', `${path}.gz`, undefined, browser)).status, 404)
})

test('the page names all files that its screen needs, and they exist', async () => {
  for (const path of ['/', '/transports?search=x', '/transports/7', '/contacts/import']) {
    const { headers } = await service.ask('GET', path, undefined, browser)
    const files = [...String(headers['link']).matchAll(/<([^>]+)>; rel=modulepreload/g)]
    assert.ok(files.length > 0, path)
    for (const [, file = ''] of files)
      assert.equal((await service.ask('GET', file, undefined, browser)).status, 200)
  }
  const unknown = await service.ask('GET', '/nothing', undefined, browser)
  assert.deepEqual([unknown.status, unknown.headers['link']], [200, undefined])
})

test('the address of a screen answers the page to browsers, and 404 to programs', async () => {
  const page = await service.ask('GET', '/transports/7', undefined, browser)
  assert.equal(page.status, 200)
  assert.match(page.text, /<script type="module"/)
  const program = await service.ask('GET', '/transports/7', undefined, { as: 'anonymous' })
  assert.deepEqual([program.status, program.body.success], [404, false])
  const api = await service.ask('GET', '/api/nothing', undefined, { headers: browser.headers })
  assert.deepEqual([api.status, api.body.success], [404, false])
})

test('the task pages are served, link each other, and load nothing from elsewhere', async () => {
  const tasks = globSync('docs/tasks/*.md', { cwd: join(import.meta.dirname, '../../..') })
  assert.ok(tasks.length >= 8)
  for (const task of tasks) {
    const name = basename(task, '.md')
    const { status, headers, text } = await service.ask('GET', `/help/${name}`, undefined, browser)
    assert.equal(status, 200, `${name}: run npm run build:web`)
    assert.match(String(headers['content-security-policy']), /default-src 'none'/)
    for (const [, link = ''] of text.matchAll(/href="([^"]*)"/g))
      assert.equal((await service.ask('GET', link, undefined, browser)).status, 200, link)
  }
  const missing = await service.ask('GET', '/help/missing', undefined, browser)
  assert.equal(missing.status, 404)
})
