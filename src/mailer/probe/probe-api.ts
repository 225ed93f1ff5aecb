import type { Stage } from '../delivery/stage.ts'
import type { ParsedApiDsn } from '../dsn/parsed-dsn.ts'
import type { MailerContext } from '../mailer-context.ts'
import type { Message } from '../message/message.ts'
import { explainers, openApi } from '../transports/open-transport.ts'
import type { Probe } from './probe.ts'
import { StageRecorder } from './stage-recorder.ts'

const apiStages: readonly Stage[] = ['parse', 'resolve', 'connect', 'tls', 'request']

/** Sends one message over a connection of its own to the provider's API and watches every step. */
export async function probeApi(
  dsn: ParsedApiDsn,
  message: Message,
  { context, signal }: { context: MailerContext; signal: AbortSignal },
): Promise<Probe> {
  const recorder = new StageRecorder(explainers(dsn).redact)
  recorder.enter('parse')
  recorder.found(`${dsn.label}: ${dsn.adapter.endpoint}.`)
  const transport = openApi(dsn, context, recorder)
  const result = await transport.send(message, { signal })
  await transport.close()
  // What is refused before the request is refused for the request's sake.
  if (result.fault !== null)
    recorder.fail({
      ...result.fault,
      stage: apiStages.includes(result.fault.stage) ? result.fault.stage : 'request',
    })
  else if (result.messageId !== null) recorder.found(`Accepted as ${result.messageId}.`)
  return {
    stages: recorder.report(apiStages, () => 'An earlier step failed.'),
    transcript: recorder.transcript(),
    result,
  }
}
