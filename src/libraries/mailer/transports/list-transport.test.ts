import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { clockAt } from '../../../../test/movable-clock.ts'
import { until } from '../../../../test/until.ts'
import { createMailer } from '../mailer.ts'
import { shortMessage } from '../testing/sample-message.case.test.ts'
import {
  type Script,
  type ScriptedServer,
  startScriptedServer,
} from '../testing/smtp-server.case.test.ts'

interface ListOptions {
  /** The DSN with `A`, `B`, … for the members. */
  dsn: string
  scripts: Script[]
  random?: () => number
}

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function openList({ dsn, scripts, random = () => 0 }: ListOptions) {
  let now = 1_000_000
  const servers = await Promise.all(scripts.map((script) => startScriptedServer({ script })))
  const text = servers.reduce(
    (filled, { port }, index) =>
      // Each message has its own session, so that every message meets the current state of the member.
      filled.replaceAll('ABCD'.charAt(index), `smtp://localhost:${port}?restart_threshold=1`),
    dsn,
  )
  const mailer = createMailer({ clock: clockAt(() => now), random })
  const transport = mailer.open(text)
  closing.push(() => transport.close(), ...servers.map((server) => () => server.close()))
  const accepted = ({ received }: ScriptedServer) => received.filter((one) => one.isAccepted).length
  return {
    servers,
    transport,
    /** Sets the clock on. */
    pass: (milliseconds: number) => {
      now += milliseconds
    },
    sendTimes: async (count: number) => {
      for (let index = 0; index < count; index += 1) await transport.send(shortMessage)
    },
    /** How many messages each server accepted so far. */
    counts: () => servers.map(accepted),
  }
}

/** A script that greets with 421 while `isDown`. */
function switchable(isDown: boolean) {
  const state = { isDown }
  const script: Script = { greeting: () => (state.isDown ? '421 4.3.2 Down' : undefined) }
  return { state, script }
}

test('a failover returns to its first member after the retry period', async () => {
  const first = switchable(false)
  const list = await openList({ dsn: 'failover(A B)', scripts: [first.script, {}] })
  await list.transport.send(shortMessage)
  assert.deepEqual(list.counts(), [1, 0])
  first.state.isDown = true
  assert.equal((await list.transport.send(shortMessage)).outcome, 'accepted')
  assert.deepEqual(list.counts(), [1, 1])
  first.state.isDown = false
  list.pass(59_000)
  await list.transport.send(shortMessage)
  assert.deepEqual(list.counts(), [1, 2], 'still out')
  list.pass(1001)
  await list.transport.send(shortMessage)
  assert.deepEqual(list.counts(), [2, 2])
})

test('an unavailable member is skipped, and stays unavailable when its trial fails', async () => {
  const first = switchable(true)
  const dsn = 'failover(A B)?retry_period=10'
  const { servers, sendTimes, pass } = await openList({ dsn, scripts: [first.script, {}] })
  await sendTimes(3)
  assert.equal(servers[0]?.sessions(), 1)
  pass(10_001)
  await sendTimes(3)
  assert.equal(servers[0]?.sessions(), 2)
})

test('one message tries an unavailable member while the others skip it', async () => {
  const dsn = 'failover(A B)?retry_period=10'
  let isSlow = false
  const script: Script = {
    greeting: (_line, before) => (before === 0 ? '421 Down' : isSlow ? { end: 'hang' } : undefined),
  }
  const { servers, transport, pass, counts } = await openList({ dsn, scripts: [script, {}] })
  await transport.send(shortMessage)
  isSlow = true
  pass(10_001)
  const controller = new AbortController()
  const trial = transport.send(shortMessage, { signal: controller.signal })
  await until(() => servers[0]?.sessions() === 2, 'the member is tried')
  const others = await Promise.all([1, 2, 3].map(() => transport.send(shortMessage)))
  assert.ok(others.every(({ outcome }) => outcome === 'accepted'))
  assert.equal(servers[0]?.sessions(), 2)
  assert.deepEqual(counts(), [0, 4])
  controller.abort()
  await trial
})

