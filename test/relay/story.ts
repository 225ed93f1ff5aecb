import assert from 'node:assert/strict'
import type { SmtpMode } from '../../src/kit/smtp-mode.ts'
import type { Delivery } from './delivery-log.ts'
import { isAccepted, type QueuedMail } from './mail-queue.ts'
import type { TakenMail } from './scripted-upstream.ts'

/** Everything that happened to some messages: to their senders, the servers, the delivery log and the queue. */
export interface Story {
  mode: SmtpMode
  mails: readonly QueuedMail[]
  taken: readonly TakenMail[]
  deliveries: readonly Delivery[]
  /** `<sender> <recipient>` of those that the queue lists as uncertain. */
  waiting: ReadonlySet<string>
  /** Whether outcomes of the last milliseconds may be missing, as after a power failure: they are uncertain. */
  mayForgetOutcomes?: boolean
}

/** Every third message is a segment email, which gets a new Message-ID for each attempt, as in Mautic. */
export function createMail(index: number): Omit<QueuedMail, 'replies'> {
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

/** Returns how often the servers have a message for a recipient. */
export function timesTaken(taken: readonly TakenMail[], sender: string, recipient: string): number {
  return taken.filter(({ from, to }) => from === sender && to.includes(recipient)).length
}

/** Checks that no message was lost or sent twice, and that the delivery log agrees with the servers. */
export function checkStory(story: Story): void {
  const { mails, taken, deliveries, waiting } = story
  const takenBy = Map.groupBy(taken, ({ from }) => from)
  const loggedBy = Map.groupBy(deliveries, ({ sender }) => sender)
  for (const mail of mails)
    for (const recipient of mail.to) {
      const times = timesTaken(takenBy.get(mail.from) ?? [], mail.from, recipient)
      const rows = loggedBy.get(mail.from)?.filter((row) => row.recipient === recipient) ?? []
      const replies = mail.replies.map((reply) => reply?.code ?? 'lost').join(' ')
      const text = `${mail.from} to ${recipient}: taken ${times} times; replies ${replies}; ${JSON.stringify(rows)}`
      const isWaiting = waiting.has(`${mail.from} ${recipient}`)
      check({ ...story, mail, times, rows, isWaiting }, text)
    }
}

interface Fate extends Pick<Story, 'mode' | 'mayForgetOutcomes'> {
  isWaiting: boolean
  mail: QueuedMail
  times: number
  rows: readonly Delivery[]
}

function check(
  { mode, mayForgetOutcomes = false, mail, times, rows, isWaiting }: Fate,
  story: string,
): void {
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
  const mayHaveArrived = mode === 'hybrid' && mayForgetOutcomes
  if (isAccepted(mail) && isHeld && !mayHaveArrived)
    assert.ok(isWaiting, `the queue holds it until a person decides: ${story}`)
  if (isAccepted(mail) && !isHeld) {
    assert.equal(times, 1, `what was answered 250 has arrived: ${story}`)
    const known = mayForgetOutcomes ? count('accepted', 'uncertain') : count('accepted')
    assert.equal(known, 1, `the log has it: ${story}`)
    return
  }
  if (times === 0) assert.equal(count('accepted'), 0, `the log has no more than there is: ${story}`)
  else assert.equal(count('accepted', 'uncertain'), 1, `the log knows of it: ${story}`)
}
