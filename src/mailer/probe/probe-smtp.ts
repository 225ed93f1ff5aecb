import type { DeliveryResult } from '../delivery/delivery-result.ts'
import { FaultError } from '../delivery/fault-error.ts'
import { createResult, faultResult } from '../delivery/result.ts'
import type { Stage } from '../delivery/stage.ts'
import type { ParsedSmtpDsn } from '../dsn/parsed-dsn.ts'
import type { MailerContext } from '../mailer-context.ts'
import { checkEnvelope } from '../message/check-envelope.ts'
import type { Message } from '../message/message.ts'
import { missingHeaders } from '../message/missing-headers.ts'
import { messageIdOf } from '../smtp/message-id.ts'
import { openSession } from '../smtp/open-session.ts'
import { cancelledFault } from '../smtp/session-fault.ts'
import { transact } from '../smtp/transaction.ts'
import { explainers, sessionContext } from '../transports/open-transport.ts'
import type { Probe } from './probe.ts'
import { StageRecorder } from './stage-recorder.ts'

const smtpStages: readonly Stage[] = [
  'parse',
  'resolve',
  'connect',
  'tls',
  'greeting',
  'ehlo',
  'auth',
  'sender',
  'recipient',
  'data',
]

/** Sends one message over a session of its own and watches every step. */
export async function probeSmtp(
  dsn: ParsedSmtpDsn,
  message: Message,
  { context, signal }: { context: MailerContext; signal: AbortSignal },
): Promise<Probe> {
  const { redact, improve } = explainers(dsn)
  const recorder = new StageRecorder(redact)
  recorder.enter('parse')
  recorder.found(`${dsn.label}: ${dsn.settings.host} port ${dsn.settings.port}.`)
  const startedAt = performance.now()
  let result: DeliveryResult
  try {
    checkEnvelope(message.envelope)
    const sessions = sessionContext(dsn, redact, context)
    const session = await openSession(sessions, { observer: recorder, signal })
    // One command at a time, so that each step has its own reply and duration.
    session.extensions = { ...session.extensions, hasPipelining: false }
    const cancel = () => session.destroy(cancelledFault)
    signal.addEventListener('abort', cancel, { once: true })
    try {
      const head = missingHeaders(message.raw, dsn.settings.headers)
      const { timeouts } = context
      const accepted = await transact(session, message, { timeouts, head, handOver() {} })
      result = createResult({
        ...accepted,
        member: dsn.label,
        outcome: 'accepted',
        stage: 'data',
        durationMs: performance.now() - startedAt,
        messageId: messageIdOf(accepted.reply),
      })
    } finally {
      signal.removeEventListener('abort', cancel)
      session.quit()
    }
  } catch (error) {
    if (!(error instanceof FaultError)) throw error
    const improved = improve(error)
    recorder.fail(improved.fault)
    const durationMs = performance.now() - startedAt
    result = faultResult(improved, { member: dsn.label, message, durationMs })
  }
  const skipped = (stage: Stage) => whySkipped(stage, dsn, result)
  return {
    stages: recorder.report(smtpStages, skipped),
    transcript: recorder.transcript(),
    result,
  }
}

function whySkipped(stage: Stage, { settings }: ParsedSmtpDsn, { fault }: DeliveryResult): string {
  if (
    fault !== null &&
    fault.stage !== stage &&
    smtpStages.indexOf(fault.stage) < smtpStages.indexOf(stage)
  )
    return 'An earlier step failed.'
  if (stage === 'tls')
    return settings.tls === 'none'
      ? 'The DSN switches encryption off (auto_tls=0).'
      : 'The server offers no encryption (STARTTLS), and the DSN does not require it.'
  return stage === 'auth' && settings.credentials === null ? 'The DSN has no user.' : 'Not reached.'
}
