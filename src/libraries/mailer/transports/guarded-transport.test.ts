import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, test } from 'node:test'
import type { RecipientGuard } from '../delivery/recipient-guard.ts'
import { createMailer } from '../mailer.ts'
import type { MailerOptions } from '../mailer-options.ts'
import type { Message } from '../message/message.ts'
import { json, startApiServer } from '../testing/api-server.case.test.ts'
import { createAuthority } from '../testing/certificates.case.test.ts'
import { messageTo, sampleMessage, sendOnce } from '../testing/sample-message.case.test.ts'
import { startScriptedServer } from '../testing/smtp-server.case.test.ts'
import { acceptsTokens, startTokenServer } from '../testing/token-server.case.test.ts'

const allowed = 'carl@example.net'
const authority = createAuthority()
const folder = mkdtempSync(join(tmpdir(), 'mailer-guard-'))
const program = join(folder, 'sendmail')
writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' "$@" > "${program}.args"\ncat >/dev/null\n`)
chmodSync(program, 0o755)

const tokens = await startTokenServer()
const smtp = await startScriptedServer({
  script: { rcpt: (line) => (line.includes('gone') ? '550 5.1.1 No such user' : undefined) },
})
const mailbox = await startScriptedServer(acceptsTokens(tokens))
const api = await startApiServer(authority.issue({ names: ['localhost'] }))
api.respondWith(json(200, { ErrorCode: 0, MessageID: 'of-the-api' }))
const servers = [tokens, smtp, mailbox, api]
after(async () => {
  for (const each of servers) await each.close()
  rmSync(folder, { recursive: true })
})

const captured: Message[] = []
const guard: RecipientGuard = {
  allows: (address) => address === allowed || address.startsWith('gone@'),
  reason: 'Mail goes to Carl only.',
}
const options: MailerOptions = {
  guard,
  capture: async (message) => ({ outcome: 'captured', id: captured.push(message) }),
  certificates: [authority.cert],
  command: [program],
}

beforeEach(() => {
  captured.length = 0
  for (const list of [smtp.commands, mailbox.commands, api.requests, tokens.requests])
    list.length = 0
  rmSync(`${program}.args`, { force: true })
})

/** Without the end of a session of the test before. */
const said = (commands: readonly string[]) => commands.filter((line) => line !== 'QUIT').join('\n')
const bodies = () => api.requests.map(({ body }) => body).join('\n')

const closed = 'smtp://127.0.0.1:1'
const tokenUrl = encodeURIComponent(tokens.url)
/** Each way out, and what its server heard: '' for nothing. */
const ways: Record<string, { dsn: string; heard: () => string }> = {
  'an SMTP server': {
    dsn: `smtp://127.0.0.1:${smtp.port}`,
    heard: () => said(smtp.commands),
  },
  'the API of a provider': {
    dsn: `postmark+api://KEY@${api.host}`,
    heard: bodies,
  },
  'a mailbox with OAuth': {
    dsn: `smtp+oauth://ID:SECRET@localhost:${mailbox.port}?tokenUrl=${tokenUrl}`,
    heard: () => tokens.requests.map(() => 'token').join() + said(mailbox.commands),
  },
  sendmail: {
    dsn: 'sendmail://default',
    heard: () => (existsSync(`${program}.args`) ? readFileSync(`${program}.args`, 'utf8') : ''),
  },
  'a failover list': {
    dsn: `failover(${closed} smtp://127.0.0.1:${smtp.port})`,
    heard: () => said(smtp.commands),
  },
  'a round robin list': {
    dsn: `roundrobin(smtp://127.0.0.1:${smtp.port} postmark+api://KEY@${api.host})`,
    heard: () => said(smtp.commands) + bodies(),
  },
}

