import { hash } from 'node:crypto'
import { AppError } from '../../kit/app-error.ts'
import { type Caller, callerKey } from '../../kit/caller.ts'

/** Scopes an Idempotency-Key to its caller. Ids instead of names: it survives a rename. */
export function scopedKeyOf(caller: Caller, key: string): string {
  return JSON.stringify([callerKey(caller), key])
}

/** Returns the message key that the delivery log has for a request with an Idempotency-Key. */
export function messageKeyOf(caller: Caller, key: string): string {
  return hash('sha256', `key ${scopedKeyOf(caller, key)}`, 'base64')
}

/** Returns the error for a key that belongs to another request. */
export function keyUsed(): AppError {
  const message = 'This Idempotency-Key was used for another request; use a new one.'
  return new AppError('conflict', 'idempotency_key_used', message)
}
