import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { createFolder } from '../mailyard-process.ts'
import { runMailyard } from '../run-mailyard.ts'

const wrong: Record<string, string[]> = {
  'no command': [],
  'no command of users': ['user'],
  'an unknown command': ['nope'],
  'an unknown option': ['user', 'list', '--nope'],
  'an option that is missing': ['user', 'add', 'ann'],
  'an argument that is missing': ['client', 'add'],
  'an argument too many': ['user', 'list', 'ann'],
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
      assert.doesNotMatch(error, /^error:|\n|outputHelp/)
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
