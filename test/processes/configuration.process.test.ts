import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { readConfig } from '../../src/platform/config/index.ts'
import { basicHeader } from '../administrator.ts'
import { createFolder, startMailyard } from '../mailyard-process.ts'
import { until } from '../until.ts'

async function statusOf(url: string, path: string, username: string, password: string) {
  const authorization = basicHeader(username, password)
  return (await fetch(url + path, { headers: { authorization } })).status
}

/** Runs a test in a folder of its own. */
async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const { folder, remove } = createFolder()
  try {
    await work(folder)
  } finally {
    remove()
  }
}

describe('configuration', () => {
  test('an empty environment works: a database, a key file of mode 0600, and a link for the password printed once', () =>
    inFolder(async (folder) => {
      const first = await startMailyard({ folder })
      await until(() => /set-password#[\w-]{43}\s/.test(first.output()), 'the link is printed')
      assert.match(first.url, /^http:\/\/127\.0\.0\.1:\d+$/)
      const files = readdirSync(join(folder, 'data')).sort()
      assert.ok(files.includes('mailyard.db'), files.join(', '))
      const keyFile = files.find((name) => !name.startsWith('mailyard.db'))
      assert.ok(keyFile !== undefined, 'there is a key file beside the database')
      for (const name of files) {
        assert.equal(statSync(join(folder, 'data', name)).mode & 0o777, 0o600, name)
      }
      assert.equal(await first.stop(), 0)

      const second = await startMailyard({ folder })
      assert.doesNotMatch(second.output(), /password/i)
      assert.equal(await second.stop(), 0)
      const key = readFileSync(join(folder, 'data', keyFile), 'utf8').trim()
      for (const output of [first.output(), second.output()]) assert.ok(!output.includes(key))
    }))

  test('every variable is taken from the environment, from <NAME>_FILE, and from .env', () =>
    inFolder(async (folder) => {
      writeFileSync(join(folder, 'password'), 'from a file\n')
      writeFileSync(join(folder, '.env'), 'MAILYARD_ADMIN_USERNAME=fromdotenv\n')
      const env = {
        MAILYARD_DATABASE_URL: 'sqlite:./elsewhere.db',
        MAILYARD_SECRET_KEY: 'a secret key of 32 characters or more',
        MAILYARD_ADMIN_EMAIL: 'me@example.com',
        MAILYARD_ADMIN_PASSWORD_FILE: join(folder, 'password'),
        MAILYARD_HOST: 'localhost',
        MAILYARD_LOG_LEVEL: 'info',
      }
      const service = await startMailyard({ folder, env })
      try {
        for (const login of ['fromdotenv', 'me@example.com']) {
          assert.equal(await statusOf(service.url, '/api/users/self', login, 'from a file'), 200)
        }
        assert.doesNotMatch(service.output(), /from a file/)
        assert.ok(existsSync(join(folder, 'elsewhere.db')))
        const names = readdirSync(folder).filter((name) => /key/.test(name))
        assert.deepEqual(names, [], 'a key that is given is not written')
      } finally {
        await service.stop()
      }
    }))

  test('the two switches of the contract are variables', () => {
    const env = { MAILYARD_API_ENABLED: 'false', MAILYARD_BASIC_AUTH_ENABLED: 'no' }
    const { isApiEnabled, isBasicAuthEnabled } = readConfig(env, '/nonexistent').config
    assert.deepEqual([isApiEnabled, isBasicAuthEnabled], [false, false])
  })
})
