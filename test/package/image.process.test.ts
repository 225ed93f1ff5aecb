import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { test } from 'node:test'
import { root, run } from './install-package.ts'

const read = (name: string) => readFileSync(join(root, name), 'utf8')

test('the image has the files of the checkout that its console is built from', (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'mailyard-image-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  const ignored = read('.dockerignore').split('\n')
  const filter = (path: string) => !ignored.includes(relative(root, path))
  const [, firstStage = ''] = read('Dockerfile').split(/^FROM .*$/m)
  for (const [, names = ''] of firstStage.matchAll(/^COPY (.+) \S+$/gm))
    for (const name of names.split(' ')) {
      assert.ok(ignored.includes(`!${name}`), `.dockerignore leaves ${name} out`)
      cpSync(join(root, name), join(folder, name), { recursive: true, filter })
    }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  run('npm', ['run', '--silent', 'build:web'], folder)
})
