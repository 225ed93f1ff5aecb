import type { CallerMautic } from '../../kit/caller.ts'
import type { MaybePromise } from '../../kit/maybe-promise.ts'

/** A contact of a Mautic, with what templates show of it. */
export interface MauticContact {
  readonly id: number
  /** Null for a contact without an address. */
  readonly email: string | null
  readonly ownerId: number | null
  /** All its fields by alias, its owner, tags and segments. */
  readonly data: Readonly<Record<string, unknown>>
}

/** What a Mautic has sent, by the tracking hash of the message. */
export interface MauticSend {
  readonly email_id: number | null
  readonly contact_id: number | null
  /** The address that it was sent to, normalized. */
  readonly address_key: string
}

/**
 * What messages of a connected Mautic refer to. What is not known is fetched from the Mautic; each throws an AppError
 * (`upstream`) if it does not answer.
 */
export interface MauticDirectory {
  /** Finds a connected Mautic. */
  findById(id: number): MaybePromise<CallerMautic | undefined>
  emails: {
    find(mauticId: number, id: number): Promise<{ id: number; name: string } | undefined>
  }
  users: {
    find(
      mauticId: number,
      id: number,
    ): Promise<{ id: number; username: string; email: string } | undefined>
    findByEmail(
      mauticId: number,
      address: string,
    ): Promise<{ id: number; username: string } | undefined>
  }
  contacts: { find(mauticId: number, id: number): Promise<MauticContact | undefined> }
  sends: { find(mauticId: number, hash: string): Promise<MauticSend | undefined> }
}
