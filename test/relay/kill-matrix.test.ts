import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { type SmtpMode, smtpModes } from '../../src/kit/smtp-mode.ts'
import { type TestDatabase, testDatabases } from '../databases.ts'
import { volume } from '../volume.ts'
import { type Delivery, listEndedDeliveries } from './delivery-log.ts'
import { type KillTrigger, killTriggersOf } from './kill-triggers.ts'
import { createKiller } from './killer.ts'
import { isAccepted, type QueuedMail, startQueue } from './mail-queue.ts'
import { openRelay, type TestRelay } from './open-relay.ts'
import { openQueueView, type QueueView } from './queue-steps.ts'
import {
  openScriptedUpstream,
  type Script,
  type ScriptedUpstream,
  type TakenMail,
} from './scripted-upstream.ts'

/** How often the process of each combination is killed. */
const kills = volume({ short: 2, full: 30 })
/** A killed process expires within this time; its open attempts are uncertain then. */
const expiryMs = 30_000
const hourMs = 3_600_000

interface Combination {
  name: string
  create: () => Promise<TestDatabase>
  mode: SmtpMode
  members: number
}

/** All combinations; the short form has each database and both routes. */
const combinations: Combination[] = testDatabases
  .flatMap(({ name, createMigrated: create }, database) =>
    smtpModes.flatMap((mode, index) =>
      [1, 2].map((members) => ({
        ...{ name, create, mode, members },
        isShort: index === database + 1 && members === database + 1,
      })),
    ),
  )
  .filter(({ isShort }) => volume({ short: 0, full: 1 }) === 1 || isShort)

describe('no message is lost or sent twice when processes are killed', {
  concurrency: true,
}, () => {
  for (const [index, { name, create, mode, members }] of combinations.entries()) {
    const route = members === 1 ? 'one transport' : 'a failover'
    test(`${name}, ${mode}, ${route}: killed at each step while the upstream server disconnects at random steps`, async (t) => {
      const database = await create()
      const upstreams = await Promise.all(Array.from({ length: members }, openScriptedUpstream))
      const dsns = upstreams.map(({ port }) => `smtp://127.0.0.1:${port}`)
      const dsn = members === 1 ? dsns.join('') : `failover(${dsns.join(' ')})?retry_period=1`
      const env = { MAILYARD_SMTP_WAIT_SECONDS: '1' }
      const relay = await openRelay({ dsn, databaseUrl: database.url, mode, env })
      try {
        await soak({
          ...{ relay, upstreams, mode, databaseUrl: database.url },
          triggers: shareOf(index, killTriggersOf(mode)),
          say: (text) => t.diagnostic(text),
        })
      } finally {
        await relay.close()
        await Promise.all(upstreams.map((upstream) => upstream.close()))
        await database.drop()
      }
    })
  }
})

/** All triggers; each combination starts with its own share, then uses those of the others. */
function shareOf(combination: number, triggers: readonly KillTrigger[]): KillTrigger[] {
  const count = combinations.length
  const turn = (index: number) => (index - combination + triggers.length * count) % count
  const order = triggers.map((trigger, index) => ({ trigger, turn: turn(index) }))
  return order.sort((one, other) => one.turn - other.turn).map(({ trigger }) => trigger)
}

interface Soak {
  relay: TestRelay
  upstreams: readonly ScriptedUpstream[]
  mode: SmtpMode
  triggers: readonly KillTrigger[]
  databaseUrl: string
  say: (text: string) => void
}

async function soak({ relay, upstreams, mode, triggers, databaseUrl, say }: Soak): Promise<void> {
  await relay.start()
  const clock = createSteppedClock(relay)
  const killer = await createKiller(relay, databaseUrl, clock.step)
  const hostile = unreliableScript((step) => killer.notice('upstream', step))
  for (const upstream of upstreams) upstream.script = hostile
  const onStep = (step: string) => killer.notice('client', step)
  const queue = startQueue(createMail, {
    port: relay.smtpPort,
    ...relay.login,
    workers: volume({ short: 4, full: 12 }),
    onStep,
  })
  try {
    for (let kill = 0; kill < kills; kill++) {
      await killer.killAt(triggers[kill % triggers.length] ?? { kind: 'time', step: '1' })
      if (Math.random() < 0.3) clock.step()
    }
  } finally {
    queue.isBusy = false
    await killer.close()
  }
  for (const upstream of upstreams) upstream.script = () => 'go'
  await queue.calm(3)
  const view = openQueueView(databaseUrl)
  try {
    await untilSettled(view, clock, ['uncertain'])
    const taken = () => upstreams.flatMap((upstream) => upstream.taken)
    const listEnded = () => listEndedDeliveries(relay, expiryMs)
    const deliveries = await listEnded()
    const waiting = await view.listUncertain()
    const story = { mode, mails: queue.mails, taken: taken(), deliveries, waiting }
    checkAll(story)
    const held = deliveries.filter(({ outcome }) => outcome === 'uncertain')
    say(
      `${kills} kills, ${queue.mails.length} messages, ${deliveries.length} attempts, ${held.length} uncertain, ${waiting.size} of them queued`,
    )
    // An operator settles each uncertain delivery by what the servers received; then the queues empty.
    for (const { id, sender, recipient } of held) {
      const hasIt = timesTaken(story.taken, sender, recipient) > 0
      await relay.ask(`/api/deliveries/${id}/settle`, { outcome: hasIt ? 'accepted' : 'refused' })
    }
    await queue.calm(3)
    await untilSettled(view, clock, [])
    checkAll({ ...story, taken: taken(), deliveries: await listEnded(), waiting: new Set() })
    for (const mail of queue.mails)
      assert.ok(isAccepted(mail), `${mail.from} is left in the queue of its sender`)
  } finally {
    await view.close()
  }
}

