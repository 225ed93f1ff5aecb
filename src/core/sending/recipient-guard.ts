import { emailKey } from '../../kit/normalize-for-search.ts'
import type { RecipientGuard } from '../../libraries/mailer/index.ts'
import { domainOf } from '../suppressions/index.ts'

/** The recipients that `MAILYARD_ALLOWED_RECIPIENTS` names. */
export class AllowedRecipients implements RecipientGuard {
  /** Undefined: everybody. */
  readonly #allowed: ReadonlySet<string> | undefined
  /** Returns why no one gets mail now, as a sentence; undefined where those who are allowed do. It is called for each message. */
  whyClosed: () => string | undefined = () => undefined

  /** @param entries Addresses and domains; undefined allows everybody. */
  constructor(entries: readonly string[] | undefined) {
    this.#allowed = entries && new Set(entries.map(keyOf))
  }

  get reason(): string {
    return this.whyClosed() ?? 'The recipient is not among MAILYARD_ALLOWED_RECIPIENTS.'
  }

  allows(address: string): boolean {
    if (this.whyClosed() !== undefined) return false
    return (
      this.#allowed === undefined ||
      this.#allowed.has(domainOf(address)) ||
      this.#allowed.has(keyOf(address))
    )
  }
}

/** Returns an address or a domain as they are compared: in lower case, and its domain in ASCII. */
function keyOf(entry: string): string {
  const local = entry.slice(0, entry.lastIndexOf('@') + 1)
  return `${emailKey(local)}${domainOf(`@${entry.slice(local.length)}`)}`
}
