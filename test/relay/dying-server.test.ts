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

const deaths: [step: UpstreamStep, act: Act][] = [
  ...upstreamSteps.map((step): [UpstreamStep, Act] => [step, 'die']),
  ['dot', 'take and die'],
]
/** What comes after the last byte of the message was handed over is not known. */
const uncertain: readonly UpstreamStep[] = ['dot']

/** So large that it cannot have left whole when its server dies at the first of it. */
const largeBytes = 9_000_000

describe('a server that dies', () => {
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

  /** A transport for each test: what it remembers of its servers is of that test alone. */
  const addTransport = async (name: string, isFailover: boolean) => {
    const [one = '', two = ''] = upstreams.map(({ port }) => `smtp://127.0.0.1:${port}`)
    const mailerDsn = isFailover ? `failover(${one} ${two})` : one
    await relay.ask('/api/multipleTransports/new', { name, mailerDsn })
  }
  const hand = async (name: string, size: number) => {
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

  for (const [step, act] of deaths) {
    const name = `${step}-${act.replaceAll(' ', '-')}`
    const size = step === 'body' ? largeBytes : 60
    const has = act === 'take and die' ? 1 : 0

    test(`${name}: the sender hears the truth, and his next try does what is right`, async () => {
      await addTransport(name, false)
      play(step, act)
      const first = await hand(name, size)
      play()
      const second = await hand(name, size)
      if (step === 'answer') {
        const accepted = { code: 250, taken: [1, 0], outcomes: ['accepted'] }
        assert.deepEqual([first, second], [accepted, accepted])
      } else if (uncertain.includes(step)) {
        const held = { code: 451, taken: [has, 0], outcomes: ['uncertain'] }
        assert.deepEqual([first, second], [held, held])
      } else {
        assert.match(String(first.code), /^4/)
        assert.deepEqual([first.taken, first.outcomes], [[0, 0], ['refused']])
        const outcomes = ['accepted', 'refused']
        assert.deepEqual(second, { code: 250, taken: [1, 0], outcomes })
      }
    })

    test(`${name}: a failover goes on only where nothing can have arrived`, async () => {
      await addTransport(`failover-${name}`, true)
      play(step, act)
      const result = await hand(`failover-${name}`, size)
      const accepted = { code: 250, outcomes: ['accepted'] }
      if (step === 'answer') assert.deepEqual(result, { ...accepted, taken: [1, 0] })
      else if (uncertain.includes(step))
        assert.deepEqual(result, { code: 451, taken: [has, 0], outcomes: ['uncertain'] })
      else assert.deepEqual(result, { ...accepted, taken: [0, 1] })
    })
  }
})
