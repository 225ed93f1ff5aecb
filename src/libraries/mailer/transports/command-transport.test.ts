import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { FaultCode } from '../delivery/fault.ts'
import { DsnError } from '../grammar/dsn.ts'
import { createMailer } from '../mailer.ts'
import { messageTo, rejected, sendOnce, shortMessage } from '../testing/sample-message.case.test.ts'

const folder = mkdtempSync(join(tmpdir(), 'mailer-command-'))
after(() => rmSync(folder, { recursive: true }))

/** A command that notes its arguments and its input, then ends so. */
function command(name: string, script: string): [string, string] {
  const path = join(folder, name)
  writeFileSync(path, `#!/bin/sh\nprintf '%s\\n' "$@" > "${path}.args"\n${script}\n`)
  chmodSync(path, 0o755)
  return [path, '-oem']
}

test('sendmail:// runs the configured command without a shell and passes the message to it', async () => {
  const own = command('good', `cat > "${join(folder, 'good')}.input"`)
  const dsn = 'sendmail://default'
  const result = await sendOnce(dsn, { command: own }, messageTo('$(touch x)@example.net'))
  assert.equal(result.fault?.code, 'address_invalid', 'an address contains no space')
  const envelope = { from: '', to: ['`id`@example.net'] }
  const sent = await sendOnce(dsn, { command: own }, { ...shortMessage, envelope })
  assert.equal(sent.outcome, 'accepted', sent.fault?.message)
  assert.equal(readFileSync(`${own[0]}.args`, 'utf8'), '-oem\n-i\n-f\n<>\n--\n`id`@example.net\n')
  assert.match(readFileSync(`${own[0]}.input`, 'utf8'), /^From: sender@example\.com\nTo: /)
})

test('sendmail:// uses the return path that it is given where its DSN says so', async () => {
  const own = command('returned', 'cat >/dev/null')
  for (const [option, from] of [
    ['?return_path=on', 'bounces+1@a.test'],
    ['', 'sender@example.com'],
  ]) {
    const transport = createMailer({ command: own }).open(`sendmail://default${option}`)
    await transport.send(shortMessage, { returnPath: 'bounces+1@a.test' })
    await transport.close()
    assert.ok(readFileSync(`${own[0]}.args`, 'utf8').includes(`-f\n${from}\n`), from)
  }
})

for (const dsn of ['sendmail://default', 'null://null'])
  test(`a message whose ready promise rejects is not sent by ${dsn}`, async () => {
    const own = command('unasked', 'cat >/dev/null')
    const transport = createMailer({ command: own }).open(dsn)
    const ready = rejected('full')
    const result = await transport.send(shortMessage, { ready })
    await transport.close()
    assert.deepEqual([result.outcome, result.fault?.code], ['refused', 'cancelled'])
    assert.equal(existsSync(`${own[0]}.args`), false)
  })

test('a send that is cancelled before the message is ready does not run the command', async () => {
  const own = command('cancelled', 'cat >/dev/null')
  const transport = createMailer({ command: own }).open('sendmail://default')
  const { promise: ready, resolve } = Promise.withResolvers<void>()
  const controller = new AbortController()
  const sent = transport.send(shortMessage, { ready, signal: controller.signal })
  controller.abort()
  resolve()
  const result = await sent
  await transport.close()
  assert.deepEqual([result.outcome, result.fault?.code], ['refused', 'cancelled'])
  assert.equal(existsSync(`${own[0]}.args`), false)
})

const ends: [name: string, script: string, code: FaultCode, isPermanent: boolean][] = [
  ['later', 'cat >/dev/null; echo queue full >&2; exit 75', 'deferred', false],
  ['unknown', 'cat >/dev/null; exit 67', 'recipient_unknown', true],
  ['no', 'exit 65', 'message_refused', true],
  ['ill', 'exit 69', 'server_fault', false],
]

for (const [name, script, code, isPermanent] of ends)
  test(`the result of a command that runs "${script}" is ${code}`, async () => {
    const result = await sendOnce('native://default', { command: command(name, script) })
    assert.equal(result.outcome, 'refused')
    assert.equal(result.fault?.code, code)
    assert.equal(result.isPermanent, isPermanent)
  })

test('a command that does not exit is killed, and the result is uncertain', async () => {
  const slow = command('slow', 'exec sleep 60')
  const result = await sendOnce('sendmail://default', { command: slow, timeouts: { dataMs: 300 } })
  assert.equal(result.outcome, 'uncertain')
  assert.equal(result.fault?.code, 'stalled')
})

test('a command that does not exist is a fault of the member, and no timer waits for it', async () => {
  const countTimers = () =>
    process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length
  const before = countTimers()
  const result = await sendOnce('sendmail://default', { command: ['/nonexistent/sendmail'] })
  assert.equal(result.fault?.scope, 'member')
  assert.equal(countTimers(), before)
})

test('without a configured command every command DSN is refused', () => {
  for (const dsn of ['sendmail://default?command=/bin/sh', 'native://default'])
    assert.throws(() => createMailer().open(dsn), DsnError)
})

test('a command in the DSN is ignored', async () => {
  const own = command('own', 'cat >/dev/null')
  const result = await sendOnce('sendmail://default?command=/bin/false', { command: own })
  assert.equal(result.outcome, 'accepted')
})

test('null:// accepts every valid message and discards it', async () => {
  const { outcome, recipients } = await sendOnce('null://null')
  assert.deepEqual([outcome, recipients[0]?.outcome], ['accepted', 'accepted'])
  assert.equal((await sendOnce('null://null', {}, messageTo())).outcome, 'refused')
})
