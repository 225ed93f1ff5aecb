import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createFolder } from '../mailyard-process.ts'

const main = join(import.meta.dirname, '../../src/main.ts')

/** Runs a line of the shell, in which `$mailyard` is Mailyard. */
async function runShell(line: string): Promise<{ code: number; stdout: string; stderr: string }> {
  const { folder, remove } = createFolder()
  const env = { ...process.env, mailyard: `${process.execPath} ${main}` }
  try {
    return await new Promise((resolve) => {
      const child = execFile('bash', ['-c', line], { cwd: folder, env }, (_, stdout, stderr) =>
        resolve({ code: child.exitCode ?? -1, stdout, stderr }),
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

test('a warning of the settings stands beside the output of a command, not in it', async () => {
  const commands =
    'MAILYARD_FOO=1 $mailyard migrate --json && MAILYARD_FOO=1 $mailyard users list --json'
  const { code, stdout, stderr } = await runShell(commands)
  assert.equal(code, 0, stderr)
  assert.doesNotMatch(stdout, /MAILYARD_FOO/)
  assert.match(stdout, /^\{\s*"migrated"/)
  assert.match(stderr, /MAILYARD_FOO is not a setting of Mailyard/)
})
