import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createFolder } from '../mailyard-process.ts'

const main = join(import.meta.dirname, '../../src/main.ts')

/** Runs a line of the shell, in which `$mailyard` is Mailyard. */
async function runShell(line: string): Promise<{ code: number; stderr: string }> {
  const { folder, remove } = createFolder()
  const env = { ...process.env, mailyard: `${process.execPath} ${main}` }
  try {
    return await new Promise((resolve) => {
      const child = execFile('bash', ['-c', line], { cwd: folder, env }, (_, _stdout, stderr) =>
        resolve({ code: child.exitCode ?? -1, stderr }),
      )
    })
  } finally {
    remove()
  }
}

test('a reader that leaves early is no failure', async () => {
  for (const args of ['--help', '--help 2>&1', 'migrate', 'doctor --json', 'nope 2>&1']) {
    const { code, stderr } = await runShell(`$mailyard ${args} | true; exit \${PIPESTATUS[0]}`)
    assert.equal(code, args.startsWith('nope') ? 2 : 0, stderr)
    assert.doesNotMatch(stderr, /EPIPE| {4}at /)
  }
})

test('output that is lost fails the command, in one sentence', async (t) => {
  if (!existsSync('/dev/full')) return t.skip('there is no /dev/full')
  for (const args of ['--help', 'doctor --json']) {
    const { code, stderr } = await runShell(`$mailyard ${args} >/dev/full`)
    assert.equal(code, 1)
    assert.match(stderr, /^The output cannot be written: .*no space left.*\n$/)
  }
})
