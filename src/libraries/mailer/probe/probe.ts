import { attempt } from '../delivery/create-result.ts'
import type { DeliveryResult } from '../delivery/delivery-result.ts'
import { cancelledFault, type ImproveFault } from '../delivery/fault-error.ts'
import { type Stage, stages } from '../delivery/stage.ts'
import type { ParsedApiDsn, ParsedSmtpDsn } from '../dsn/parsed-dsn.ts'
import type { MailerContext } from '../mailer-context.ts'
import type { Message } from '../message/message.ts'
import { AccessTokens } from '../oauth/access-tokens.ts'
import { openSession } from '../smtp/open-session.ts'
import type { MailboxLogin } from '../smtp/session-context.ts'
import { prepareMessage } from '../smtp/smtp-transport.ts'
import { transact } from '../smtp/transaction.ts'
import { senderOf } from '../transports/mailbox-transport.ts'
import { apiTokens, faultHandling, openApi, smtpSessions } from '../transports/open-transport.ts'
import { StageRecorder } from './stage-recorder.ts'
import type { StageEvent, StageReport } from './test-report.ts'

/** The findings of a test message through one transport. */
export interface Probe {
  readonly stages: readonly StageReport[]
  readonly transcript: readonly string[]
  readonly result: DeliveryResult
}

interface Probing {
  readonly context: MailerContext
  readonly signal: AbortSignal
  readonly submitter: number | undefined
  /** Receives each step when it starts and when it has finished. */
  readonly notify: (event: StageEvent) => void
}

/** The token comes before the connection to the API. */
const apiStages: readonly Stage[] = ['parse', 'token', 'resolve', 'connect', 'tls', 'request']
const smtpStages: readonly Stage[] = stages.filter((stage) => stage !== 'request')

/** Sends one message over a new connection to a provider's API and records every step. */
export async function probeApi(
  dsn: ParsedApiDsn,
  message: Message,
  { context, signal, notify }: Omit<Probing, 'submitter'>,
): Promise<Probe> {
  const recorder = new StageRecorder((text) => redact(text), notify)
  const tokens = apiTokens(dsn, context, recorder)
  const { redact } = faultHandling(dsn, tokens?.of(''))
  recorder.enter('parse')
  recorder.found(`${dsn.label}: ${dsn.adapter.endpoint}.`)
  const transport = openApi(dsn, { mailer: context }, { observer: recorder, tokens })
  const result = await transport.send(message, { signal })
  await transport.close()
  const { fault, messageId } = result
  // A fault found before the request was sent is shown at the step "request".
  if (fault !== null)
    recorder.fail({ ...fault, stage: apiStages.includes(fault.stage) ? fault.stage : 'request' })
  else if (messageId !== null) recorder.found(`Accepted as ${messageId}.`)
  const planned = dsn.adapter.grant === undefined ? withoutToken(apiStages) : apiStages
  return {
    stages: recorder.report(planned, () => 'An earlier step failed.'),
    transcript: recorder.transcript(),
    result,
  }
}

/** Sends one message over a new SMTP session and records every step. */
export async function probeSmtp(
  dsn: ParsedSmtpDsn,
  message: Message,
  { context, signal, submitter, notify }: Probing,
): Promise<Probe> {
  const recorder = new StageRecorder((text) => sessions.redact(text), notify)
  const { settings } = dsn
  const { oauth } = settings
  const tokens = oauth === null ? undefined : new AccessTokens(oauth.grant, context, recorder)
  const login = tokens && loginOf(oauth?.mailbox ?? null, message, tokens)
  const { sessions, improve } = smtpSessions(dsn, context, login)
  const record: ImproveFault = (error) => {
    const improved = improve(error)
    recorder.fail(improved.fault)
    return improved
  }
  recorder.enter('parse')
  recorder.found(`${dsn.label}: ${dsn.settings.host} port ${dsn.settings.port}.`)
  const result = await attempt(
    message,
    { member: dsn.label, improve: record },
    async ({ isLeaseValid }) => {
      const { timeouts, signer } = context
      const outgoing = await prepareMessage(message, { settings, signer }, submitter)
      const session = await openSession(sessions, { observer: recorder, signal })
      // Without pipelining, so that each step has its own reply and duration.
      session.extensions = { ...session.extensions, hasPipelining: false }
      const cancel = () => session.destroy(({ stage }) => cancelledFault(stage))
      signal.addEventListener('abort', cancel, { once: true })
      try {
        const { head } = outgoing
        return await transact(session, outgoing.message, {
          timeouts,
          head,
          isLeaseValid,
          handOver() {},
        })
      } finally {
        signal.removeEventListener('abort', cancel)
        session.quit()
      }
    },
  ).finally(() => tokens?.close())
  const planned = oauth === null ? withoutToken(smtpStages) : smtpStages
  const skipped = (stage: Stage) => whySkipped(stage, dsn, result)
  return {
    stages: recorder.report(planned, skipped),
    transcript: recorder.transcript(),
    result,
  }
}

/** Returns the steps of a transport without OAuth. */
function withoutToken(planned: readonly Stage[]): Stage[] {
  return planned.filter((stage) => stage !== 'token')
}

/** Returns the log-in of the mailbox that a message is sent through: the configured one, or that of the sender. */
function loginOf(mailbox: string | null, message: Message, tokens: AccessTokens): MailboxLogin {
  const address = mailbox ?? senderOf(message) ?? ''
  return { mailbox: address, token: tokens.of(address), isOfSender: mailbox === null }
}

function whySkipped(stage: Stage, { settings }: ParsedSmtpDsn, { fault }: DeliveryResult): string {
  if (fault !== null && smtpStages.indexOf(fault.stage) < smtpStages.indexOf(stage))
    return 'An earlier step failed.'
  if (stage === 'tls')
    return settings.tls === 'none'
      ? 'The DSN disables encryption (auto_tls=0).'
      : 'The server does not offer encryption (STARTTLS), and the DSN does not require it.'
  const hasLogin = settings.credentials !== null || settings.oauth !== null
  return stage === 'auth' && !hasLogin ? 'The DSN has no user.' : 'Not reached.'
}
