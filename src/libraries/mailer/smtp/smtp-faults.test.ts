import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { inspect } from 'node:util'
import type { DeliveryResult } from '../delivery/delivery-result.ts'
import { createMailer, type Mailer } from '../mailer.ts'
import type { Message } from '../message/message.ts'
import { shortMessage } from '../testing/sample-message.case.test.ts'
import {
  authority,
  type Consequence,
  isSilent,
  password,
  type SmtpFault,
  smtpFaults,
} from '../testing/smtp-faults.case.test.ts'
import {
  type ReceivedMessage,
  type ScriptedServer,
  startScriptedServer,
} from '../testing/smtp-server.case.test.ts'

// A server that says nothing is waited for so long; one that does say something has all the time that a
// busy machine may need.
const silentMs = 3000
/** Also the server that takes over has to read a large message in this time. */
const silentLargeMs = 12_000
const patientMs = 25_000

function mailerWith(stepMs: number): Mailer {
  const timeouts = { greetingMs: stepMs, tlsMs: stepMs, commandMs: stepMs, dataMs: stepMs }
  return createMailer({
    certificates: [authority.cert],
    timeouts,
    testTimeouts: timeouts,
    random: () => 0,
  })
}

const impatient = mailerWith(silentMs)
const impatientForLarge = mailerWith(silentLargeMs)
const patient = mailerWith(patientMs)

function mailerFor(fault: SmtpFault): Mailer {
  if (!isSilent(fault)) return patient
  return fault.isLarge ? impatientForLarge : impatient
}

const large: Message = {
  ...shortMessage,
  raw: Buffer.concat([shortMessage.raw, Buffer.alloc(8 * 1024 * 1024, 'A line of text.\r\n')]),
}

function dsnOf(fault: SmtpFault, { port }: ScriptedServer): string {
  return (fault.dsn ?? 'smtp://HOST').replace('HOST', `localhost:${port}`)
}

function assertNoSecret(value: unknown): void {
  const text = `${JSON.stringify(value)}\n${inspect(value, { depth: 20 })}`
  const base64 = Buffer.from(password).toString('base64')
  const logins = ['user', 'joe'].map((user) =>
    Buffer.from(`\0${user}\0${password}`).toString('base64'),
  )
  for (const form of [password, encodeURIComponent(password), base64, ...logins])
    assert.ok(!text.includes(form), `a secret is shown: ${text}`)
}

function checkFault(fault: SmtpFault, result: DeliveryResult): void {
  assert.equal(result.fault?.code, fault.code, result.fault?.message)
  assert.equal(result.stage, fault.stage)
  assert.equal(result.outcome, fault.consequence === 'uncertain' ? 'uncertain' : 'refused')
  assert.equal(result.isRetrySafe, fault.consequence !== 'uncertain')
  if (fault.consequence !== 'uncertain')
    assert.equal(result.fault?.scope === 'member', fault.consequence === 'another member')
  assert.equal(result.isPermanent, fault.isPermanent)
  if (fault.message) assert.match(result.fault?.message ?? '', fault.message)
  if (fault.hint) assert.match(result.fault?.hint ?? '', fault.hint)
  assertNoSecret(result)
}

async function whenTested(fault: SmtpFault): Promise<void> {
  const server = await startScriptedServer({ ...fault.server, hasPipelining: true })
  try {
    const report = await mailerFor(fault).test(dsnOf(fault, server), {
      from: 'sender@example.com',
      to: 'jane@example.net',
      hasTranscript: true,
      // The test message is as large as the fault needs it.
      text: fault.isLarge ? 'A line of text.\n'.repeat(500_000) : 'Hello.\n',
    })
    assert.equal(report.success, false)
    const failed = report.stages.filter(({ outcome }) => outcome === 'failed')
    const failedStages = failed.map(({ stage }) => stage)
    assert.deepEqual(failedStages, [fault.stage])
    assert.ok(report.result)
    checkFault(fault, report.result)
    assert.ok(report.message.startsWith(report.result.fault?.message ?? '?'))
    if (fault.hint) assert.match(failed[0]?.hint ?? '', fault.hint)
    assert.match(failed[0]?.hint ?? '', /^[A-Z].{10,}\.$/, 'a failure without advice')
    assert.ok(report.message.endsWith(failed[0]?.hint ?? '?'), report.message)
    assertNoSecret(report)
  } finally {
    await server.close()
  }
}

const deliveries: Record<Consequence, { faulty: number; good: number }> = {
  'another member': { faulty: 0, good: 1 },
  refused: { faulty: 0, good: 0 },
  uncertain: { faulty: 1, good: 0 },
}

/** Whether a message is empty and has no recipient: it ends a cancelled transaction and is not a delivery. */
function isDelivered({ isAccepted, to }: ReceivedMessage): boolean {
  return isAccepted && to.length > 0
}

async function whenFailingOver(fault: SmtpFault, hasPipelining: boolean): Promise<void> {
  const faulty = await startScriptedServer({ ...fault.server, hasPipelining })
  const good = await startScriptedServer()
  const dsn = `failover(${dsnOf(fault, faulty)} smtp://localhost:${good.port})`
  const transport = mailerFor(fault).open(dsn)
  try {
    const result = await transport.send(fault.isLarge ? large : shortMessage)
    const expected = deliveries[fault.consequence]
    assert.equal(good.received.length, expected.good)
    assert.ok(faulty.received.filter(isDelivered).length <= expected.faulty)
    assert.equal(result.outcome === 'accepted', expected.good === 1)
    if (expected.good === 0) checkFault(fault, result)
    else
      assert.deepEqual(
        result.attempts.map(({ stage, fault }) => [stage, fault?.code]),
        [
          [fault.stage, fault.code],
          ['data', undefined],
        ],
      )
    assertNoSecret(result)
  } finally {
    await transport.close()
    await faulty.close()
    await good.close()
  }
}

function testFaults(faults: readonly SmtpFault[]): void {
  for (const fault of faults) {
    test(`it ${fault.name}: the test reports the step and what to do`, () => whenTested(fault))
    for (const hasPipelining of [true, false]) {
      const how = hasPipelining ? 'pipelined' : 'step by step'
      test(`it ${fault.name}: ${fault.consequence}, and failover delivers as often as allowed, ${how}`, () =>
        whenFailingOver(fault, hasPipelining))
    }
  }
}

describe('every fault of a server at every step', { concurrency: 4 }, () => {
  testFaults(smtpFaults.filter((fault) => !isSilent(fault)))
})

// They mostly wait, so they may wait together.
describe('a server that stops responding at every step', { concurrency: 30 }, () => {
  testFaults(smtpFaults.filter(isSilent))
})
