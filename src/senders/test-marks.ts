import { createHmac, timingSafeEqual } from 'node:crypto'
import { type Keyring, openSigningKey, type Storage } from '../storage/index.ts'

/** The header field of test messages that says what they were sent through. */
export const testMarkHeader = 'X-Mailyard-Test'

/** What a test message was sent through. */
export interface TestMark {
  transportId: number
  /** Scheme, host and port. */
  member: string
  /** The domain in From, in lower-case ASCII. */
  domain: string
  recipient: string
  /** A keyed hash of the DSN: a test of unsaved values proves nothing of the stored ones. */
  dsnKey: string
  /** When it was sent, in milliseconds since the epoch. */
  sentAt: number
}

/** A mark is three hundred bytes. */
const lengthMax = 2_000

/**
 * The marks of test messages. Test messages are not in the delivery log: their header says what they were sent through, with a
 * code that only this installation can compute.
 */
export class TestMarks {
  readonly #key: Buffer

  private constructor(key: Buffer) {
    this.#key = key
  }

  static async open(parts: { storage: Storage; keyring: Keyring }): Promise<TestMarks> {
    return new TestMarks(await openSigningKey(parts, 'test messages'))
  }

  dsnKeyOf(dsn: string): string {
    return createHmac('sha256', this.#key).update(`dsn ${dsn}`).digest('base64url').slice(0, 22)
  }

  /** Returns the value of the header field. */
  write({ transportId, member, domain, recipient, dsnKey, sentAt }: TestMark): string {
    const text = JSON.stringify([transportId, member, domain, recipient, dsnKey, sentAt])
    const encoded = Buffer.from(text).toString('base64url')
    return `${encoded}.${this.#codeOf(encoded).toString('base64url')}`
  }

  /** Reads the value of the header field; undefined where this installation did not write it. */
  read(value: string): TestMark | undefined {
    const [encoded = '', code = '', ...more] = value.trim().slice(0, lengthMax).split('.')
    const expected = this.#codeOf(encoded)
    const actual = Buffer.from(code, 'base64url')
    if (more.length > 0 || actual.length !== expected.length) return undefined
    if (!timingSafeEqual(actual, expected)) return undefined
    const [transportId, member, domain, recipient, dsnKey, sentAt] = JSON.parse(
      Buffer.from(encoded, 'base64url').toString(),
    ) as [number, string, string, string, string, number]
    return { transportId, member, domain, recipient, dsnKey, sentAt }
  }

  #codeOf(encoded: string): Buffer {
    return createHmac('sha256', this.#key).update(`mark ${encoded}`).digest().subarray(0, 16)
  }
}
