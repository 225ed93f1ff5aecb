import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

/** OWASP's recommendation for Argon2id: 19 MiB, two passes, one lane. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 }
const saltSizeBytes = 16
const tagSizeBytes = 32

const derive = promisify<'argon2id', Argon2Parameters, Buffer>(argon2)

/** Hashes a password with Argon2id (RFC 9106); returns the PHC string, cost and salt included. */
export async function hashPassword(password: string): Promise<string> {
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

const phc = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

/** Whether the password is the one that was hashed, at the cost it was hashed with. */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [, memory, passes, parallelism, salt = '', expected = ''] = phc.exec(stored) ?? []
  const wanted = Buffer.from(expected, 'base64')
  if (wanted.length === 0) return false
  const given = await derive('argon2id', {
    message: password,
    nonce: Buffer.from(salt, 'base64'),
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    tagLength: wanted.length,
  })
  return timingSafeEqual(given, wanted)
}

/** PHC strings leave the padding out. */
function encode(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}
