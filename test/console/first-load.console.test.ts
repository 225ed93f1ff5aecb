import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { needsBrowser } from '../browser/launch.ts'
import { addTransport } from '../callers.ts'
import { createSendFixture } from '../send-fixture.ts'
import { collectFiles, untilQuiet } from './loaded-files.ts'
import { useTestConsole } from './test-console.ts'

const scriptBytesMax = 60_000
const styleBytesMax = 20_000

describe('the first load of the console', needsBrowser, () => {
  const console = useTestConsole()
  before(async () => {
    const { service } = console
    const transport = await addTransport(service, { mailerDsn: 'inbox://local' })
    const fixture = createSendFixture(() => service)
    await fixture.sendTo(await fixture.email(transport.id), ['ada@example.com'])
    await console.open('/')
  })

  const load = async (path: string, shown = '#content h1') => {
    const page = await console.context.newPage()
    const files = collectFiles(page)
    await page.goto(`${console.url}${path}`)
    await page.locator(shown).first().waitFor()
    await untilQuiet(page)
    return files()
  }

  test('needs at most 60 KB of scripts and 20 KB of styles, compressed; the editor of templates 200 KB more', async () => {
    let scriptBytes = 0
    for (const path of ['/', '/transports', '/deliveries', '/templates']) {
      const { script, style, names } = await load(path)
      assert.ok(script > 0 && script <= scriptBytesMax, `${script} bytes of ${[...names].join()}`)
      assert.ok(style > 0 && style <= styleBytesMax, `${style} bytes of styles`)
      scriptBytes = script
    }
    const editor = (await load('/templates/new', '.cm-content')).script - scriptBytes
    assert.ok(editor > 0 && editor <= 200_000, `${editor} bytes`)
  })
})
