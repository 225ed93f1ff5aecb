import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { testDatabases } from '../databases.ts'
import { volume } from '../volume.ts'
import { type Delivery, listEndedDeliveries } from './delivery-log.ts'
import { killTriggers } from './kill-triggers.ts'
import { createKiller } from './killer.ts'
import { isAccepted, type QueuedMail, startQueue } from './mail-queue.ts'
import { openRelay, type TestRelay } from './open-relay.ts'
import {
  openScriptedUpstream,
  type Script,
  type ScriptedUpstream,
  type TakenMail,
} from './scripted-upstream.ts'

/** For how long each combination is killed again and again. */
const seconds = volume({ short: 5, full: 60 })
/** A dead process is known as such after a while, and what it had begun is uncertain then. */
const burialMs = 30_000

const combinations = testDatabases.flatMap(({ name, create }) =>
  [1, 2].map((members) => ({ name, create, members })),
)

describe('whatever dies, nothing is lost or sent twice', { concurrency: true }, () => {
  for (const [index, { name, create, members }] of combinations.entries()) {
    const way = members === 1 ? 'one transport' : 'a failover'
    test(`${name}, ${way}: killed at each step while the server dies at each of its own`, async (t) => {
      const database = await create()
      const upstreams = await Promise.all(Array.from({ length: members }, openScriptedUpstream))
      const dsns = upstreams.map(({ port }) => `smtp://127.0.0.1:${port}`)
      const dsn = members === 1 ? dsns.join('') : `failover(${dsns.join(' ')})?retry_period=1`
      const relay = await openRelay({ dsn, databaseUrl: database.url })
      const triggers = shareOf(index)
      try {
        await soak({
          relay,
          upstreams,
          triggers,
          databaseUrl: database.url,
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

/** All triggers; each combination begins with its own share, and goes on with those of the others. */
function shareOf(combination: number) {
  const count = combinations.length
  const turn = (index: number) => (index - combination + killTriggers.length * count) % count
  const order = killTriggers.map((trigger, index) => ({ trigger, turn: turn(index) }))
  return order.sort((one, other) => one.turn - other.turn).map(({ trigger }) => trigger)
}

interface Soak {
  relay: TestRelay
  upstreams: readonly ScriptedUpstream[]
  triggers: ReturnType<typeof shareOf>
  databaseUrl: string
  say: (text: string) => void
}

async function soak({ relay, upstreams, triggers, databaseUrl, say }: Soak): Promise<void> {
  await relay.start()
  const killer = await createKiller(relay, databaseUrl)
  const hostile = dyingScript((step) => killer.notice('upstream', step))
  for (const upstream of upstreams) upstream.script = hostile
  const onStep = (step: string) => killer.notice('client', step)
  const queue = startQueue(createMail, {
    port: relay.smtpPort,
    ...relay.login,
    workers: 12,
    onStep,
  })
  const end = performance.now() + seconds * 1_000
  let kills = 0
  for (; performance.now() < end; kills++)
    await killer.killAt(triggers[kills % triggers.length] ?? { kind: 'time', step: '1' })
  await killer.close()
  for (const upstream of upstreams) upstream.script = () => 'go'
  await queue.calm(3)
  const deliveries = await listEndedDeliveries(relay, burialMs)
  const taken = () => upstreams.flatMap((upstream) => upstream.taken)
  const story = { mails: queue.mails, taken: taken(), deliveries }
  checkAll(story)
  const held = deliveries.filter(({ outcome }) => outcome === 'uncertain')
  say(
    `${kills} kills, ${queue.mails.length} messages, ${deliveries.length} attempts, ${held.length} uncertain`,
  )
  // An operator settles what is uncertain, as he finds it; then the queue gets rid of everything.
  for (const { id, sender, recipient } of held) {
    const hasIt = timesTaken(story.taken, sender, recipient) > 0
    await relay.ask(`/api/deliveries/${id}/settle`, { outcome: hasIt ? 'accepted' : 'refused' })
  }
  await queue.calm(3)
  checkAll({ ...story, taken: taken(), deliveries: await listEndedDeliveries(relay, burialMs) })
  for (const mail of queue.mails) assert.ok(isAccepted(mail), `${mail.from} is left in the queue`)
}

const deathRate = 0.03

/** Dies now and then, at any step; in the middle of the answer it may have taken the message or not. */
function dyingScript(onStep: (step: string) => void): Script {
  return (step) => {
    onStep(step)
    if (Math.random() > deathRate) return 'go'
    return step === 'dot' && Math.random() < 0.5 ? 'take and die' : 'die'
  }
}

/** Every third is a segment email, whose Message-ID is another each time, as a Mautic's is. */
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
  mails: readonly QueuedMail[]
  taken: readonly TakenMail[]
  deliveries: readonly Delivery[]
}

function timesTaken(taken: readonly TakenMail[], sender: string, recipient: string): number {
  return taken.filter(({ from, to }) => from === sender && to.includes(recipient)).length
}

function checkAll({ mails, taken, deliveries }: Story): void {
  const takenBy = Map.groupBy(taken, ({ from }) => from)
  const loggedBy = Map.groupBy(deliveries, ({ sender }) => sender)
  for (const mail of mails)
    for (const recipient of mail.to) {
      const times = timesTaken(takenBy.get(mail.from) ?? [], mail.from, recipient)
      const rows = loggedBy.get(mail.from)?.filter((row) => row.recipient === recipient) ?? []
      const told = mail.replies.map((reply) => reply?.code ?? 'lost').join(' ')
      const story = `${mail.from} to ${recipient}: taken ${times} times; told ${told}; ${JSON.stringify(rows)}`
      check({ mail, times, rows }, story)
    }
}

interface Fate {
  mail: QueuedMail
  times: number
  rows: readonly Delivery[]
}

function check({ mail, times, rows }: Fate, story: string): void {
  const count = (...outcomes: Delivery['outcome'][]) =>
    rows.filter(({ outcome }) => outcomes.includes(outcome)).length
  assert.equal(count('started'), 0, `nothing is left open: ${story}`)
  assert.ok(!mail.replies.some((reply) => (reply?.code ?? 0) >= 500), `none is refused: ${story}`)
  assert.ok(times <= 1, `never twice: ${story}`)
  assert.ok(count('accepted', 'uncertain') <= 1, `one attempt at most may have arrived: ${story}`)
  if (isAccepted(mail)) {
    assert.equal(times, 1, `what was answered 250 has arrived: ${story}`)
    assert.equal(count('accepted'), 1, `the log has it: ${story}`)
    return
  }
  if (times === 0) assert.equal(count('accepted'), 0, `the log has no more than there is: ${story}`)
  else assert.equal(count('accepted', 'uncertain'), 1, `the log knows of it: ${story}`)
}
