import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { readPassword } from '../../src/edges/cli/input.ts'

// cspell:ignore enouhg
/** Types these keys at a terminal, one entry for each prompt; also returns what the terminal shows. */
function type(keys: readonly string[]): { password: Promise<string>; seen: string[] } {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin })
  const seen: string[] = []
  const left = [...keys]
  const stderr = {
    write(text: string) {
      seen.push(text)
      if (text.endsWith(': ')) setImmediate(() => stdin.write(left.shift() ?? ''))
    },
  }
  const environment = { stdin: stdin as unknown as NodeJS.ReadStream, stderr }
  return { password: readPassword({ ...process, ...environment }, undefined), seen }
}

test('a password is asked for twice, and not shown', async () => {
  const { password, seen } = type(['long enough\r', 'long enough\r'])
  assert.equal(await password, 'long enough')
  assert.deepEqual(seen, ['Password: ', '\n', 'Again: ', '\n'])
})

test('two different passwords are refused', async () => {
  const { password } = type(['long enough\r', 'long enouhg\r'])
  await assert.rejects(password, { kind: 'invalid', code: 'passwords_differ' })
})

for (const [name, keys] of Object.entries({
  'Ctrl+C': ['\x03'],
  'Ctrl+D': ['\x04'],
  'Ctrl+C when asked again': ['long enough\r', '\x03'],
})) {
  test(`${name} ends the question in one sentence`, async () => {
    const { password, seen } = type(keys)
    await assert.rejects(password, { kind: 'invalid', message: 'No password was given.' })
    assert.equal(seen.at(-1), '\n')
  })
}
