import type { Stage } from '../delivery/stage.ts'

/** What a session waits for: the step, what the server is to answer, and how long that may take. */
export interface AwaitedReply {
  readonly stage: Stage
  /** As a sentence says it: `MAIL FROM`, `the end of the message`. */
  readonly what: string
  readonly timeoutMs: number
}
