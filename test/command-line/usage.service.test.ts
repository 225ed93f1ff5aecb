import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createFolder } from '../mailyard-process.ts'
import { runMailyard } from '../run-mailyard.ts'

const wrong: Record<string, string[]> = {
  'no command': [],
  'no command of a group': ['users'],
  'an unknown command': ['nope'],
  'an unknown option': ['users', 'list', '--nope'],
  'an option that is missing': ['users', 'add', 'ann'],
  'an option without its value': ['users', 'list', '--search'],
  'an option twice': ['users', 'list', '--limit', '1', '--limit', '2'],
  'a value of a flag': ['users', 'list', '--published=yes'],
  'an argument that is missing': ['users', 'get'],
  'an argument too many': ['users', 'list', 'ann'],
}
for (const [name, args] of Object.entries(wrong)) {
  test(`${name} is reported on standard error, or as JSON with --json, and changes nothing`, async () => {
    const { folder, remove } = createFolder()
    try {
      const plain = await runMailyard(args, { folder })
      assert.deepEqual([plain.code, plain.stdout], [2, ''])
      assert.notEqual(plain.stderr, '')
      const { code, stdout, stderr } = await runMailyard([...args, '--json'], { folder })
      assert.deepEqual([code, stderr], [2, ''])
      const { success, error, ...rest } = JSON.parse(stdout)
      assert.deepEqual([success, typeof error, rest], [false, 'string', {}])
      assert.doesNotMatch(error, /^error:|\n/)
      assert.deepEqual(readdirSync(folder), [])
    } finally {
      remove()
    }
  })
}

test('help is for people, and no failure', async () => {
  for (const args of [['--help'], ['--help', '--json'], ['help', 'user'], ['user', 'add', '-h']]) {
    const { code, stdout, stderr } = await runMailyard(args)
    assert.deepEqual([code, stderr], [0, ''])
    assert.match(stdout, /^Usage: mailyard/)
  }
})

test('--version is the version of the package', async () => {
  const file = join(import.meta.dirname, '../../package.json')
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string }
  const { code, stdout } = await runMailyard(['--version'])
  assert.deepEqual([code, stdout], [0, `${version}\n`])
})
