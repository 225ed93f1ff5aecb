import type { SentThrough } from '../delivery/capture.ts'
import type { DeliveryResult } from '../delivery/delivery-result.ts'
import type { Stage } from '../delivery/stage.ts'
import type { InspectedTransport } from '../dsn/inspect-dsn.ts'
import { composeMessage } from '../message/compose-message.ts'
import type { Message } from '../message/message.ts'

/**
 * One step of a test.
 * @example
 * ```ts
 * const line = ({ stage, outcome, detail }: StageReport) => `${stage}: ${outcome} ${detail}`
 * ```
 */
export interface StageReport {
  readonly stage: Stage
  /** `skipped`: not needed for this DSN, or an earlier step failed. */
  readonly outcome: 'ok' | 'failed' | 'skipped'
  readonly durationMs: number
  /** What was found: the addresses, the certificate, the server's reply. Secrets are masked. */
  readonly detail: string
  /** What to do about it; null when nothing has to be done. */
  readonly hint: string | null
  /** In a list: scheme, host and port of the member. Absent for a single transport. */
  readonly member?: string
}

/**
 * A step of a test that starts, or has finished. EHLO is entered twice if STARTTLS follows it; both count as one step.
 * @example
 * ```ts
 * const line = (event: StageEvent) =>
 *   event.state === 'started' ? `${event.stage} …` : `${event.stage}: ${event.outcome}`
 * ```
 */
export type StageEvent =
  | { readonly state: 'started'; readonly stage: Stage; readonly member?: string }
  | ({ readonly state: 'finished' } & StageReport)

/**
 * The report of a test: of one transport, or of each member of a list.
 * @example
 * ```ts
 * const failedStep = ({ stages }: TestReport) => stages.find(({ outcome }) => outcome === 'failed')?.hint
 * ```
 */
export interface TestReport {
  /** Whether the server accepted the test message; in a list, whether every member did. */
  readonly success: boolean
  /** One sentence for the person who can fix it. It holds no secret. */
  readonly message: string
  /** In the order in which they ran; in a list, one member after another. */
  readonly stages: readonly StageReport[]
  /** What the DSN means; null when it cannot be parsed. */
  readonly transport: InspectedTransport | null
  /** The result of the delivery; null when it was not attempted, and for a list. */
  readonly result: DeliveryResult | null
  /**
   * The dialogue: `> ` before lines that were sent, `< ` before replies, and in a list `# ` before the name of each
   * member. Secrets are masked. Empty unless `hasTranscript` is set.
   */
  readonly transcript: readonly string[]
  /** One for each member of a list; empty for a single transport. */
  readonly members: readonly TestReport[]
  readonly durationMs: number
}

/**
 * Options of a test.
 * @example
 * ```ts
 * const options: TestOptions = { from: 'shop@example.com', to: 'me@example.com', hasTranscript: true }
 * ```
 */
export interface TestOptions {
  readonly from: string
  readonly to: string
  /** Default: `Test message`. */
  readonly subject?: string
  /** Default: a sentence that says that this is a test. */
  readonly text?: string
  /** Whose keys sign the message; see `SendOptions`. */
  readonly submitter?: number | undefined
  /** What an inbox stores beside the message that it captures. */
  readonly through?: SentThrough
  /** Whether the report contains the dialogue. Default: no. */
  readonly hasTranscript?: boolean
  /** For the whole test, including all members. Default and maximum: 30 s. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal | undefined
  /** Receives each step when it starts and when it has finished. */
  readonly onStage?: ((event: StageEvent) => void) | undefined
}

/** Composes the test message. */
export function composeTestMessage(options: TestOptions): Promise<Message> {
  const { from, to, subject = 'Test message', text } = options
  return composeMessage({
    from: { name: '', address: from },
    to: [{ name: '', address: to }],
    subject,
    text: text ?? 'This is a test message. You received it, so its mail transport works.\n',
    headers: { 'Auto-Submitted': 'auto-generated' },
  })
}
