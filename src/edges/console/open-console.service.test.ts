import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { basename, join } from 'node:path'
import { after, test } from 'node:test'
import { openTestApp } from '../../../test/test-app.ts'

const root = join(import.meta.dirname, '../../..')
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

test('the pages of the help are pages of the console; their texts link each other, and their pictures exist', async () => {
  const file = (name: string) => service.ask('GET', `/assets/docs-${name}`, undefined, browser)
  const pages: { name: string; headings: { anchor: string }[] }[] = (await file('pages.json')).body
  const anchors = new Map(
    pages.map(({ name, headings }) => [`/help/${name}`, headings.map(({ anchor }) => anchor)]),
  )
  for (const docs of globSync('docs/tasks/*.md', { cwd: root }))
    assert.ok(anchors.has(`/help/${basename(docs, '.md')}`), `${docs}: run npm run build:web`)
  for (const { name } of pages) {
    const { status, text, headers } = await file(`${name}.html`)
    assert.deepEqual([status, headers['cache-control']], [200, 'public, max-age=0'], name)
    for (const [, link = ''] of text.matchAll(/href="([^"]*)"/g)) {
      const [path = '', anchor = ''] = (link.startsWith('#') ? `/help/${name}${link}` : link).split(
        '#',
      )
      const isThere = anchors.get(path)?.some((each) => [each, ''].includes(anchor))
      assert.ok(isThere || /^(?:https?|mailto):/.test(link), `${name} links ${link}`)
    }
    for (const [, picture = ''] of text.matchAll(/src="([^"]*)"/g))
      assert.equal((await service.ask('GET', picture, undefined, browser)).status, 200, picture)
  }
  const page = await service.ask('GET', '/help/warm-up', undefined, browser)
  assert.match(page.text, /<script type="module"/)
})
