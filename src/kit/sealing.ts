import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const nonceSizeBytes = 12
const tagSizeBytes = 16

/** Size of the keys that `seal` and `unseal` take: AES-256. */
export const keySizeBytes = 32

/**
 * Encrypts text with AES-256-GCM (NIST SP 800-38D) under a random 96-bit nonce. `purpose` is
 * authenticated with it, so that what was sealed for one use cannot be passed off for another.
 * Returns nonce, ciphertext and tag in one.
 */
export function seal(key: Uint8Array, purpose: string, plaintext: string | Uint8Array): Buffer {
  const nonce = randomBytes(nonceSizeBytes)
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagSizeBytes })
  cipher.setAAD(Buffer.from(purpose))
  const body = cipher.update(typeof plaintext === 'string' ? Buffer.from(plaintext) : plaintext)
  cipher.final()
  return Buffer.concat([nonce, body, cipher.getAuthTag()])
}

/** Opens what `seal` made with the same key and purpose; throws where anything was changed. */
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
