import { FaultError } from '../delivery/fault-error.ts'
import type { AwaitedReply } from './awaited-reply.ts'

/** The connection ended in the middle of a dialogue. */
export function closedFault(
  server: string,
  { stage, what }: AwaitedReply,
  cause: unknown,
): FaultError {
  const isGreeting = stage === 'greeting'
  return new FaultError(
    {
      code: 'connection_closed',
      stage,
      message: `${server} closed the connection while it was to answer ${what}.`,
      hint: isGreeting
        ? 'The server may not accept connections from this address, or expect TLS from the start: try smtps://.'
        : 'Try again; if it happens every time, the reason is in the log of the server.',
    },
    { cause },
  )
}

/** Somebody on our side ended the delivery. */
export function cancelledFault({ stage }: Pick<AwaitedReply, 'stage'>): FaultError {
  return new FaultError({
    code: 'cancelled',
    scope: 'message',
    stage,
    message: 'The delivery was cancelled.',
  })
}

/** No answer came in time. */
export function stalledFault(server: string, { stage, what, timeoutMs }: AwaitedReply): FaultError {
  const seconds = timeoutMs / 1000
  if (stage === 'greeting')
    return new FaultError({
      code: 'greeting_missing',
      stage,
      message: `${server} accepted the connection but did not say anything in ${seconds} s.`,
      hint: 'This port seems to expect TLS from the start: use smtps://. Many hosting providers also block port 25; try 587.',
    })
  return new FaultError({
    code: 'stalled',
    stage,
    message: `${server} stopped answering: nothing came in ${seconds} s after ${what}.`,
    hint: 'Try again later; the server is overloaded or the network loses packets.',
  })
}

/** What came is no SMTP. */
export function garbageFault(
  server: string,
  { stage, what }: AwaitedReply,
  excerpt: string,
): FaultError {
  if (stage === 'greeting')
    return new FaultError({
      code: 'not_smtp',
      stage,
      message: `${server} does not speak SMTP (answer: "${excerpt}").`,
      hint: 'Check the port: 587, 465 or 25 for a mail server.',
    })
  return new FaultError({
    code: 'protocol_violated',
    stage,
    message: `${server} answered ${what} with what is no SMTP reply ("${excerpt}").`,
    hint: 'Something between here and the server may be changing the connection; the log of the server helps.',
  })
}
