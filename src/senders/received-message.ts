import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { DKIMResult } from 'mailauth'
import { parseDkimKey, type Resolve } from '../dns/index.ts'
import { AppError } from '../kit/app-error.ts'
import { oneLine } from '../kit/one-line.ts'
import { asciiDomain, readHeaders } from '../mailer/index.ts'
import { type ReceivingServer, readReceivingServer } from './trusted-results.ts'

/** A DKIM signature of a received message. */
export interface ReceivedSignature {
  /** The domain that signed (`d=`), in lower-case ASCII. */
  domain: string
  selector: string
  /** `unknown`: the key is not in DNS (any more), the look-up failed, or the signature expired. */
  result: 'pass' | 'fail' | 'unknown'
  /** A sentence; empty for a pass. */
  detail: string
  /** When the server says that it signed (`t=`), in milliseconds since the epoch; null where it does not say. */
  signedAt: number | null
  /** The key that the signature was verified with, as `findDkimKey` has it; empty where there is none. */
  publicKey: string
}

/** A message as a server received it. */
export interface ReceivedMessage extends ReceivingServer {
  /** The domains in From, in lower-case ASCII. */
  from: string[]
  /** With its angle brackets. */
  messageId: string | null
  /** As it is written. */
  date: string | null
  /** Verified now, with the keys that are in DNS now. */
  signatures: ReceivedSignature[]
}

/** More than a test message has. */
const bytesMax = 2_000_000
const signaturesMax = 10

// The work for a header grows with the square of its lines, and for a signature with the fields that it names.
const headBytesMax = 262_144
const headLinesMax = 4_000
const fieldsMax = 1_000
const signatureLengthMax = 8_192
const fromLengthMax = 16_384

/** Ten signatures of ten lengths are ten hashes. */
const chunkBytes = 8_192
const textLengthMax = 998

/**
 * Verifies the signatures of a received message, and reads what the server that received it says.
 *
 * @param source The source of the message. Line ends of any kind are read as CRLF.
 * @param options.resolver Looks the keys up, within its own limits. It rejects with errors that have a `code`.
 * @throws AppError `too_large` and `invalid` for what is no message that is verified; the reason of the signal.
 * @see RFC 6376, RFC 8601
 */
export async function verifyReceived(
  source: Uint8Array,
  { resolver, signal }: { resolver: Resolve; signal: AbortSignal },
): Promise<ReceivedMessage> {
  if (source.length > bytesMax) {
    throw new AppError('too_large', 'message_too_large', 'The message has more than 2 MB.')
  }
  const message = normalize(source)
  checkHead(message)
  const headers = readHeaders(message)
  const findValue = (name: string) =>
    headers.find((header) => header.name.toLowerCase() === name)?.value
  const { dkimVerify } = await import('mailauth/lib/dkim/verify.js')
  const { results, headerFrom } = await dkimVerify(Readable.from(readChunks(message, signal)), {
    strict: true,
    resolver: async (name, type) => (await resolver(name, type)) as string[][],
  })
  const signed = results.filter(({ status }) => status.result !== 'none')
  return {
    from: readFrom(headerFrom ?? []),
    messageId: readText(findValue('message-id')),
    date: readText(findValue('date')),
    signatures: signed.map(describeSignature),
    ...readReceivingServer(headers),
  }
}

/** Reads line ends of any kind as CRLF, and leaves out what a mailbox file has before the message. */
function normalize(source: Uint8Array): Buffer {
  const text = Buffer.from(source.buffer, source.byteOffset, source.length).toString('latin1')
  const start = /^(?:\xEF\xBB\xBF)?[\r\n]{0,100}(?:From [^\r\n]{0,1000}(?:\r\n|\r|\n))?/.exec(
    text,
  )?.[0].length
  return Buffer.from(text.slice(start).replace(/\r\n|\r|\n/g, '\r\n'), 'latin1')
}