test('a refused recipient, sender or message makes no member unavailable', async () => {
  const scripts: Script[] = [
    { rcpt: '550 5.1.1 No such user' },
    { mail: '550 5.7.1 Not yours' },
    { dot: '554 5.7.1 Spam' },
    { rcpt: '450 4.2.0 Greylisted' },
    { dot: '451 4.7.1 Later' },
  ]
  for (const script of scripts) {
    const list = await openList({ dsn: 'failover(A B)', scripts: [script, {}] })
    for (let index = 0; index < 3; index += 1) {
      const result = await list.transport.send(shortMessage)
      assert.equal(result.outcome, 'refused')
      assert.equal(result.attempts.length, 1)
    }
    assert.deepEqual(list.counts(), [0, 0])
    assert.equal(list.servers[0]?.sessions(), 3)
  }
})

test('a round robin starts at a random member and then rotates', async () => {
  const dsn = 'roundrobin(A B C)'
  const { sendTimes, counts } = await openList({ dsn, scripts: [{}, {}, {}], random: () => 0.4 })
  await sendTimes(1)
  assert.deepEqual(counts(), [0, 1, 0])
  await sendTimes(1)
  assert.deepEqual(counts(), [0, 1, 1])
  await sendTimes(7)
  assert.deepEqual(counts(), [3, 3, 3])
})

test('a round robin skips an unavailable member, and later uses it again', async () => {
  const second = switchable(true)
  const list = await openList({ dsn: 'roundrobin(A B)', scripts: [{}, second.script] })
  await list.sendTimes(4)
  assert.deepEqual(list.counts(), [4, 0])
  assert.equal(list.servers[1]?.sessions(), 1)
  second.state.isDown = false
  list.pass(60_001)
  await list.sendTimes(4)
  assert.deepEqual(list.counts(), [6, 2])
})

test('when every member is unavailable, the message is refused temporarily and each cause is named', async () => {
  const scripts = ['421 4.3.2 Down for tea', '554 5.7.1 Go away'].map((greeting) => ({ greeting }))
  const { servers, transport, pass } = await openList({ dsn: 'failover(A B)', scripts })
  const first = await transport.send(shortMessage)
  assert.equal(first.outcome, 'refused')
  assert.equal(first.fault?.code, 'members_out')
  assert.equal(first.isPermanent, false)
  assert.equal(first.isRetrySafe, true)
  assert.equal(first.retryAfterMs, 60_000)
  assert.match(first.fault?.message ?? '', /Down for tea\. .*Go away\.$/)
  const codes = first.attempts.map(({ fault }) => fault?.code)
  assert.deepEqual(codes, ['greeting_busy', 'greeting_refused'])
  pass(20_000)
  const second = await transport.send(shortMessage)
  assert.equal(second.retryAfterMs, 40_000)
  assert.match(second.fault?.message ?? '', /Down for tea.*Go away/)
  assert.equal(second.attempts.length, 0, 'no member was tried')
  assert.equal(servers[0]?.sessions(), 1)
})

test('lists nest: the inner one is one member of the outer', async () => {
  const down: Script = { greeting: '421 Down' }
  const dsn = 'failover(roundrobin(A B) failover(C D))'
  const { transport, counts } = await openList({ dsn, scripts: [down, down, down, {}] })
  const result = await transport.send(shortMessage)
  assert.equal(result.outcome, 'accepted')
  assert.equal(result.attempts.length, 4)
  assert.deepEqual(counts(), [0, 0, 0, 1])
})

test('an uncertain delivery is not tried at another member, but makes its member unavailable', async () => {
  const scripts: Script[] = [{ dot: { end: 'close' } }, {}]
  const { transport, counts, servers } = await openList({ dsn: 'failover(A B)', scripts })
  const result = await transport.send(shortMessage)
  assert.equal(result.outcome, 'uncertain')
  assert.equal(result.isRetrySafe, false)
  assert.deepEqual(counts(), [0, 0])
  assert.equal((await transport.send(shortMessage)).outcome, 'accepted')
  assert.deepEqual(counts(), [0, 1])
  assert.equal(servers[0]?.sessions(), 1)
})