for (const [name, { dsn, heard }] of Object.entries(ways)) {
  test(`a message goes to the allowed recipients through ${name}, and to the inbox once for the others`, async () => {
    const result = await sendOnce(dsn, options, sampleMessage)
    assert.deepEqual([result.outcome, result.fault], ['accepted', null])
    assert.ok(heard().includes(allowed), heard())
    assert.doesNotMatch(heard(), /jane@|hidden@|other@/)
    const { envelope, raw } = sampleMessage
    const others = ['jane@example.net', 'hidden@example.net']
    assert.deepEqual(captured, [{ envelope: { ...envelope, to: others }, raw }])
    const [jane, carl, hidden] = result.recipients
    assert.deepEqual(
      [carl?.address, carl?.outcome, carl?.guarded],
      [allowed, 'accepted', undefined],
    )
    for (const [index, other] of [jane, hidden].entries())
      assert.partialDeepStrictEqual(other, {
        address: others[index],
        outcome: 'accepted',
        reply: { text: 'Captured, not sent: /api/inbox/1. Mail goes to Carl only.' },
        guarded: { member: 'inbox://local', inboxId: '1' },
      })
  })

  test(`nothing reaches ${name} where no recipient is allowed, also in a test`, async () => {
    const result = await sendOnce(dsn, options, messageTo('jane@example.net', 'joe@example.net'))
    assert.deepEqual([result.outcome, captured.length], ['accepted', 1])
    const stages: string[] = []
    const report = await createMailer(options).test(dsn, {
      from: 'shop@example.com',
      to: 'jane@example.net',
      onStage: ({ stage, state }) => stages.push(`${stage} ${state}`),
    })
    assert.equal(report.success, false)
    const sentence = 'Nothing was tested. Captured, not sent: /api/inbox/2. Mail goes to Carl only.'
    assert.equal(report.message, sentence)
    assert.deepEqual(stages, ['recipient started', 'recipient finished'])
    assert.deepEqual(captured[1]?.envelope.to, ['jane@example.net'])
    assert.equal(heard(), '')
  })

  test(`nothing reaches ${name} without an inbox: who is not allowed is refused for good`, async () => {
    const { capture: _, ...rest } = options
    const { outcome, isPermanent, fault } = await sendOnce(dsn, rest, messageTo('jane@example.net'))
    assert.deepEqual([outcome, isPermanent], ['refused', true])
    assert.match(fault?.message ?? '', /^Mail goes to Carl only\. No inbox is configured/)
    assert.equal(heard(), '')
  })
}

test('a test through a transport is made for an allowed recipient, and the guard is asked for each message', async () => {
  let isOpen = false
  const mailer = createMailer({ ...options, guard: { ...guard, allows: () => isOpen } })
  const test = () =>
    mailer.test(closed.replace(':1', `:${smtp.port}`), { from: 'a@b.test', to: allowed })
  assert.equal((await test()).success, false)
  isOpen = true
  assert.equal((await test()).success, true)
})

test('each recipient has a result: refused by the server, captured, or accepted', async () => {
  const message = messageTo('jane@example.net', 'gone@example.net', allowed)
  const result = await sendOnce(`smtp://127.0.0.1:${smtp.port}`, options, message)
  assert.deepEqual(
    result.recipients.map(({ outcome, guarded }) => [outcome, guarded?.inboxId]),
    [
      ['accepted', '1'],
      ['refused', undefined],
      ['accepted', undefined],
    ],
  )
})

test('a server that is down does not keep a message from being captured, and a full inbox no message from being sent', async () => {
  const message = messageTo('jane@example.net', allowed)
  const outcomesOf = async (dsn: string, more: MailerOptions = {}) =>
    (await sendOnce(dsn, { ...options, ...more }, message)).recipients.map((one) => one.outcome)
  assert.deepEqual(await outcomesOf(closed), ['accepted', 'refused'])
  const capture = async () => ({ outcome: 'refused', reason: 'The inbox is full.' }) as const
  const open = `smtp://127.0.0.1:${smtp.port}`
  assert.deepEqual(await outcomesOf(open, { capture }), ['refused', 'accepted'])
})

test('a caller that counts messages learns how many are captured before any is sent', async () => {
  const transport = createMailer(options).open(`smtp://127.0.0.1:${smtp.port}`)
  const calls: string[] = []
  await transport.send(sampleMessage, {
    onGuarded: (count) => void calls.push(`${count} guarded`),
    beforeMessage: async () => void calls.push('sent'),
  })
  await transport.close()
  assert.deepEqual(calls, ['2 guarded', 'sent'])
})