/** Refuses a head that would take long to read. Those of mail servers are far below. */
function checkHead(message: Buffer): void {
  const end = message.indexOf('\r\n\r\n')
  const headBytes = end === -1 ? message.length : end
  const lines =
    headBytes > headBytesMax ? [] : message.toString('latin1', 0, headBytes).split('\r\n')
  const fields = lines.filter((line) => /^[!-9;-~]/.test(line)).length
  if (headBytes > headBytesMax || lines.length > headLinesMax || fields > fieldsMax) {
    throw refuse(
      `Its header has more than ${headBytesMax / 1_024} KB, ${headLinesMax} lines or ${fieldsMax} fields.`,
    )
  }
  const headers = readHeaders(message)
  const signatures = headers.filter(({ name }) => isSignature(name))
  if (signatures.length > signaturesMax) {
    throw refuse(`It has ${signatures.length} signatures; at most ${signaturesMax} are verified.`)
  }
  if (signatures.some(({ value }) => value.length > signatureLengthMax)) {
    throw refuse(`A signature has more than ${signatureLengthMax / 1_024} KB.`)
  }
  const senders = headers.filter(({ name }) => name.toLowerCase() === 'from')
  if (senders.some(({ value }) => value.length > fromLengthMax)) {
    throw refuse(`From has more than ${fromLengthMax / 1_024} KB.`)
  }
}

function isSignature(name: string): boolean {
  return /^(?:dkim-signature|arc-message-signature)$/i.test(name)
}

function refuse(why: string): AppError {
  return new AppError('invalid', 'message_not_verifiable', `The message cannot be verified. ${why}`)
}

/** Yields the message in pieces, so that other work has its turn. */
async function* readChunks(message: Buffer, signal: AbortSignal): AsyncGenerator<Buffer> {
  for (let start = 0; start < message.length; start += chunkBytes) {
    signal.throwIfAborted()
    yield message.subarray(start, start + chunkBytes)
    await setImmediate()
  }
}

function readFrom(addresses: readonly string[]): string[] {
  const domains = addresses.flatMap(
    (address) => asciiDomain(address.slice(address.lastIndexOf('@') + 1).trim()) ?? [],
  )
  return [...new Set(domains)]
}

function readText(value: string | undefined): string | null {
  const text = oneLine(value ?? '', textLengthMax)
  return text === '' ? null : text
}

function describeSignature({
  signingDomain,
  selector,
  status,
  rr,
  signTime,
}: DKIMResult): ReceivedSignature {
  const domain = signingDomain ?? ''
  const key = rr === undefined ? undefined : parseDkimKey(rr)
  return {
    domain: asciiDomain(domain) ?? oneLine(domain, textLengthMax),
    selector: oneLine(selector ?? '', textLengthMax).toLowerCase(),
    ...describeStatus(status),
    signedAt: signTime ? Date.parse(signTime) : null,
    publicKey: key === undefined || 'problem' in key ? '' : key.key,
  }
}

function describeStatus({
  result,
  comment,
}: DKIMResult['status']): Pick<ReceivedSignature, 'result' | 'detail'> {
  if (result === 'pass') return { result: 'pass', detail: '' }
  const reason = typeof comment === 'string' ? oneLine(comment, textLengthMax) : ''
  if (result === 'temperror')
    return { result: 'unknown', detail: 'The key could not be looked up.' }
  if (reason === 'no key') return { result: 'unknown', detail: 'The key is not in DNS.' }
  if (reason === 'expired') return { result: 'unknown', detail: 'The signature has expired.' }
  if (reason === 'body hash did not verify') {
    return { result: 'fail', detail: 'The body was changed after it was signed.' }
  }
  if (reason === 'bad signature') {
    return {
      result: 'fail',
      detail: 'A signed header was changed after it was signed, or the key is another one.',
    }
  }
  if (result === 'policy')
    return { result: 'fail', detail: 'The key or the algorithm is too weak.' }
  return { result: 'fail', detail: `The signature is not valid: ${reason}.` }
}
