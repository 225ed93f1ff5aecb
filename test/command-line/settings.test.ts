import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFolder, runMailyard, startMailyard } from '../mailyard-process.ts'

test('a start tells every setting that is wrong, at once and without secrets', async () => {
  const { folder, remove } = createFolder()
  const wrong = {
    MAILYARD_PORT: 'x',
    MAILYARD_ADMIN_EMAIL: 'nobody',
    MAILYARD_ADMIN_PASSWORD: 'S3cret',
    MAILYARD_MAILER_DSN: 'smtp://user:S3cret@',
    MAILYARD_MAILER_FROM: 'Mailyard',
    MAILYARD_DATABASE_URL: 'mysql://user:S3cret@localhost/db',
    MAILYARD_SECRET_KEY: 'S3cret',
  }
  try {
    const { code, output } = await runMailyard(['serve'], folder, wrong)
    assert.equal(code, 2)
    for (const name of Object.keys(wrong))
      assert.ok(output.includes(`${name}`), `${name}: ${output}`)
    assert.ok(!output.includes('S3cret'), output)
  } finally {
    remove()
  }
})

test('a default transport that may not run a command is refused at the start', async () => {
  const { folder, remove } = createFolder()
  try {
    const env = { MAILYARD_MAILER_DSN: 'sendmail://default' }
    const { code, output } = await runMailyard(['serve'], folder, env)
    assert.equal(code, 2)
    assert.match(output, /MAILYARD_MAILER_DSN/)
  } finally {
    remove()
  }
})

test('a setting whose file cannot be read names no other value', async () => {
  const { folder, remove } = createFolder()
  try {
    const env = { MAILYARD_PORT_FILE: '/nowhere/port' }
    const { code, output } = await runMailyard(['serve'], folder, env)
    assert.equal(code, 2)
    assert.match(output, /MAILYARD_PORT: .*\/nowhere\/port/)
  } finally {
    remove()
  }
})

test('a port that is taken, or an address that is not there, names the setting to change', async () => {
  const { folder, remove } = createFolder()
  try {
    const first = await startMailyard(folder)
    const { port } = new URL(first.url)
    const taken = await runMailyard(['serve'], folder, {
      MAILYARD_PORT: port,
      MAILYARD_SMTP_PORT: '',
    })
    const host = { MAILYARD_HOST: '192.0.2.1', MAILYARD_SMTP_PORT: '' }
    const elsewhere = await runMailyard(['serve'], folder, { ...host, MAILYARD_PORT: '0' })
    await first.stop()
    assert.match(taken.output, /cannot listen on 127\.0\.0\.1, port \d+: .*MAILYARD_PORT/)
    assert.equal(taken.code, 4)
    assert.match(elsewhere.output, /MAILYARD_HOST/)
    assert.ok(!taken.output.includes('    at '), taken.output)
  } finally {
    remove()
  }
})
