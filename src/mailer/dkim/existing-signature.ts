import { asciiDomain } from './author-domain.ts'
import type { DkimKeys } from './dkim-keys.ts'
import { afterLineEnd, endOfHeader, type HeaderLine, unfoldedValue } from './header-section.ts'

/** How long a verification waits for DNS. */
const verificationMs = 10_000
/** How many signatures of the domain are verified, the first ones. Each is a look-up. */
const signaturesMax = 3
/** A longer message is taken as signed, because verifying it would hold up the process. */
const messageBytesMax = 10 * 1024 * 1024

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
  if (raw.length > messageBytesMax) return true
  const verified = new Set(signatures.slice(0, signaturesMax))
  const lines = fields.filter((field) => verified.has(field) || !isSignature(field))
  const body = raw.subarray(afterLineEnd(raw, endOfHeader(raw)))
  const head = Buffer.from(`${lines.map(({ line }) => line).join('\r\n')}\r\n\r\n`, 'latin1')
  // Loaded for such a message only, because loading it takes long.
  const { dkimVerify } = await import('mailauth/lib/dkim/verify.js')
  const deadline = new AbortController()
  try {
    const verification = dkimVerify(Buffer.concat([head, body]), resolver ? { resolver } : {})
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
