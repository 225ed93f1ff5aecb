import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settings } from '../../platform/config/index.ts'
import type { CliEnvironment } from './output.ts'
import { run } from './run.ts'

async function errorOf(args: string[]): Promise<string> {
  const written: string[] = []
  const stderr = { write: (chunk: string) => void written.push(chunk) }
  const environment = { stderr, stdout: { write: () => undefined } } as unknown as CliEnvironment
  assert.equal(await run(args, environment), 2)
  return written.join('')
}

test('an option that is a setting names its variable, for every setting', async () => {
  for (const { name } of settings) {
    const option = `--${name.slice('MAILYARD_'.length).toLowerCase().replaceAll('_', '-')}`
    const expected = `error: Unknown option ${option}. Set ${name}.\n`
    assert.equal(await errorOf(['serve', option, 'value']), expected)
    assert.equal(await errorOf([option, 'value', 'serve']), expected)
  }
})

test('the value of an option is never shown', async () => {
  const text = await errorOf(['serve', '--admin-password=S3cret'])
  assert.equal(text, 'error: Unknown option --admin-password. Set MAILYARD_ADMIN_PASSWORD.\n')
})

test('a misspelt option gets a suggestion, and any other names --help', async () => {
  assert.match(await errorOf(['serve', '--prot', '1']), /Did you mean MAILYARD_PORT/)
  assert.match(await errorOf(['serve', '--database', 'x']), /Did you mean MAILYARD_DATABASE_URL/)
  assert.match(await errorOf(['users', 'list', '--jsno']), /Did you mean --json\?/)
  assert.match(await errorOf(['serve', '-x']), /^error: Unknown option -x\. --help lists the /)
})
