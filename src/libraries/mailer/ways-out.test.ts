import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const src = join(import.meta.dirname, '../..')
const sources = globSync('**/*.ts', { cwd: src })
  .filter((path) => !path.endsWith('.test.ts'))
  .map((path) => ({ path, text: readFileSync(join(src, path), 'utf8') }))

/** The files that import a name, without those that import its type. */
function importersOf(name: string): string[] {
  const statement = new RegExp(`^import \\{[^}]*\\b(?<!type )${name}\\b[^}]*\\}`, 'm')
  return sources
    .filter(({ text }) => statement.test(text))
    .map(({ path }) => path.replace('libraries/mailer/', ''))
    .sort()
}

const guarded = ['transports/open-transport.ts']
const tested = ['probe/test-transport.ts']

/** Who imports what can reach a server that takes mail. `openTransport` and `testTransport` ask the guard. */
const importers: Record<string, string[]> = {
  openTransport: ['mailer.ts', ...tested],
  testTransport: ['mailer.ts'],
  openApi: ['probe/probe.ts'],
  probeApi: tested,
  probeSmtp: tested,
  ApiTransport: guarded,
  CommandTransport: guarded,
  SmtpTransport: guarded,
  SessionPool: guarded,
  openSession: ['probe/probe.ts', 'smtp/session-pool.ts'],
  transact: ['probe/probe.ts', 'smtp/smtp-transport.ts'],
  createMailer: ['core/core.ts'],
  // examine-network.ts asks Mailyard's own ports, and the routes of this machine.
  connect: ['connect/connector.ts', 'modules/health/examine-network.ts'],
  spawn: ['transports/command-transport.ts'],
}

for (const [name, files] of Object.entries(importers))
  test(`nothing but what asks the guard uses ${name}: mail leaves in no other way`, () => {
    assert.deepEqual(importersOf(name), files)
  })

test('every mailer of Mailyard has the guard', () => {
  const [core] = sources.filter(({ path }) => path === 'core/core.ts')
  const mailers = core?.text.match(/createMailer\(\{[\s\S]*?^ {2}\}\)/gm) ?? []
  assert.equal(mailers.length, 2)
  for (const options of mailers) assert.match(options, /^ {4}guard,$/m)
})
