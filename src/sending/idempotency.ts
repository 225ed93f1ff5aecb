import { hash } from 'node:crypto'
import { AppError } from '../kit/app-error.ts'
import type { Caller } from '../kit/caller.ts'

/** What a sending is known by that was made with an Idempotency-Key. A caller's keys are his own, also once he is renamed. */
export function jobKeyOf({ userId, clientId }: Caller, key: string): string {
  return JSON.stringify([userId ?? null, clientId ?? null, key])
}

/** What the message of a request with an Idempotency-Key is known by in the journal. */
export function messageKeyOf(caller: Caller, key: string): string {
  return hash('sha256', `key ${jobKeyOf(caller, key)}`, 'base64')
}

/** The key is of another request, and this one does nothing. */
export function keyUsed(): AppError {
  const message = 'This Idempotency-Key was used for another request; use a new one.'
  return new AppError('conflict', 'idempotency_key_used', message)
}
