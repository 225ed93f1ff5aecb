import { startStopwatch } from '../../../kit/clock.ts'
import type { DeliveryResult } from '../delivery/delivery-result.ts'
import { joinSentences } from '../delivery/fault-error.ts'
import { inspectParsed } from '../dsn/inspect-dsn.ts'
import { parseDsn } from '../dsn/parse-dsn.ts'
import type { ParsedDsn, ParsedListDsn, ParsedSingleDsn } from '../dsn/parsed-dsn.ts'
import { DsnError } from '../grammar/dsn.ts'
import type { MailerContext } from '../mailer-context.ts'
import type { Message } from '../message/message.ts'
import { captureInstead, type Guarding } from '../transports/guarded-transport.ts'
import { openTransport } from '../transports/open-transport.ts'
import { type Probe, probeApi, probeSmtp } from './probe.ts'
import {
  composeTestMessage,
  type StageEvent,
  type StageReport,
  type TestOptions,
  type TestReport,
} from './test-report.ts'

const timeoutMsMax = 30_000

interface Testing {
  readonly context: MailerContext
  readonly options: TestOptions
  readonly signal: AbortSignal
  readonly timeoutMs: number
  readonly isInList: boolean
}

/**
 * Tests a DSN: sends one message through it and reports every step. The members of a list are tested one after another
 * within one time limit; the report names those that were not reached.
 */
export async function testTransport(
  dsn: string,
  options: TestOptions,
  context: MailerContext,
): Promise<TestReport> {
  const timeoutMs = Math.min(options.timeoutMs ?? timeoutMsMax, timeoutMsMax)
  const deadline = AbortSignal.timeout(timeoutMs)
  const signal = options.signal ? AbortSignal.any([deadline, options.signal]) : deadline
  try {
    const parsed = parseDsn(dsn, context.dsnOptions)
    if (!sendsNothing(parsed) && context.guard?.allows(options.to) === false)
      return await refuseTest(parsed, options, { guard: context.guard, capture: context.capture })
    const isInList = 'members' in parsed
    return await testParsed(parsed, { context, options, signal, timeoutMs, isInList })
  } catch (error) {
    if (error instanceof DsnError) {
      const stage = { ...stageReport('parse', error.message), hint: 'Correct the DSN.' }
      const report = endedReport({ ...stage, outcome: 'failed' }, null)
      notifyAll(report.stages, (event) => options.onStage?.(event))
      return report
    }
    throw error
  }
}

/** Captures the test message: its recipient is not allowed, so nothing was tested. */
async function refuseTest(
  parsed: ParsedDsn,
  options: TestOptions,
  guarding: Guarding,
): Promise<TestReport> {
  const message = await composeTestMessage(options)
  const { through, submitter } = options
  const result = await captureInstead(message, guarding, { through, submitter })
  const detail = joinSentences(['Nothing was tested.', result.fault?.message ?? result.reply?.text])
  const hint = 'Test with a recipient who is allowed.'
  const stage = { ...stageReport('recipient', detail), outcome: 'failed', hint } as const
  notifyAll([stage], (event) => options.onStage?.(event))
  return endedReport(stage, inspectParsed(parsed))
}

async function testParsed(parsed: ParsedDsn, testing: Testing): Promise<TestReport> {
  if ('members' in parsed) return testList(parsed, testing)
  const elapsedMs = startStopwatch()
  const message = await composeTestMessage(testing.options)
  const { stages, transcript, result } = await probe(parsed, message, testing)
  return {
    success: result.outcome === 'accepted',
    message: sentenceOf(result, parsed, testing),
    stages,
    transport: inspectParsed(parsed),
    result,
    transcript: testing.options.hasTranscript ? transcript : [],
    members: [],
    durationMs: elapsedMs(),
  }
}

function probe(parsed: ParsedSingleDsn, message: Message, testing: Testing): Promise<Probe> {
  const { context, signal, options } = testing
  const notify = notifierOf(parsed, testing)
  const { submitter } = options
  if (parsed.kind === 'smtp')
    return probeSmtp(parsed, message, { context, signal, submitter, notify })
  if (parsed.kind === 'api') return probeApi(parsed, message, { context, signal, notify })
  return probeLocal(parsed, message, testing)
}

type Notify = (event: StageEvent) => void

/** Adds the name of the member to the events of a list. */
function notifierOf(parsed: ParsedDsn, { options: { onStage }, isInList }: Testing): Notify {
  if (onStage === undefined) return () => undefined
  return isInList ? (event) => onStage({ member: parsed.label, ...event }) : onStage
}

/** Reports steps that took no time. */
function notifyAll(reports: readonly StageReport[], notify: Notify): void {
  for (const report of reports) {
    if (report.outcome !== 'skipped') notify({ state: 'started', stage: report.stage })
    notify({ state: 'finished', ...report })
  }
}

