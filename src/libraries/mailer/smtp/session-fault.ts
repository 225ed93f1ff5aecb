import { FaultError } from '../delivery/fault-error.ts'
import type { Stage } from '../delivery/stage.ts'

/** A reply that a session waits for: the step, what the server replies to, and the time limit. */
export interface AwaitedReply {
  readonly stage: Stage
  /** What the server replies to, for sentences: `MAIL FROM`, `the end of the message`. */
  readonly trigger: string
  readonly timeoutMs: number
}

/** Creates the fault of a connection that ended during the dialogue. */
export function closedFault(
  server: string,
  { stage, trigger }: AwaitedReply,
  cause: unknown,
): FaultError {
  return new FaultError(
    {
      code: 'connection_closed',
      stage,
      message: `${server} closed the connection before it replied to ${trigger}.`,
      ...(stage === 'greeting' && {
        hint: 'The server may refuse connections from this address, or expect TLS from the start: try smtps://.',
      }),
    },
    { cause },
  )
}

/** Creates the fault of a reply that did not come in time. */
export function stalledFault(
  server: string,
  { stage, trigger, timeoutMs }: AwaitedReply,
): FaultError {
  const seconds = timeoutMs / 1000
  if (stage === 'greeting')
    return new FaultError({
      code: 'greeting_missing',
      stage,
      message: `${server} accepted the connection but sent no greeting in ${seconds} s.`,
      hint: 'This port seems to expect TLS from the start: use smtps://. Many hosting providers also block port 25; try 587.',
    })
  return new FaultError({
    code: 'stalled',
    stage,
    message: `${server} stopped responding: no reply in ${seconds} s after ${trigger}.`,
  })
}

/** Creates the fault of a reply that is not SMTP. */
export function garbageFault(
  server: string,
  { stage, trigger }: AwaitedReply,
  excerpt: string,
): FaultError {
  if (stage === 'greeting')
    return new FaultError({
      code: 'not_smtp',
      stage,
      message: `${server} does not speak SMTP (it sent "${excerpt}").`,
    })
  return new FaultError({
    code: 'protocol_violated',
    stage,
    message: `${server} replied to ${trigger} with something that is not an SMTP reply ("${excerpt}").`,
  })
}
