import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { runMailyard } from '../run-mailyard.ts'

test('--version is the version of the package', async () => {
  const file = join(import.meta.dirname, '../../package.json')
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string }
  const { code, stdout } = await runMailyard(['--version'])
  assert.deepEqual([code, stdout], [0, `${version}\n`])
})
