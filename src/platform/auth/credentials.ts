import { type Argon2Parameters, argon2, hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

/** What one hash of Argon2id costs. */
export interface PasswordCost {
  /** KiB. */
  memory: number
  passes: number
  parallelism: number
}

/** OWASP's recommendation for Argon2id: 19 MiB, two passes, a parallelism of one. */
export const defaultPasswordCost: PasswordCost = { memory: 19_456, passes: 2, parallelism: 1 }
const saltSizeBytes = 16
const tagSizeBytes = 32

const derive = promisify<'argon2id', Argon2Parameters, Buffer>(argon2)

/**
 * Hashes a password with Argon2id (RFC 9106). Returns the PHC string, which has cost and salt.
 *
 * @param cost at most the default: `parseStoredHash` rejects a higher one
 */
export async function hashPassword(
  password: string,
  cost: PasswordCost = defaultPasswordCost,
): Promise<string> {
  const nonce = randomBytes(saltSizeBytes)
  const hash = await derive('argon2id', {
    ...cost,
    message: password,
    nonce,
    tagLength: tagSizeBytes,
  })
  const parameters = `m=${cost.memory},t=${cost.passes},p=${cost.parallelism}`
  return `$argon2id$v=19$${parameters}$${encode(nonce)}$${encode(hash)}`
}

/** The parameters of a stored hash. */
export interface StoredHash extends PasswordCost {
  nonce: Buffer
  tagLength: number
  expected: Buffer
}

const phc =
  /^\$argon2id\$v=19\$m=(\d{1,10}),t=(\d{1,10}),p=(\d{1,10})\$([A-Za-z0-9+/]{1,200})\$([A-Za-z0-9+/]{1,200})$/

/**
 * Parses a stored hash. Returns undefined for another format, and for a higher cost than the default, because verifying it
 * could take any time.
 */
export function parseStoredHash(stored: string): StoredHash | undefined {
  const [, memory, passes, parallelism, salt = '', tag = ''] = phc.exec(stored) ?? []
  const expected = Buffer.from(tag, 'base64')
  const parsed = {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    nonce: Buffer.from(salt, 'base64'),
    tagLength: expected.length,
    expected,
  }
  return isWithinCost(parsed) ? parsed : undefined
}

/** The lower bounds are those of Argon2 (RFC 9106, section 3.1). */
function isWithinCost({ memory, passes, parallelism, nonce, tagLength }: StoredHash): boolean {
  const most = defaultPasswordCost
  return (
    isWithin(parallelism, 1, most.parallelism) &&
    isWithin(memory, 8 * parallelism, most.memory) &&
    isWithin(passes, 1, most.passes) &&
    isWithin(nonce.length, 8, saltSizeBytes) &&
    isWithin(tagLength, 4, tagSizeBytes)
  )
}

function isWithin(value: number, min: number, max: number): boolean {
  return value >= min && value <= max
}

/** Whether a password matches a hash. Takes as long as hashing it did. */
export async function verifyPassword(
  password: string,
  { expected, ...parameters }: StoredHash,
): Promise<boolean> {
  const key = await derive('argon2id', { ...parameters, message: password })
  return timingSafeEqual(key, expected)
}

/** PHC strings have no padding. */
function encode(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}

/** Creates a token of 256 random bits, in base64url. */
export function createToken(): string {
  return randomBytes(32).toString('base64url')
}

/** Hashes a token or client secret for storage: SHA-256 in hex. Random tokens need no slow hash. */
export function hashToken(token: string): string {
  return hash('sha256', token)
}

/** Compares secrets or their hashes. The time taken does not tell where they differ. */
export function isSameSecret(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}
