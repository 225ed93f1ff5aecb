import { hkdfSync } from 'node:crypto'
import { AppError } from '../../kit/app-error.ts'
import { keySizeBytes, seal, unseal } from '../../kit/sealing.ts'
import type { DataKeysTable } from './table.ts'

type WrappedKey = Pick<DataKeysTable, 'id' | 'wrapped' | 'secret_key_id'>

/** Encrypts data keys with the secret key. */
export interface Wrapper {
  /** Tells one secret key from another, and nothing else of it. */
  secretKeyId: string
  wrap(id: string, key: Buffer): WrappedKey
  /** Throws an AppError (`invalid`) where another secret key wrapped it. */
  unwrap(row: WrappedKey): Buffer
}

/** Makes a wrapper from the secret key's text; what encrypts is derived by HKDF (RFC 5869). */
export function createWrapper(secretKey: string): Wrapper {
  const derive = (use: string, size: number) =>
    Buffer.from(hkdfSync('sha256', secretKey, 'mailyard', use, size))
  const wrappingKey = derive('wrap data keys', keySizeBytes)
  const secretKeyId = derive('identify', 8).toString('hex')
  const purpose = (id: string) => `data key ${id}`
  return {
    secretKeyId,
    wrap: (id, key) => ({
      id,
      wrapped: seal(wrappingKey, purpose(id), key).toString('base64'),
      secret_key_id: secretKeyId,
    }),
    unwrap({ id, wrapped, secret_key_id }) {
      if (secret_key_id !== secretKeyId) throw wrongSecretKey(secret_key_id, secretKeyId)
      return unseal(wrappingKey, purpose(id), Buffer.from(wrapped, 'base64'))
    },
  }
}

function wrongSecretKey(wanted: string, given: string): AppError {
  const message =
    `The secret key is not the one that this database was encrypted with (it wants key ${wanted}, ` +
    `this is key ${given}). Set MAILYARD_SECRET_KEY, or put back the key file, of that time.`
  return new AppError('invalid', 'wrong_secret_key', message)
}