/** Tests `null://`, `inbox://` and the sendmail command. Without a network there are at most two steps. */
async function probeLocal(
  parsed: ParsedSingleDsn,
  message: Message,
  testing: Testing,
): Promise<Probe> {
  const transport = openTransport(parsed, { mailer: testing.context })
  const { through, submitter } = testing.options
  const result = await transport.send(message, { through, submitter })
  await transport.close()
  const { fault, durationMs, reply } = result
  const steps: StageReport[] = [stageReport('parse', parsed.label)]
  const taken =
    parsed.kind === 'command' ? 'The command accepted the message.' : `${reply?.text ?? ''}.`
  if (parsed.kind !== 'null')
    steps.push({
      ...stageReport('data', fault?.message ?? taken),
      outcome: fault === null ? 'ok' : 'failed',
      hint: fault?.hint ?? null,
      durationMs,
    })
  notifyAll(steps, notifierOf(parsed, testing))
  return { stages: steps, transcript: [], result }
}

function stageReport(stage: StageReport['stage'], detail: string): StageReport {
  return { stage, outcome: 'ok', durationMs: 0, detail, hint: null }
}

async function testList(list: ParsedListDsn, testing: Testing): Promise<TestReport> {
  const elapsedMs = startStopwatch()
  const members: TestReport[] = []
  const failed: string[] = []
  const untried: string[] = []
  for (const member of list.members) {
    const isTried = !testing.signal.aborted
    const report = isTried ? await testParsed(member, testing) : notReached(member)
    members.push(report)
    if (!isTried) {
      notifyAll(report.stages, notifierOf(member, testing))
      untried.push(member.label)
    } else if (!report.success) failed.push(`${member.label}: ${report.message}`)
  }
  const label = (index: number) => list.members[index]?.label ?? ''
  const isPassed = failed.length + untried.length === 0
  return {
    success: isPassed,
    message: isPassed
      ? passedSentence(list)
      : joinSentences([failedSentence(list, failed), untriedSentence(untried, testing)]),
    stages: members.flatMap(({ stages }, index) =>
      stages.map((stage) => ({ member: label(index), ...stage })),
    ),
    transport: inspectParsed(list),
    result: null,
    transcript: members.flatMap(({ transcript }, index) =>
      transcript.length === 0 ? [] : [`# ${label(index)}`, ...transcript],
    ),
    members,
    durationMs: elapsedMs(),
  }
}

function passedSentence({ members }: ParsedListDsn): string {
  const count = members.length
  const capturing = members.filter((member) => sendsNothing(member) && captures(member)).length
  const dropping = members.filter(sendsNothing).length - capturing
  const sending = count - capturing - dropping
  const isOne = count === 1
  if (sending === count)
    return `${isOne ? 'The only member' : `All ${count} members`} accepted the test message.`
  if (dropping === count)
    return `${isOne ? 'The only member drops' : `All ${count} members drop`} every message; nothing was sent.`
  if (capturing === count)
    return `${isOne ? 'The only member' : `All ${count} members`} captured the test message; it was captured, not sent.`
  if (capturing === 0)
    return `${sending} of ${count} members accepted the test message; the others drop every message.`
  const accepted = sending === 0 ? 'Nothing was sent' : `${sending} of ${count} members accepted it`
  const dropped = dropping === 0 ? '' : `, and ${dropping} dropped it`
  return `${accepted}; ${capturing} captured it (captured, not sent)${dropped}.`
}

function failedSentence({ members }: ParsedListDsn, failed: readonly string[]) {
  if (failed.length === 0) return undefined
  const who =
    members.length === 1 ? 'The only member' : `${failed.length} of ${members.length} members`
  return joinSentences([`${who} failed.`, ...failed])
}

function untriedSentence(labels: readonly string[], { timeoutMs }: Testing) {
  if (labels.length === 0) return undefined
  return `Not tried, because the test ended after ${timeoutMs / 1000} s: ${labels.join(', ')}.`
}

function notReached(parsed: ParsedDsn): TestReport {
  const stage = stageReport('parse', 'Not tried: the time limit of the test was reached.')
  return endedReport({ ...stage, outcome: 'skipped' }, inspectParsed(parsed))
}

/** Reports a test that ended with its first step. */
function endedReport(stage: StageReport, transport: TestReport['transport']): TestReport {
  return {
    success: false,
    message: stage.detail,
    stages: [stage],
    transport,
    result: null,
    transcript: [],
    members: [],
    durationMs: 0,
  }
}

function sendsNothing(parsed: ParsedDsn): boolean {
  if ('members' in parsed) return parsed.members.every(sendsNothing)
  return parsed.kind === 'null' || parsed.kind === 'inbox'
}

function captures(parsed: ParsedDsn): boolean {
  return 'members' in parsed ? parsed.members.some(captures) : parsed.kind === 'inbox'
}

function sentenceOf(
  { outcome, fault, recipients, reply }: DeliveryResult,
  parsed: ParsedDsn,
  { signal, timeoutMs, options }: Testing,
): string {
  if (parsed.kind === 'null') return 'null:// accepts and drops every message; nothing was sent.'
  if (outcome === 'accepted' && parsed.kind === 'inbox') return `${reply?.text ?? ''}.`
  if (outcome === 'accepted') {
    const answer = reply === null || reply.text === '' ? '' : ` (${reply.code} ${reply.text})`
    return `The server accepted the test message to ${recipients[0]?.address ?? 'the recipient'}${answer}.`
  }
  if (fault?.code === 'cancelled' && signal.aborted && !options.signal?.aborted)
    return `The test was stopped after ${timeoutMs / 1000} s in the step "${fault.stage}": the server is too slow.`
  return joinSentences([fault?.message, fault?.hint])
}
