import type { Static } from 'typebox'
import { AppError } from '../../kit/app-error.ts'
import type { Caller } from '../../kit/caller.ts'
import { Hook } from '../../kit/hooks.ts'
import type { Log } from '../../kit/log.ts'
import {
  describeDsn,
  type Mailer,
  type SentThrough,
  type StageEvent,
  type StageReport,
} from '../../libraries/mailer/index.ts'
import type { Installation } from '../../platform/installation/index.ts'
import { brandOfSender, type CheckSender } from '../brands/index.ts'
import type { testAlignment } from './schema.ts'

/** Whether receivers will believe the sender of a test message; see the module `senders`. */
export type TestAlignment = Static<typeof testAlignment>

/** The sender and the DSN of a test message. */
export interface AlignmentQuestion {
  /** The domain of the sender, as it is written. */
  domain: string
  dsn: string
  isPublicOnly: boolean
  /** The brand of the message. */
  brand: number
  signal?: AbortSignal | undefined
}

/** Checks a sender, within 15 s. Undefined: nothing is sent to a server, or the caller has too many checks running. */
type CheckAlignment = (
  question: AlignmentQuestion,
  caller: Caller,
) => Promise<TestAlignment | undefined>

/** The answer of the API to a test. */
export interface TestAnswer {
  success: boolean
  message: string
  stages: StageReport[]
  /** Null where nothing was sent to a server, and where it was not asked for. */
  alignment: TestAlignment | null
  transcript?: string[]
}

/** A test that a caller asks for. */
export interface TestRequest {
  /** In clear; undefined where its key is missing. */
  dsn: string | undefined
  /** Whether a caller of a Mautic wrote the DSN; see `TransportRow.is_public_only`. */
  isPublicOnly: boolean | undefined
  /** The brand of the message. */
  brand: number
  /** The transport that an inbox records. */
  through: SentThrough
  testedEmailFrom: string | null
  /** Default: the address of the caller. */
  to: string | undefined
  hasTranscript: boolean
  /** Whether the sender is checked too. */
  hasAlignment: boolean
  caller: Caller
  /** Receives each stage when it starts and when it has finished. */
  onStage?: (event: StageEvent) => void
  /** Stops the test. */
  signal?: AbortSignal
}

/** The answer to a test, and how long the test took. */
export type TestResult = TestAnswer & { durationMs: number }

export type TestTransport = (request: TestRequest) => Promise<TestResult>

export interface TestMessageOptions {
  mailer: Mailer
  /** Sends through the DSNs that callers of a Mautic wrote. */
  publicMailer: Mailer
  /** The sender for transports without `testedEmailFrom`. */
  mailerFrom: string
  /** See `SendingBrands`. */
  checkSender: CheckSender
  installation: Pick<Installation, 'check'>
  log: Log
}

/** Sends a message through exactly this transport and reports each step. */
export interface TransportTests {
  send: TestTransport
  /** Whether receivers will believe the sender. The result of the message counts more: if this fails, it was sent all the same. */
  readonly alignment: Hook<Parameters<CheckAlignment>, TestAlignment | undefined>
}

export function createTransportTest(options: TestMessageOptions): TransportTests {
  const { mailerFrom, installation, log } = options
  const alignment: TransportTests['alignment'] = new Hook()
  const checkAlignment = async (question: AlignmentQuestion, caller: Caller) => {
    try {
      return await alignment.first(question, caller)
    } catch (err) {
      log.error({ err }, 'sender of a test message not checked')
      return undefined
    }
  }
  const send: TestTransport = async (test) => {
    installation.check()
    const { dsn, through, testedEmailFrom, to, hasTranscript, caller, onStage, signal } = test
    const recipient = to ?? caller.email ?? testedEmailFrom
    if (recipient === null) throw noTestRecipient()
    if (dsn === undefined) return unreadableAnswer
    const from = testedEmailFrom ?? mailerFrom
    const ofSender = await brandOfSender(options.checkSender, caller, { senders: [from] })
    const brand = ofSender ?? test.brand
    const watching = onStage && ((event: StageEvent) => onStage(withWholeMs(event)))
    const mailer = test.isPublicOnly ? options.publicMailer : options.mailer
    const question: AlignmentQuestion = {
      domain: from.slice(from.lastIndexOf('@') + 1),
      dsn,
      isPublicOnly: test.isPublicOnly === true,
      brand,
      signal,
    }
    const [report, alignment = null] = await Promise.all([
      mailer.test(dsn, {
        from,
        to: recipient,
        submitter: brand,
        through,
        hasTranscript,
        signal,
        onStage: watching,
      }),
      test.hasAlignment ? checkAlignment(question, caller) : undefined,
    ])
    const { success } = report
    const message = withAlignment(report.message, alignment)
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
      alignment,
      durationMs,
      ...(hasTranscript ? { transcript: [...report.transcript] } : {}),
    }
  }
  return { send, alignment }
}

/** Adds why receivers may not believe the sender. */
function withAlignment(message: string, alignment: TestAlignment | null): string {
  const isDoubtful = alignment?.verdict === 'notAligned' || alignment?.verdict === 'cannotTell'
  return isDoubtful ? `${message} ${alignment.sentence}` : message
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
  alignment: null,
}

const noTestRecipient = () =>
  new AppError(
    'invalid',
    'no_test_recipient',
    'The test has no recipient, because you have no email address. Set testedEmailFrom of the transport. A test that saves nothing also takes {"to": "you@example.com"}.',
  )
