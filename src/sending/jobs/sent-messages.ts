import type { Log } from '../../kit/log.ts'
import type { DeliveryResult } from '../../mailer/index.ts'
import type { ReadyMessage } from './attempt.ts'

/** A message that was handed over, and what its server said. */
export interface SentMessage {
  ready: ReadyMessage
  result: DeliveryResult
  startedAt: number
}

/** Settles messages that were sent. Where that throws, what the server said is kept and tried again. */
export class SentMessages {
  readonly #judge: (sent: SentMessage) => void
  readonly #log: Log
  #kept: SentMessage[] = []

  /** `judge` does nothing before it can no longer throw. */
  constructor(judge: (sent: SentMessage) => void, log: Log) {
    this.#judge = judge
    this.#log = log
  }

  settle(sent: SentMessage): void {
    try {
      this.#judge(sent)
    } catch (err) {
      this.#kept.push(sent)
      const { sendingId: sending, contactId: contact } = sent.ready.claim
      const text = 'an outcome cannot be worked out yet; it is kept and tried again'
      this.#log.error({ err, sending, contact }, text)
    }
  }

  /** Tries again what was kept. */
  settleKept(): void {
    for (const sent of this.#kept.splice(0)) {
      try {
        this.#judge(sent)
      } catch {
        this.#kept.push(sent)
      }
    }
  }
}
