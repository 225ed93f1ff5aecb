import { AppError } from '../kit/app-error.ts'
import type { Caller } from '../kit/caller.ts'
import type { Log } from '../kit/log.ts'
import {
  describeDsn,
  type Mailer,
  type SentThrough,
  type StageEvent,
  type StageReport,
} from '../mailer/index.ts'

/** The answer of the API to a test. */
export interface TestAnswer {
  success: boolean
  message: string
  stages: StageReport[]
  transcript?: string[]
}

/** A test that a caller asks for. */
export interface TestRequest {
  /** In clear; undefined where its key is missing. */
  dsn: string | undefined
  /** Whether a caller of a Mautic wrote the DSN; see `TransportRow.is_public_only`. */
  isPublicOnly: boolean | undefined
  /** The transport that an inbox records. */
  through: SentThrough
  testedEmailFrom: string | null
  /** Default: the address of the caller. */
  to: string | undefined
  hasTranscript: boolean
  caller: Caller
  /** Receives each stage when it starts and when it has finished. */
  onStage?: (event: StageEvent) => void
  /** Stops the test. */
  signal?: AbortSignal
}

/** The answer to a test, and how long the test took. */
export type TestResult = TestAnswer & { durationMs: number }

/** Sends a test message. */
export type SendTest = (request: TestRequest) => Promise<TestResult>

/** Options of `createSendTest`. */
export interface TestMessageOptions {
  mailer: Mailer
  /** Sends through the DSNs that callers of a Mautic wrote. */
  publicMailer: Mailer
  /** The sender for transports without `testedEmailFrom`. */
  mailerFrom: string
  log: Log
}

/** Creates the function that sends a message through exactly this transport and reports each step. */
export function createSendTest(options: TestMessageOptions): SendTest {
  const { mailerFrom, log } = options
  return async (test) => {
    const { dsn, through, testedEmailFrom, to, hasTranscript, caller, onStage, signal } = test
    const recipient = to ?? caller.email ?? testedEmailFrom
    if (recipient === null) throw noTestRecipient()
    if (dsn === undefined) return unreadableAnswer
    const from = testedEmailFrom ?? mailerFrom
    const watching = onStage && ((event: StageEvent) => onStage(withWholeMs(event)))
    const mailer = test.isPublicOnly ? options.publicMailer : options.mailer
    const report = await mailer.test(dsn, {
      from,
      to: recipient,
      through,
      hasTranscript,
      signal,
      onStage: watching,
    })
    const { success, message } = report
    const durationMs = Math.round(report.durationMs)
    const stages = report.stages.map(withWholeMs)
    log.info(
      { transport: describeDsn(dsn), success, durationMs, caller: caller.name },
      'test message',
    )
    return {
      success,
      message,
      stages,
      durationMs,
      ...(hasTranscript ? { transcript: [...report.transcript] } : {}),
    }
  }
}

/** Rounds the duration of a stage. */
function withWholeMs<Stage extends object>(stage: Stage): Stage {
  return 'durationMs' in stage
    ? { ...stage, durationMs: Math.round(Number(stage.durationMs)) }
    : stage
}

const unreadable = 'The DSN of this transport cannot be decrypted: its key is missing.'
const hint = 'Save the DSN again.'

const unreadableAnswer: TestResult = {
  success: false,
  durationMs: 0,
  message: `${unreadable} ${hint}`,
  stages: [{ stage: 'parse', outcome: 'failed', durationMs: 0, detail: unreadable, hint }],
}

const noTestRecipient = () =>
  new AppError(
    'invalid',
    'no_test_recipient',
    'The test has no recipient, because you have no email address. Set testedEmailFrom of the transport. A test that saves nothing also takes {"to": "you@example.com"}.',
  )
