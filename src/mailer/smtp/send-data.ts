import { FaultError } from '../delivery/fault-error.ts'
import type { Message } from '../message/message.ts'
import type { AwaitedReply } from './awaited-reply.ts'
import { encodeData } from './encode-data.ts'
import { dataFault } from './message-fault.ts'
import type { SessionTimeouts } from './session-context.ts'
import { garbageFault } from './session-fault.ts'
import { isPositive, type SmtpReply } from './smtp-reply.ts'
import type { SmtpSession } from './smtp-session.ts'

interface DataOptions {
  readonly timeouts: SessionTimeouts
  readonly head: string
  readonly handOver: () => void
}

/** Larger messages go out in pieces, so that a fault before the last one is known to be one. */
const pieceBytes = 64 * 1024

/**
 * Sends the bytes of a message after 354 and waits for the server's word on it. Until the last piece is
 * handed over the server cannot have the message, so a fault is no more than a refusal; from then on
 * it is uncertain, unless the server itself says no.
 */
export async function sendData(
  session: SmtpSession,
  message: Message,
  { timeouts, head, handOver }: DataOptions,
): Promise<SmtpReply> {
  const data = encodeData(head, message.raw)
  session.observer.sent(`(${data.length} bytes)`)
  const lastPiece = await sendPieces(session, data, timeouts)
  session.gather()
  session.write(lastPiece)
  const awaited: AwaitedReply = {
    stage: 'data',
    what: 'the end of the message',
    timeoutMs: timeouts.dataMs,
  }
  const answer = session.readReply(awaited)
  handOver()
  const reply = await answer.catch((error: unknown) => {
    throw error instanceof FaultError ? uncertain(error) : error
  })
  if (isPositive(reply)) return reply
  if (reply.code >= 400) throw dataFault(session, reply)
  session.destroy()
  throw uncertain(garbageFault(session.server, awaited, String(reply.code)))
}

/** Sends all but the last piece, each when the socket takes it; returns the last, for when it takes that. */
async function sendPieces(
  session: SmtpSession,
  data: Buffer,
  { commandMs }: SessionTimeouts,
): Promise<Buffer> {
  const awaited: AwaitedReply = { stage: 'data', what: 'the message', timeoutMs: commandMs }
  let offset = 0
  while (true) {
    await session.drain(awaited)
    if (session.hasReply) throw await refusedEarly(session, awaited)
    if (data.length - offset <= pieceBytes) return data.subarray(offset)
    session.write(data.subarray(offset, offset + pieceBytes))
    offset += pieceBytes
  }
}

/** A server that answers in the middle of a message has had enough of it; nothing but closing stops it. */
async function refusedEarly(session: SmtpSession, awaited: AwaitedReply): Promise<FaultError> {
  const reply = await session.readReply(awaited)
  const fault =
    reply.code >= 400
      ? dataFault(session, reply)
      : garbageFault(session.server, awaited, `${reply.code} too early`)
  session.destroy()
  return fault
}

function uncertain(error: FaultError): FaultError {
  const { fault } = error
  return new FaultError(
    {
      ...fault,
      message: `${fault.message.replace(/\.$/, '')}; the message may have arrived.`,
      hint: 'Look for it in the log of the server, or ask the recipient, before sending it again.',
    },
    { cause: error.cause, isUncertain: true },
  )
}
