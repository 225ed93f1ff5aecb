import { resolve } from 'node:dns/promises'
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import { asciiDomain } from '../message/ascii-domain.ts'
import type { DkimKeys } from './dkim-keys.ts'
import { afterLineEnd, endOfHeader, type HeaderLine, unfoldedValue } from './header-section.ts'

/** How long the keys of a message are looked up, all together. */
const lookUpMs = 2_000
/** How long the keys of a domain are not looked up again after that. */
const silenceMs = 60_000
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

type Resolve = NonNullable<DkimKeys['resolver']>

/** Verifies the signatures that messages have already. */
export class SignatureVerifier {
  readonly #resolve: Resolve
  readonly #clock: Clock
  /** Until when the keys of a domain are not looked up. Only domains that have a key are verified, so they are few. */
  readonly #silentUntil = new Map<string, number>()

  constructor(clock: Clock, resolver: Resolve = resolve) {
    this.#clock = clock
    this.#resolve = resolver
  }

  /**
   * Whether a message has a signature of a domain that is valid, or cannot be verified now: then another one would be of
   * no use. Signatures of other domains are not looked at.
   *
   * A message that waits for DNS takes the place of another one. So a domain whose keys were looked up in vain is not asked
   * again for a minute: its signatures count as valid until then.
   */
  async hasSignature(domain: string, { fields, raw }: SignedMessage): Promise<boolean> {
    const signatures = fields.filter((field) => signatureDomain(field) === domain)
    if (signatures.length === 0) return false
    const verified = new Set(signatures.slice(0, signaturesMax))
    const lines = fields.filter((field) => verified.has(field) || !isSignature(field))
    if (raw.length > limits.bodyBytes || isLongHead(lines) || this.#isSilent(domain)) return true
    const body = raw.subarray(afterLineEnd(raw, endOfHeader(raw)))
    const head = Buffer.from(`${lines.map(({ line }) => line).join('\r\n')}\r\n\r\n`, 'latin1')
    // Loaded for such a message only, because loading it takes long.
    const { dkimVerify } = await import('mailauth/lib/dkim/verify.js')
    const lookUps = new KeyLookUps(this.#resolve)
    const pieces = Readable.from(piecesOf(Buffer.concat([head, body])))
    const { results } = await dkimVerify(pieces, { resolver: lookUps.resolver })
    if (lookUps.isOver) this.#silentUntil.set(domain, this.#clock.now() + silenceMs)
    return results.some(({ status: { result } }) => result === 'pass' || result === 'temperror')
  }

  #isSilent(domain: string): boolean {
    const remainingMs = (this.#silentUntil.get(domain) ?? 0) - this.#clock.now()
    // More than a minute remains only where the clock was set back.
    return remainingMs > 0 && remainingMs <= silenceMs
  }
}

/** The look-ups of one verification, which share their time limit. */
class KeyLookUps {
  /** Whether DNS did not answer in time. */
  isOver = false
  readonly #resolve: Resolve
  #endsAt: number | undefined

  constructor(resolve: Resolve) {
    this.#resolve = resolve
  }

  readonly resolver: Resolve = async (name, type) => {
    if (this.isOver) throw noAnswer()
    this.#endsAt ??= performance.now() + lookUpMs
    const { promise: late, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      this.isOver = true
      reject(noAnswer())
    }, this.#endsAt - performance.now())
    try {
      return await Promise.race([this.#resolve(name, type), late])
    } finally {
      clearTimeout(timer)
    }
  }
}

function noAnswer(): Error {
  return Object.assign(new Error('DNS did not answer in time.'), { code: 'ETIMEOUT' })
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
