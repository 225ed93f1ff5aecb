import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type MailyardOptions, startMailyard } from '../mailyard-process.ts'
import { runMailyard } from '../run-mailyard.ts'

/** A start that is to fail: its exit code, and all that it said. */
async function serve(env: NonNullable<MailyardOptions['env']>) {
  const { code, stdout, stderr } = await runMailyard(['serve'], { env })
  return { code, output: stdout + stderr }
}

test('a start reports all invalid settings together, without secrets', async () => {
  const wrong = {
    MAILYARD_PORT: 'x',
    MAILYARD_ADMIN_EMAIL: 'no-domain',
    MAILYARD_ADMIN_PASSWORD: 'S3cret',
    MAILYARD_MAILER_DSN: 'smtp://user:S3cret@',
    MAILYARD_MAILER_FROM: 'Mailyard',
    MAILYARD_SOURCE_ADDRESSES: 'eth0',
    MAILYARD_DATABASE_URL: 'mysql://user:S3cret@localhost/db',
    MAILYARD_SECRET_KEY: 'S3cret',
  }
  const { code, output } = await serve(wrong)
  assert.equal(code, 2)
  for (const name of Object.keys(wrong)) assert.ok(output.includes(`${name}`), `${name}: ${output}`)
  assert.ok(!output.includes('S3cret'), output)
})

test('a default transport that may not run a command is refused at the start', async () => {
  const env = { MAILYARD_MAILER_DSN: 'sendmail://default' }
  const { code, output } = await serve(env)
  assert.equal(code, 2)
  assert.match(output, /MAILYARD_MAILER_DSN/)
})

test('a default transport with an address that the operator has not listed is refused at the start', async () => {
  const { code, output } = await serve({
    MAILYARD_MAILER_DSN: 'smtp://127.0.0.1:25?source_ip=192.0.2.1',
    MAILYARD_SOURCE_ADDRESSES: '192.0.2.2',
  })
  assert.equal(code, 2)
  assert.match(output, /MAILYARD_MAILER_DSN: .*source_ip/)
})

test('a port that is taken, or an address that is not there, names the setting to change', async () => {
  const first = await startMailyard()
  const env = { MAILYARD_SMTP_PORT: '' }
  const taken = await serve({ ...env, MAILYARD_PORT: String(first.port) })
  const elsewhere = await serve({ ...env, MAILYARD_PORT: '0', MAILYARD_HOST: '192.0.2.1' })
  await first.stop()
  assert.match(taken.output, /cannot listen on 127\.0\.0\.1, port \d+: .*MAILYARD_PORT/)
  assert.equal(taken.code, 4)
  assert.match(elsewhere.output, /MAILYARD_HOST/)
  assert.ok(!taken.output.includes('    at '), taken.output)
})
