import { BoundedMemory } from '../../../kit/bounded-memory.ts'
import type { Clock } from '../../../kit/clock.ts'
import { emailKey } from '../../../kit/normalize-for-search.ts'
import type { DeliveryResult, RecipientResult, Stage } from '../../../libraries/mailer/index.ts'

/** A permanent refusal: what the server said of a recipient, and why in a sentence. */
export interface RememberedRefusal {
  readonly result: RecipientResult
  readonly reason: string | undefined
}

/** Which email a refusal is remembered for, through which transport, by whom and to whom it is written. */
export interface RefusalContext {
  callerKey: string
  /** Undefined for a message of no email: its refusals are not remembered. */
  emailId: number | undefined
  /** The id of the transport, or the kind of a route without one. */
  target: number | string
  sender: string
  /** The contact or address that the message is written to; a Bcc recipient is another address. */
  addressee: string
}

const entriesMax = 50_000

/**
 * Remembers permanent refusals for some minutes. One run of Mautic's cron job tries a refused contact up to
 * 98 times in a row; only the first try needs to reach the server that refused it.
 */
export class RefusalMemory {
  readonly #keepMs: number
  readonly #refusals: BoundedMemory<string, RememberedRefusal>

  constructor(clock: Clock, keepMs: number) {
    this.#keepMs = keepMs
    this.#refusals = new BoundedMemory({ sizeMax: entriesMax, expiry: { keepMs, clock } })
  }

  find(context: RefusalContext, address: string): RememberedRefusal | undefined {
    if (context.emailId === undefined) return undefined
    for (const scope of Object.values(scopesOf(context))) {
      const refusal = this.#refusals.get(refusalKey(context, address, scope))
      if (refusal !== undefined) return refusal
    }
    return undefined
  }

  /**
   * Remembers the permanent refusals among the recipients of a result, except those that are suppressed because of it: the
   * suppression stops further messages to them, in every process, until it is deleted.
   */
  keep(
    context: RefusalContext,
    { recipients, fault }: DeliveryResult,
    bounced: readonly string[],
  ): void {
    if (context.emailId === undefined || this.#keepMs === 0) return
    const scope = scopeAt(fault?.stage, context)
    for (const result of recipients)
      if (result.outcome === 'refused' && result.isPermanent && !bounced.includes(result.address))
        this.#refusals.set(refusalKey(context, result.address, scope), {
          result,
          reason: fault?.message,
        })
  }
}

function refusalKey(
  { callerKey, emailId, target }: RefusalContext,
  address: string,
  scope: string,
): string {
  return JSON.stringify([callerKey, emailId, target, emailKey(address), scope])
}

function scopesOf({ sender, addressee }: RefusalContext) {
  return { recipient: '', sender: `from ${sender}`, message: `for ${addressee}` }
}

/**
 * A refused sender is refused for this sender alone, and refused content for this addressee alone. An accepted message
 * has no stage: a recipient of it who was refused was refused for the address.
 */
function scopeAt(stage: Stage = 'recipient', context: RefusalContext): string {
  const scopes = scopesOf(context)
  return stage === 'recipient' || stage === 'sender' ? scopes[stage] : scopes.message
}
