import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFolder, runMailyard } from '../mailyard-process.ts'

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
