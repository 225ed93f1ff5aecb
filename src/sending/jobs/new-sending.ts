import { hash } from 'node:crypto'
import type { Caller } from '../../kit/caller.ts'

/** To whom: contacts by id, or all of a segment. */
export type SendingTarget = { contactIds: readonly number[] } | { segment: string }

/** A sending that somebody asks for. */
export interface NewSending {
  emailId: number
  target: SendingTarget
  caller: Caller
  /** Undefined where each request is a sending of its own. */
  idempotencyKey: string | undefined
}

/** What tells it from another with the same key: the same contacts in another order are the same request. */
export function hashOf({ emailId, target }: NewSending): string {
  const whom =
    'segment' in target
      ? { segment: target.segment }
      : { contactIds: [...new Set(target.contactIds)].sort((one, other) => one - other) }
  return hash('sha256', JSON.stringify({ emailId, ...whom }), 'base64url')
}
