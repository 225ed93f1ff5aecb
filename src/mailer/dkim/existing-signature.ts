import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { asciiDomain } from '../message/ascii-domain.ts'
import type { DkimKeys } from './dkim-keys.ts'
import { afterLineEnd, endOfHeader, type HeaderLine, unfoldedValue } from './header-section.ts'

/** How long a verification waits for DNS. */
const verificationMs = 10_000
/** How many signatures of the domain are verified, the first ones. Each is a look-up. */
const signaturesMax = 3
/**
 * A message with more is taken as signed, because verifying it would hold up the process: the work grows with the square of
 * the lines of a header.
 */
const limits = { bodyBytes: 2 * 1024 * 1024, headBytes: 64 * 1024, headLines: 1_000, fields: 300 }
/** So much is verified before other work of the process has its turn. */
const pieceBytes = 64 * 1024

/** The message whose signatures are verified. */
interface SignedMessage {
  readonly fields: readonly HeaderLine[]
  /** Its line ends are CRLF. */
  readonly raw: Buffer
}

/**
 * Whether a message has a signature of a domain that is valid, or cannot be verified now: then another one would be of no
 * use. Signatures of other domains are not looked at.
 */
export async function hasSignatureOf(
  domain: string,
  { fields, raw }: SignedMessage,
  resolver: DkimKeys['resolver'],
): Promise<boolean> {
  const signatures = fields.filter((field) => signatureDomain(field) === domain)
  if (signatures.length === 0) return false
  const verified = new Set(signatures.slice(0, signaturesMax))
  const lines = fields.filter((field) => verified.has(field) || !isSignature(field))
  if (raw.length > limits.bodyBytes || isLongHead(lines)) return true
  const body = raw.subarray(afterLineEnd(raw, endOfHeader(raw)))
  const head = Buffer.from(`${lines.map(({ line }) => line).join('\r\n')}\r\n\r\n`, 'latin1')
  // Loaded for such a message only, because loading it takes long.
  const { dkimVerify } = await import('mailauth/lib/dkim/verify.js')
  const deadline = new AbortController()
  try {
    const pieces = Readable.from(piecesOf(Buffer.concat([head, body])))
    const verification = dkimVerify(pieces, resolver ? { resolver } : {})
    const results = await Promise.race([verification, timeout(deadline.signal)])
    return (
      results === undefined ||
      results.results.some(
        ({ status }) => status.result === 'pass' || status.result === 'temperror',
      )
    )
  } finally {
    deadline.abort()
  }
}

function isLongHead(fields: readonly HeaderLine[]): boolean {
  if (fields.length > limits.fields) return true
  let [bytes, lines] = [0, 0]
  for (const { line } of fields) {
    bytes += line.length
    if (bytes > limits.headBytes) return true
    lines += line.split('\n').length
  }
  return lines > limits.headLines
}

async function* piecesOf(message: Buffer): AsyncGenerator<Buffer> {
  for (let start = 0; start < message.length; start += pieceBytes) {
    yield message.subarray(start, start + pieceBytes)
    await setImmediate()
  }
}

/** Resolves with undefined when the time is over. */
function timeout(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), verificationMs)
    signal.addEventListener('abort', () => clearTimeout(timer))
  })
}

/** The fields that dkimVerify looks up keys for. */
function isSignature({ name }: HeaderLine): boolean {
  return name === 'dkim-signature' || name.startsWith('arc-')
}

function signatureDomain(field: HeaderLine): string | undefined {
  if (field.name !== 'dkim-signature') return undefined
  const [, domain] = /(?:^|;)[ \t]*d[ \t]*=[ \t]*([^; \t]+)/.exec(unfoldedValue(field)) ?? []
  return domain === undefined
    ? undefined
    : asciiDomain(Buffer.from(domain, 'latin1').toString('utf8'))
}
