import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { largeBytes, pause } from './pause.ts'

const nonceSizeBytes = 12
const tagSizeBytes = 16

/** The size of the keys of `seal` and `unseal`: AES-256. */
export const keySizeBytes = 32

/**
 * Encrypts text with AES-256-GCM (NIST SP 800-38D) under a random 96-bit nonce. `purpose` is authenticated: text that was
 * encrypted for one purpose cannot be decrypted for another.
 *
 * @returns Nonce, ciphertext and tag, joined.
 */
export function seal(key: Uint8Array, purpose: string, plaintext: string | Uint8Array): Buffer {
  const { nonce, cipher } = openCipher(key, purpose)
  const body = cipher.update(typeof plaintext === 'string' ? Buffer.from(plaintext) : plaintext)
  cipher.final()
  return Buffer.concat([nonce, body, cipher.getAuthTag()])
}

/** Does the same as `seal`. The event loop turns after each megabyte. */
export async function sealLarge(
  key: Uint8Array,
  purpose: string,
  plaintext: Uint8Array,
): Promise<Buffer> {
  const { nonce, cipher } = openCipher(key, purpose)
  const body = await inPieces(plaintext, (piece) => cipher.update(piece))
  cipher.final()
  return Buffer.concat([nonce, ...body, cipher.getAuthTag()])
}

/** Decrypts the result of `seal` with the same key and purpose. Throws when anything was changed. */
export function unseal(key: Uint8Array, purpose: string, sealed: Uint8Array): Buffer {
  const decipher = openDecipher(key, purpose, sealed)
  const plaintext = decipher.update(ciphertextOf(sealed))
  decipher.final()
  return plaintext
}

/** Does the same as `unseal`. The event loop turns after each megabyte. */
export async function unsealLarge(
  key: Uint8Array,
  purpose: string,
  sealed: Uint8Array,
): Promise<Buffer> {
  const decipher = openDecipher(key, purpose, sealed)
  const pieces = await inPieces(ciphertextOf(sealed), (piece) => decipher.update(piece))
  decipher.final()
  return Buffer.concat(pieces)
}

function openCipher(key: Uint8Array, purpose: string) {
  const nonce = randomBytes(nonceSizeBytes)
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagSizeBytes })
  cipher.setAAD(Buffer.from(purpose))
  return { nonce, cipher }
}

function openDecipher(key: Uint8Array, purpose: string, sealed: Uint8Array) {
  if (sealed.length < nonceSizeBytes + tagSizeBytes)
    throw new Error('The sealed text is cut short.')
  const nonce = sealed.subarray(0, nonceSizeBytes)
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagSizeBytes })
  decipher.setAAD(Buffer.from(purpose))
  decipher.setAuthTag(sealed.subarray(-tagSizeBytes))
  return decipher
}

function ciphertextOf(sealed: Uint8Array): Uint8Array {
  return sealed.subarray(nonceSizeBytes, -tagSizeBytes)
}

async function inPieces(
  bytes: Uint8Array,
  transform: (piece: Uint8Array) => Buffer,
): Promise<Buffer[]> {
  const pieces: Buffer[] = []
  for (let at = 0; at < bytes.length; at += largeBytes) {
    if (at > 0) await pause()
    pieces.push(transform(bytes.subarray(at, at + largeBytes)))
  }
  return pieces
}
