import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { parseEnv } from 'node:util'
import { defaultConfig, readConfig } from '../../src/platform/config/index.ts'
import { adminPassword, asAdmin } from '../administrator.ts'
import { killLeftMailyards, startMailyard } from '../mailyard-process.ts'
import { installPackage, isInstalledByNpm, root, run } from './install-package.ts'

// The steps of docs/production.md: pack, install into an empty folder, and run with an environment file.

describe('the package of Mailyard, installed into an empty folder', { timeout: 300_000 }, () => {
  let folder: string
  let package_: string

  before(() => {
    folder = installPackage()
    package_ = join(folder, 'node_modules/mailyard')
  })
  after(killLeftMailyards)

  test('contains only what is needed at run time and for the service', () => {
    assert.deepEqual(readdirSync(package_).toSorted(), [
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'dist',
      'docs',
      'ops',
      'package.json',
      'packaging',
      'web',
    ])
    const others = ['decisions', 'mailyard.env', 'openapi.json', 'tasks']
    const docs = readdirSync(join(package_, 'docs')).filter((name) => !name.endsWith('.md'))
    assert.deepEqual(docs, others)
    if (!isInstalledByNpm) return
    const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const installed = readdirSync(join(folder, 'node_modules'))
    const installedForDevelopment = installed.filter((name) => name in devDependencies)
    assert.deepEqual(installedForDevelopment, [])
  })

  test('has the command mailyard', () => {
    const { version, bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const main = join(package_, bin.mailyard)
    assert.equal(run(process.execPath, [main, '--version'], folder).trim(), version)
    const help = run(process.execPath, [main, 'transports', 'list', '--help'], folder)
    assert.match(help, /^Usage: mailyard transports list /)
    if (!isInstalledByNpm) return
    const command = join(folder, 'node_modules/.bin/mailyard')
    assert.equal(run(command, ['--version'], folder).trim(), version)
  })

  const older = '/usr/bin/node'
  const version = existsSync(older) ? run(older, ['--version'], '/').trim() : 'v24'
  const skip = version < 'v24' ? false : `needs an older Node as ${older}`
  test('says on an older Node which one it needs, and nothing else', { skip }, () => {
    const args = [join(package_, 'dist/main.js'), 'serve']
    const { status, stderr } = spawnSync(older, args, { encoding: 'utf8' })
    const sentence = `error: Mailyard needs Node 24 or later, and this is ${version}.\n`
    assert.deepEqual([status, stderr], [1, sentence])
  })

  test('migrates, serves and sends with an environment file, and ends with 0 on SIGTERM', async () => {
    const state = join(folder, 'state')
    mkdirSync(state, { mode: 0o700 })
    const migrate = () => run(process.execPath, [join(package_, 'dist/main.js'), 'migrate'], state)
    migrate()
    assert.match(migrate(), /^The database is up to date /)
    const file = join(folder, 'mailyard.env')
    const settings = `MAILYARD_ADMIN_PASSWORD=${adminPassword}\nMAILYARD_SMTP_PORT=\n`
    writeFileSync(file, readFileSync(join(package_, 'docs/mailyard.env'), 'utf8') + settings)
    const mailyard = await startMailyard({
      folder: state,
      main: join(package_, 'dist/main.js'),
      env: parseEnv(readFileSync(file, 'utf8')) as Record<string, string>,
    })
    for (const page of ['/', '/healthz', '/api/docs', '/api/openapi.json'])
      assert.equal((await fetch(mailyard.url + page)).status, 200, page)
    const ask = async (path: string, body?: object) => {
      const init = { method: 'POST', body: JSON.stringify(body) }
      const headers = { authorization: asAdmin, 'content-type': 'application/json' }
      const answer = await fetch(`${mailyard.url}/api/${path}`, { ...(body && init), headers })
      assert.ok(answer.ok, `${path}: ${answer.status}`)
      return answer.json()
    }
    const transport = await ask('multipleTransports/new', {
      name: 'First',
      mailerDsn: 'inbox://local',
    })
    const { contact } = await ask('contacts/new', { email: 'jane@example.com', firstname: 'Jane' })
    const { emails } = await ask('emails')
    const [email = ''] = Object.keys(emails)
    await ask(`multipleTransport/transportEmail/${email}`, { transportId: transport.id })
    await ask(`emails/${email}/contact/${contact.id}/send`, {})
    const { message } = await ask('inbox/1')
    assert.match(message.text, /^Hello Jane,\s+this is a sample\.\s+$/)
    assert.equal(await mailyard.stop(), 0, mailyard.output())
    assert.ok(readdirSync(join(state, 'data')).includes('mailyard.db'))
  })
})

test('the environment file holds every setting with a default that is understood', () => {
  const text = readFileSync(join(root, '.env.example'), 'utf8').replaceAll(/^#(MAILYARD_)/gm, '$1')
  const { config, warnings } = readConfig(parseEnv(text), '/nonexistent')
  assert.deepEqual(warnings, [])
  assert.deepEqual(config, defaultConfig())
})
