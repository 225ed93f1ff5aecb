import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { listDeliveries } from './delivery-log.ts'
import { openRelay, type TestRelay } from './open-relay.ts'
import {
  type Act,
  openScriptedUpstream,
  type ScriptedUpstream,
  type UpstreamStep,
  upstreamSteps,
} from './scripted-upstream.ts'
import { submit } from './submit.ts'

const disconnects: [step: UpstreamStep, act: Act][] = [
  ...upstreamSteps.map((step): [UpstreamStep, Act] => [step, 'disconnect']),
  ['dot', 'accept and disconnect'],
]
/** Steps after which the server may have the whole message. */
const uncertain: readonly UpstreamStep[] = ['dot']

/** Too large to be sent whole before the server disconnects at its first bytes. */
const largeBytes = 9_000_000

describe('a server that disconnects', () => {
  let upstreams: ScriptedUpstream[]
  let relay: TestRelay
  before(async () => {
    upstreams = await Promise.all([openScriptedUpstream(), openScriptedUpstream()])
    relay = await openRelay({ dsn: 'null://null' })
    await relay.start()
  })
  after(async () => {
    await relay.close()
    await Promise.all(upstreams.map((upstream) => upstream.close()))
  })

  /** Adds a transport for one test, so that back-off in one test does not affect another. */
  const addTransport = async (name: string, isFailover: boolean) => {
    const [one = '', two = ''] = upstreams.map(({ port }) => `smtp://127.0.0.1:${port}`)
    const mailerDsn = isFailover ? `failover(${one} ${two})` : one
    await relay.ask('/api/multipleTransports/new', { name, mailerDsn })
  }
  const send = async (name: string, size: number) => {
    const head = `X-Mailyard-Transport: ${name}\r\nMessage-ID: <${name}@sender.test>\r\n\r\n`
    const raw = Buffer.concat([Buffer.from(head), Buffer.alloc(size, 'body\r\n')])
    const mail = { from: `${name}@sender.test`, to: ['ann@rcpt.test'], raw }
    const reply = await submit(mail, { port: relay.smtpPort, ...relay.login })
    const taken = upstreams.map((each) => each.taken.filter(({ from }) => from === mail.from))
    const rows = (await listDeliveries(relay)).filter(({ sender }) => sender === mail.from)
    return {
      code: reply?.code,
      taken: taken.map(({ length }) => length),
      outcomes: rows.map(({ outcome }) => outcome),
    }
  }
  const play = (step?: UpstreamStep, act: Act = 'go') => {
    for (const [index, upstream] of upstreams.entries())
      upstream.script = (at) => (index === 0 && at === step ? act : 'go')
  }

  for (const [step, act] of disconnects) {
    const name = `${step}-${act.replaceAll(' ', '-')}`
    const size = step === 'body' ? largeBytes : 60
    const has = act === 'accept and disconnect' ? 1 : 0

    test(`${name}: the reply matches the outcome, and the next try sends only what has not arrived`, async () => {
      await addTransport(name, false)
      play(step, act)
      const first = await send(name, size)
      play()
      const second = await send(name, size)
      if (step === 'answer') {
        const accepted = { code: 250, taken: [1, 0], outcomes: ['accepted'] }
        assert.deepEqual([first, second], [accepted, accepted])
      } else if (uncertain.includes(step)) {
        const held = { code: 451, taken: [has, 0], outcomes: ['uncertain'] }
        assert.deepEqual([first, second], [held, held])
      } else {
        assert.match(String(first.code), /^4/)
        assert.deepEqual([first.taken, first.outcomes], [[0, 0], ['deferred']])
        const outcomes = ['accepted', 'deferred']
        assert.deepEqual(second, { code: 250, taken: [1, 0], outcomes })
      }
    })

    test(`${name}: a failover tries the next member only if the message cannot have arrived`, async () => {
      await addTransport(`failover-${name}`, true)
      play(step, act)
      const result = await send(`failover-${name}`, size)
      const accepted = { code: 250, outcomes: ['accepted'] }
      if (step === 'answer') assert.deepEqual(result, { ...accepted, taken: [1, 0] })
      else if (uncertain.includes(step))
        assert.deepEqual(result, { code: 451, taken: [has, 0], outcomes: ['uncertain'] })
      else assert.deepEqual(result, { ...accepted, taken: [0, 1] })
    })
  }
})
