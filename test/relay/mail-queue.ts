import { setTimeout } from 'node:timers/promises'
import { type ClientStep, type LastReply, type Submission, submit } from './submit.ts'

/** A message in the queue, and the replies to it. */
export interface QueuedMail extends Omit<Submission, 'raw'> {
  /** The message of this attempt: Mautic makes a new Message-ID each time. */
  readonly write: (attempt: number) => Buffer
  /** The last reply of each attempt; undefined if the connection was lost. */
  readonly replies: LastReply[]
}

/** Where a queue submits its messages. */
export interface QueueOptions {
  port: number
  username: string
  password: string
  /** The number of messages submitted at the same time. */
  workers: number
  onStep: (step: ClientStep) => void
}

/** A sender's queue, as any mail server has: what was not answered 250 or 5yz is tried again. */
export interface MailQueue {
  readonly mails: readonly QueuedMail[]
  /** Lets the queue make new messages while it has nothing to try again. */
  isBusy: boolean
  /** Stops new messages; resolves when each message has its final reply or was tried this often. */
  calm(triesMax: number): Promise<void>
}

export function isAccepted({ replies }: QueuedMail): boolean {
  return replies.some((reply) => reply?.code === 250)
}

/** Whether there is an answer that no queue asks again after. */
function isDone(mail: QueuedMail): boolean {
  return isAccepted(mail) || mail.replies.some((reply) => (reply?.code ?? 0) >= 500)
}

/** Between two messages of a worker, so that the test leaves the relay some of the machine. */
const pauseMaxMs = 50
/** After a lost connection, while the relay starts again. */
const lostPauseMs = 300
/** How often an old message has its turn before a new one. */
const againRate = 0.4

/** Starts a queue; `createMail` makes the next message. */
export function startQueue(
  createMail: (index: number) => Omit<QueuedMail, 'replies'>,
  options: QueueOptions,
): MailQueue {
  const mails: QueuedMail[] = []
  const waiting: QueuedMail[] = []
  const queue = { mails, isBusy: true, calm }
  const next = (): QueuedMail => {
    // New ones though old ones wait: a kill is to meet both.
    if (waiting.length > 0 && Math.random() < againRate) {
      const [old] = waiting.splice(0, 1)
      if (old !== undefined) return old
    }
    const mail = { ...createMail(mails.length), replies: [] }
    mails.push(mail)
    return mail
  }
  const work = async () => {
    while (queue.isBusy) {
      const mail = next()
      await attempt(mail)
      if (!isDone(mail)) waiting.push(mail)
      const isLost = mail.replies.at(-1) === undefined
      await setTimeout(isLost ? lostPauseMs : Math.random() * pauseMaxMs)
    }
  }
  const attempt = async (mail: QueuedMail) => {
    const raw = mail.write(mail.replies.length)
    mail.replies.push(await submit({ ...mail, raw }, options))
  }
  const workers = Array.from({ length: options.workers }, work)
  return queue

  async function calm(triesMax: number): Promise<void> {
    queue.isBusy = false
    await Promise.all(workers)
    const left = mails.filter((mail) => !isDone(mail))
    const again = async () => {
      for (let mail = left.shift(); mail !== undefined; mail = left.shift())
        for (let tries = 0; tries < triesMax && !isDone(mail); tries++) await attempt(mail)
    }
    await Promise.all(Array.from({ length: options.workers }, again))
  }
}
