import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createTwig } from './create-twig.ts'

// Keeps docs/twig.md true: its programs and templates print what it says.

const page = readFileSync(new URL('../../../docs/twig.md', import.meta.url), 'utf8')

test('the program of the page prints what the page says', () => {
  const [, program = ''] = /```ts\n(.*?)```/s.exec(page) ?? []
  const [, wanted = ''] = /```text\n(.*?)```/s.exec(page) ?? []
  const folder = mkdtempSync(join(tmpdir(), 'twig-docs-'))
  const path = join(folder, 'program.ts')
  const library = new URL('index.ts', import.meta.url).href
  writeFileSync(path, program.replace("'mailyard/twig'", `'${library}'`))
  const { stdout, stderr } = spawnSync(process.execPath, [path], { encoding: 'utf8' })
  rmSync(folder, { recursive: true })
  const plain = (text: string) => text.replace(/[ \u00a0\u202f]+/g, ' ')
  assert.equal(plain(stdout), plain(wanted), stderr)
})

test('the templates of the page print what the page says', () => {
  const rows = [...page.matchAll(/^\| `(\{\{.*\}\})` \| `(.*)` \|$/gm)]
  assert(rows.length > 5)
  const twig = createTwig()
  for (const [, template = '', wanted] of rows) {
    const printed = twig.renderSource(template.replaceAll('\\|', '|'))
    assert.equal(printed.replace(/\s+/g, ' ').trim(), wanted, template)
  }
})
