import type { DeliveryResult } from '../delivery/delivery-result.ts'
import type { Stage } from '../delivery/stage.ts'
import type { InspectedTransport } from '../dsn/inspect-dsn.ts'
import type { SentThrough } from '../transports/capture.ts'

/** One step of a test. */
export interface StageReport {
  readonly stage: Stage
  /** `skipped`: not needed here, or an earlier step failed. */
  readonly outcome: 'ok' | 'failed' | 'skipped'
  readonly durationMs: number
  /** What was found: the addresses, the certificate, the server's reply. Secrets are blanked. */
  readonly detail: string
  /** What to do about it; null where nothing needs doing. */
  readonly hint: string | null
  /** In a list, which transport: its scheme, host and port. Absent for a single one. */
  readonly member?: string
}

/** What a test of one transport, or of a list member by member, found. */
export interface TestReport {
  /** Whether the server took the test message; in a list, every member's. */
  readonly success: boolean
  /** One sentence for the person who can mend it. No secret is in it. */
  readonly message: string
  /** In the order in which they ran; in a list, one member after the other. */
  readonly stages: readonly StageReport[]
  /** What the DSN means; null where it does not parse. */
  readonly transport: InspectedTransport | null
  /** What became of the message; null where it never came so far, and for a list. */
  readonly result: DeliveryResult | null
  /**
   * The dialogue, `> ` sent and `< ` received, in a list with `# ` and the member before each, secrets
   * blanked; empty unless asked for.
   */
  readonly transcript: readonly string[]
  /** One for each member of a list, else empty. */
  readonly members: readonly TestReport[]
  readonly durationMs: number
}

/** What to send in a test, and how. */
export interface TestOptions {
  readonly from: string
  readonly to: string
  /** Default: a short text that says what it is. */
  readonly subject?: string
  readonly text?: string
  /** What an inbox notes beside the message that it captures. */
  readonly through?: SentThrough
  /** Whether the report has the whole dialogue. Default: no. */
  readonly hasTranscript?: boolean
  /** For all of it, members and all. Default and maximum: 30 s. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}
