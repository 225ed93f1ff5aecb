import assert from 'node:assert/strict'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { test } from 'node:test'
import { root, run } from './install-package.ts'

// The console of the image, built from the files that Docker gets of a checkout; npm and TypeScript are those of this one.

const read = (name: string) => readFileSync(join(root, name), 'utf8')

test('the image has the files that its console is built from', (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'mailyard-image-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  const ignored = read('.dockerignore').split('\n')
  const [, firstStage = ''] = read('Dockerfile').split(/^FROM .*$/m)
  for (const [, copy = ''] of firstStage.matchAll(/^COPY (.+)$/gm)) {
    const names = copy.split(' ')
    const target = join(folder, names.pop() ?? '')
    for (const name of names) {
      assert.ok(ignored.includes(`!${name}`), `.dockerignore leaves ${name} out`)
      const to = copy.endsWith('/') ? join(target, name) : target
      const filter = (path: string) => !ignored.includes(relative(root, path))
      cpSync(join(root, name), to, { recursive: true, filter })
    }
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  run('npm', ['run', '--silent', 'build:web'], folder)
  for (const file of ['index.html', 'api-docs/index.html', 'assets/docs-warm-up.html'])
    assert.ok(existsSync(join(folder, 'web/dist', file)), file)
})
