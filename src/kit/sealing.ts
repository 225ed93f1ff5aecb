import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

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
  const nonce = randomBytes(nonceSizeBytes)
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagSizeBytes })
  cipher.setAAD(Buffer.from(purpose))
  const body = cipher.update(typeof plaintext === 'string' ? Buffer.from(plaintext) : plaintext)
  cipher.final()
  return Buffer.concat([nonce, body, cipher.getAuthTag()])
}

/** Decrypts the result of `seal` with the same key and purpose. Throws when anything was changed. */
export function unseal(key: Uint8Array, purpose: string, sealed: Uint8Array): Buffer {
  if (sealed.length < nonceSizeBytes + tagSizeBytes)
    throw new Error('The sealed text is cut short.')
  const nonce = sealed.subarray(0, nonceSizeBytes)
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagSizeBytes })
  decipher.setAAD(Buffer.from(purpose))
  decipher.setAuthTag(sealed.subarray(-tagSizeBytes))
  const plaintext = decipher.update(sealed.subarray(nonceSizeBytes, -tagSizeBytes))
  decipher.final()
  return plaintext
}
