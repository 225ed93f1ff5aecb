import { FaultError, uncertainFault } from '../delivery/fault-error.ts'
import { requireLease, type SendOptions } from '../delivery/transport.ts'
import type { Message } from '../message/message.ts'
import { dataFault } from './message-fault.ts'
import type { SessionTimeouts } from './session-context.ts'
import { type AwaitedReply, garbageFault } from './session-fault.ts'
import { isPositive, type SmtpReply } from './smtp-reply.ts'
import type { SmtpSession } from './smtp-session.ts'

interface DataOptions extends Pick<SendOptions, 'isLeaseValid'> {
  readonly timeouts: SessionTimeouts
  readonly head: string
  readonly handOver: () => void
}

/** Larger messages are sent in chunks, so that a fault before the last chunk is known to be a refusal. */
const pieceBytes = 64 * 1024

/**
 * Sends the bytes of a message after 354 and waits for the reply. Before the last chunk is written to the socket the
 * server cannot have the message, so a fault is a refusal. After it, a fault is uncertain, unless the server refuses the
 * message itself.
 */
export async function sendData(
  session: SmtpSession,
  message: Message,
  { timeouts, head, handOver, isLeaseValid }: DataOptions,
): Promise<SmtpReply> {
  const data = encodeData(head, message.raw)
  session.observer.sent(`(${data.length} bytes)`)
  const lastPiece = await sendPieces(session, data, timeouts)
  try {
    requireLease({ isLeaseValid }, 'data')
  } catch (error) {
    // Only closing the connection keeps the server from waiting for the rest.
    session.destroy()
    throw error
  }
  session.gather()
  session.write(lastPiece)
  const awaited: AwaitedReply = {
    stage: 'data',
    trigger: 'the end of the message',
    timeoutMs: timeouts.dataMs,
  }
  const respond = session.readReply(awaited)
  handOver()
  const reply = await respond.catch((error: unknown) => {
    throw error instanceof FaultError ? uncertain(error) : error
  })
  if (isPositive(reply)) return reply
  if (reply.code >= 400) throw dataFault(session, reply)
  session.destroy()
  throw uncertain(garbageFault(session.server, awaited, String(reply.code)))
}

/**
 * Sends all chunks but the last, each when the socket is writable. Returns the last chunk once the socket is
 * writable.
 */
async function sendPieces(
  session: SmtpSession,
  data: Buffer,
  { commandMs }: SessionTimeouts,
): Promise<Buffer> {
  const awaited: AwaitedReply = { stage: 'data', trigger: 'the message', timeoutMs: commandMs }
  let offset = 0
  while (true) {
    await session.drain(awaited)
    if (session.hasReply) throw await refusedEarly(session, awaited)
    if (data.length - offset <= pieceBytes) return data.subarray(offset)
    session.write(data.subarray(offset, offset + pieceBytes))
    offset += pieceBytes
  }
}

/** Handles a reply during the message: it is a refusal, and only closing the connection ends the transfer. */
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
  return uncertainFault(error, {
    doubt: 'the message may have arrived',
    hint: 'Look for it in the log of the server, or ask the recipient, before sending it again.',
  })
}

const carriageReturn = 0x0d
const lineFeed = 0x0a
const dot = 0x2e

/** A lone CR or LF, or a line that starts with a dot. */
const needsRewriting = /\r(?!\n)|(?<!\r)\n|\n\.|^\./
const terminator = Buffer.from('\r\n.\r\n')

/**
 * Encodes a message for DATA: `head` in front, dot-stuffing, the final line with a single dot. Lone CRs and LFs become
 * CRLF, because a server that reads them as line ends could find an end of data, and commands, inside the message (SMTP
 * smuggling).
 * @see RFC 5321, section 4.5.2
 */
export function encodeData(head: string, raw: Uint8Array): Buffer {
  const body = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
  const clean = needsRewriting.test(body.toString('latin1')) ? rewrite(body) : body
  const endsLine = clean.length >= 2 && clean[clean.length - 1] === lineFeed
  const end = endsLine || clean.length === 0 ? terminator.subarray(2) : terminator
  const headLength = Buffer.byteLength(head)
  const data = Buffer.allocUnsafe(headLength + clean.length + end.length)
  data.write(head)
  data.set(clean, headLength)
  data.set(end, headLength + clean.length)
  return data
}

function rewrite(body: Buffer): Buffer {
  // In the worst case every byte is a lone line end or a dot on its own line.
  const clean = Buffer.allocUnsafe(body.length * 2)
  let length = 0
  let isLineStart = true
  for (let index = 0; index < body.length; index += 1) {
    const byte = body[index] ?? 0
    if (byte === carriageReturn || byte === lineFeed) {
      if (byte === carriageReturn && body[index + 1] === lineFeed) index += 1
      clean[length++] = carriageReturn
      clean[length++] = lineFeed
      isLineStart = true
      continue
    }
    if (isLineStart && byte === dot) clean[length++] = dot
    clean[length++] = byte
    isLineStart = false
  }
  return clean.subarray(0, length)
}
