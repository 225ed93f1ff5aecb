import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createFolder } from '../mailyard-process.ts'
import { runMailyard } from '../run-mailyard.ts'

/** Returns what bash offers after these words, of which the last one may be incomplete. */
async function completeInBash(...words: string[]): Promise<string[]> {
  const { stdout } = await runMailyard(['completion', 'bash'])
  const script = `${stdout}
    COMP_WORDS=(mailyard "$@"); COMP_CWORD=$#
    _mailyard
    printf '%s\\n' "\${COMPREPLY[@]}"`
  const offered = execFileSync('bash', ['-euc', script, 'bash', ...words], { encoding: 'utf8' })
  return offered.split('\n').filter((word) => word !== '')
}

test('bash completes commands, the commands below them, and options', async () => {
  const commands = await completeInBash('')
  for (const word of ['serve', 'transport', 'email', 'queue', 'completion', '--json'])
    assert.ok(commands.includes(word), word)
  assert.deepEqual(await completeInBash('tra'), ['transport'])
  assert.deepEqual(await completeInBash('queue', 'br'), ['brakes'])
  assert.deepEqual(await completeInBash('queue', 'brakes', 'c'), ['continue', 'cancel'])
  assert.deepEqual(await completeInBash('--json', 'transport', 'list', '--pub'), ['--published'])
  assert.deepEqual(await completeInBash('completion', 'z'), ['zsh'])
})

test('bash offers no commands for the value of an option', async () => {
  assert.deepEqual(await completeInBash('queue', 'hold', '--transport', ''), [])
  const after = await completeInBash('queue', 'hold', '--transport', 'queue', '--dry')
  assert.deepEqual(after, ['--dry-run'])
})

test('zsh completes with descriptions', async (t) => {
  if (!existsSync('/usr/bin/zsh')) return t.skip('there is no zsh')
  const { stdout } = await runMailyard(['completion', 'zsh'])
  const script = `compdef() { : }; _files() { : }; _describe() { print -l -- \${(P)2} }
    eval "$SCRIPT"
    words=(mailyard queue brakes ''); CURRENT=4
    _mailyard`
  const env = { ...process.env, SCRIPT: stdout }
  const offered = execFileSync('zsh', ['-f', '-c', script], { encoding: 'utf8', env })
  assert.match(offered, /^continue:release the messages that a brake holds\ncancel:delete/)
})

for (const shell of ['bash', 'zsh', 'fish'])
  test(`the script for ${shell} is valid`, async (t) => {
    const found = `/usr/bin/${shell}`
    if (!existsSync(found)) return t.skip(`there is no ${shell}`)
    const { folder, remove } = createFolder()
    t.after(remove)
    const file = join(folder, 'script')
    writeFileSync(file, (await runMailyard(['completion', shell])).stdout)
    execFileSync(found, ['-n', file])
  })

test('an unknown shell is refused with those that are known', async () => {
  const { code, stderr } = await runMailyard(['completion', 'tcsh'])
  assert.equal(code, 2)
  assert.match(stderr, /bash, zsh, fish/)
})
