import type { Caller } from '../kit/caller.ts'
import type { Log } from '../kit/log.ts'
import { describeDsn, type Mailer, type SentThrough, type StageReport } from '../mailer/index.ts'
import { noTestRecipient } from './errors.ts'

/** What the API answers to a test. */
export interface TestAnswer {
  success: boolean
  message: string
  stages: StageReport[]
  transcript?: string[]
}

/** A test that somebody asks for. */
export interface TestRequest {
  /** In clear; undefined where it cannot be read. */
  dsn: string | undefined
  /** What an inbox notes that it was sent through. */
  through: SentThrough
  testedEmailFrom: string | null
  /** Undefined for the caller's own address. */
  to: string | undefined
  hasTranscript: boolean
  caller: Caller
}

/** Sends test messages. */
export type SendTest = (request: TestRequest) => Promise<TestAnswer>

/** What tests are sent with. */
export interface TestMessageOptions {
  mailer: Mailer
  /** The configured sender, for transports without `testedEmailFrom`. */
  mailerFrom: string
  log: Log
}

/** Sends a message through exactly this transport, and says step by step what happened. */
export function createSendTest({ mailer, mailerFrom, log }: TestMessageOptions): SendTest {
  return async ({ dsn, through, testedEmailFrom, to, hasTranscript, caller }) => {
    const recipient = to ?? caller.email ?? testedEmailFrom
    if (recipient === null) throw noTestRecipient()
    if (dsn === undefined) return unreadableAnswer
    const from = testedEmailFrom ?? mailerFrom
    const report = await mailer.test(dsn, { from, to: recipient, through, hasTranscript })
    const { success, message, durationMs } = report
    const stages = report.stages.map((stage) => ({
      ...stage,
      durationMs: Math.round(stage.durationMs),
    }))
    log.info(
      { transport: describeDsn(dsn), success, durationMs, caller: caller.name },
      'test message',
    )
    return {
      success,
      message,
      stages,
      ...(hasTranscript ? { transcript: [...report.transcript] } : {}),
    }
  }
}

const unreadable = 'The DSN of this transport cannot be read with the keys that there are.'
const hint = 'Save its DSN anew.'

const unreadableAnswer: TestAnswer = {
  success: false,
  message: `${unreadable} ${hint}`,
  stages: [{ stage: 'parse', outcome: 'failed', durationMs: 0, detail: unreadable, hint }],
}