interface SteppedClock {
  /** Sets it some hours ahead or behind. */
  step: () => void
  /** Sets it forward, to when everything is due. */
  forward: () => void
}

function createSteppedClock(relay: TestRelay): SteppedClock {
  let aheadMs = 0
  return {
    step: () => relay.setClock(Math.round(hourMs * (Math.random() * 4 - 2))),
    forward() {
      aheadMs = Math.max(aheadMs, 4 * hourMs) + hourMs / 2
      relay.setClock(aheadMs)
    },
  }
}

/** How long a step of the clock takes to show: claims of killed processes are recovered after it. */
const stepMs = 9_000
const stepsMax = 12

/** Waits until the queue of the relay holds only recipients in these states. */
async function untilSettled(
  view: QueueView,
  clock: SteppedClock,
  states: readonly string[],
): Promise<void> {
  let counts = await view.count()
  const isSettled = () => Object.keys(counts).every((state) => states.includes(state))
  for (let steps = 0; !isSettled() && steps < stepsMax; steps++) {
    clock.forward()
    const end = performance.now() + stepMs
    for (; !isSettled() && performance.now() < end; counts = await view.count())
      await setTimeout(100)
  }
  assert.ok(isSettled(), `the queue does not empty: ${JSON.stringify(counts)}`)
}

const disconnectRate = 0.03

/** Disconnects now and then, at any step; before the final reply it may have accepted the message or not. */
function unreliableScript(onStep: (step: string) => void): Script {
  return (step) => {
    onStep(step)
    if (Math.random() > disconnectRate) return 'go'
    return step === 'dot' && Math.random() < 0.5 ? 'accept and disconnect' : 'disconnect'
  }
}

/** Every third message is a segment email, which gets a new Message-ID for each attempt, as in Mautic. */
function createMail(index: number): Omit<QueuedMail, 'replies'> {
  const isBulk = index % 3 === 0
  const to = [`a${index}@rcpt.test`, ...(index % 5 === 1 ? [`b${index}@rcpt.test`] : [])]
  const from = `m${index}@sender.test`
  const bulk = `Precedence: Bulk\r\nX-EMAIL-ID: 7\r\nX-Contact-Id: ${index + 1}\r\n`
  const body = `message ${index}\r\n`.repeat(1 + (index % 7) * 300)
  const write = (attempt: number) => {
    const id = isBulk ? `${index}.${attempt}` : index
    const head = `From: ${from}\r\nMessage-ID: <${id}@sender.test>\r\n${isBulk ? bulk : ''}`
    return Buffer.from(`${head}\r\n${body}`)
  }
  return { from, to, write }
}

interface Story {
  mode: SmtpMode
  mails: readonly QueuedMail[]
  taken: readonly TakenMail[]
  deliveries: readonly Delivery[]
  /** `<sender> <recipient>` of those that the queue lists as uncertain. */
  waiting: ReadonlySet<string>
}

function timesTaken(taken: readonly TakenMail[], sender: string, recipient: string): number {
  return taken.filter(({ from, to }) => from === sender && to.includes(recipient)).length
}

function checkAll({ mode, mails, taken, deliveries, waiting }: Story): void {
  const takenBy = Map.groupBy(taken, ({ from }) => from)
  const loggedBy = Map.groupBy(deliveries, ({ sender }) => sender)
  for (const mail of mails)
    for (const recipient of mail.to) {
      const times = timesTaken(takenBy.get(mail.from) ?? [], mail.from, recipient)
      const rows = loggedBy.get(mail.from)?.filter((row) => row.recipient === recipient) ?? []
      const replies = mail.replies.map((reply) => reply?.code ?? 'lost').join(' ')
      const story = `${mail.from} to ${recipient}: taken ${times} times; replies ${replies}; ${JSON.stringify(rows)}`
      const isWaiting = waiting.has(`${mail.from} ${recipient}`)
      check({ mode, mail, times, rows, isWaiting }, story)
    }
}

interface Fate {
  mode: SmtpMode
  isWaiting: boolean
  mail: QueuedMail
  times: number
  rows: readonly Delivery[]
}

function check({ mode, mail, times, rows, isWaiting }: Fate, story: string): void {
  const count = (...outcomes: Delivery['outcome'][]) =>
    rows.filter(({ outcome }) => outcomes.includes(outcome)).length
  assert.equal(count('started'), 0, `nothing is left open: ${story}`)
  assert.ok(!mail.replies.some((reply) => (reply?.code ?? 0) >= 500), `none is refused: ${story}`)
  assert.ok(times <= 1, `never twice: ${story}`)
  assert.ok(count('accepted', 'uncertain') <= 1, `one attempt at most may have arrived: ${story}`)
  assert.equal(count('expired', 'cancelled'), 0, `none is given up: ${story}`)
  // It was stored before its outcome became uncertain: a person decides.
  const isHeld = mode !== 'direct' && count('uncertain') === 1
  assert.ok(!isWaiting || isHeld, `the log lists what the queue holds: ${story}`)
  if (isAccepted(mail) && !isHeld) {
    assert.equal(times, 1, `what was answered 250 has arrived: ${story}`)
    assert.equal(count('accepted'), 1, `the log has it: ${story}`)
    return
  }
  if (times === 0) assert.equal(count('accepted'), 0, `the log has no more than there is: ${story}`)
  else assert.equal(count('accepted', 'uncertain'), 1, `the log knows of it: ${story}`)
}
