import { hash } from 'node:crypto'
import { AppError } from '../../kit/app-error.ts'
import { type Caller, callerKey } from '../../kit/caller.ts'

/**
 * Returns the message key that the delivery log has for a request with an Idempotency-Key. The key belongs to its caller, by
 * ids instead of names: it survives a rename.
 */
export function messageKeyOf(caller: Caller, key: string): string {
  return hash('sha256', `key ${JSON.stringify([callerKey(caller), key])}`, 'base64')
}

/** Returns the error for a key that belongs to another request. */
export function keyUsed(): AppError {
  const message = 'This Idempotency-Key was used for another request; use a new one.'
  return new AppError('conflict', 'idempotency_key_used', message)
}
