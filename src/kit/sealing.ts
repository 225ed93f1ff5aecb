import {
  type Cipheriv,
  type CipherKey,
  createCipheriv,
  createDecipheriv,
  type Decipheriv,
  randomBytes,
} from 'node:crypto'
import { pause } from './pause.ts'

const nonceSizeBytes = 12
const tagSizeBytes = 16
/** How much is transformed without a turn of the event loop: less than a millisecond. */
const pieceBytes = 512 * 1024

/** The size of the keys of `seal` and `unseal`: AES-256. */
export const keySizeBytes = 32

/**
 * Encrypts text with AES-256-GCM (NIST SP 800-38D) under a random 96-bit nonce. `purpose` is authenticated: text that was
 * encrypted for one purpose cannot be decrypted for another.
 *
 * @returns Nonce, ciphertext and tag, joined.
 */
export function seal(key: CipherKey, purpose: string, plaintext: string | Uint8Array): Buffer {
  const { nonce, cipher } = openCipher(key, purpose)
  const body = cipher.update(typeof plaintext === 'string' ? Buffer.from(plaintext) : plaintext)
  cipher.final()
  return Buffer.concat([nonce, body, cipher.getAuthTag()])
}

/** Does the same as `seal` with text in chunks. The event loop turns between pieces of it. */
export async function sealLarge(
  key: CipherKey,
  purpose: string,
  chunks: readonly Uint8Array[],
): Promise<Buffer> {
  const { nonce, cipher } = openCipher(key, purpose)
  const sizeBytes = chunks.reduce((sum, { length }) => sum + length, 0)
  const sealed = Buffer.allocUnsafeSlow(nonceSizeBytes + sizeBytes + tagSizeBytes)
  sealed.set(nonce)
  const end = await transformInto(sealed, chunks, { at: nonceSizeBytes, cipher })
  cipher.final()
  sealed.set(cipher.getAuthTag(), end)
  return sealed
}

/** Decrypts the result of `seal` with the same key and purpose. Throws when anything was changed. */
export function unseal(key: CipherKey, purpose: string, sealed: Uint8Array): Buffer {
  const decipher = openDecipher(key, purpose, sealed)
  const plaintext = decipher.update(ciphertextOf(sealed))
  decipher.final()
  return plaintext
}

/** Does the same as `unseal`. The event loop turns between pieces of it. */
export async function unsealLarge(
  key: CipherKey,
  purpose: string,
  sealed: Uint8Array,
): Promise<Buffer> {
  const decipher = openDecipher(key, purpose, sealed)
  const ciphertext = ciphertextOf(sealed)
  const plaintext = Buffer.allocUnsafeSlow(ciphertext.length)
  await transformInto(plaintext, [ciphertext], { at: 0, cipher: decipher })
  decipher.final()
  return plaintext
}

function openCipher(key: CipherKey, purpose: string) {
  const nonce = randomBytes(nonceSizeBytes)
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagSizeBytes })
  cipher.setAAD(Buffer.from(purpose))
  return { nonce, cipher }
}

function openDecipher(key: CipherKey, purpose: string, sealed: Uint8Array) {
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

/** Writes what a cipher makes of chunks into `target`. Returns the position behind it. */
async function transformInto(
  target: Buffer,
  chunks: readonly Uint8Array[],
  { at, cipher }: { at: number; cipher: Cipheriv | Decipheriv },
): Promise<number> {
  let written = at
  let pausedAt = at
  for (const chunk of chunks) {
    for (let from = 0; from < chunk.length; from += pieceBytes) {
      const piece = cipher.update(chunk.subarray(from, from + pieceBytes))
      target.set(piece, written)
      written += piece.length
      if (written - pausedAt < pieceBytes) continue
      pausedAt = written
      await pause()
    }
  }
  return written
}
