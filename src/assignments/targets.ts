import type { Auth } from '../auth/index.ts'
import type { Emails } from '../emails/index.ts'
import { AppError } from '../kit/app-error.ts'
import type { CallerMautic } from '../kit/caller.ts'

interface EmailTarget {
  id: number
  name: string
}

interface UserTarget {
  id: number
  username: string
  email: string
}

/**
 * Finds emails and users of a Mautic. One that the last synchronization has not seen is fetched; throws an AppError
 * (`upstream`) if the Mautic does not answer.
 */
export interface MauticDirectory {
  emails: { find(mauticId: number, id: number): Promise<EmailTarget | undefined> }
  users: { find(mauticId: number, id: number): Promise<UserTarget | undefined> }
}

/** What transports are assigned to: emails and users of a Mautic, or Mailyard's own. */
export class AssignmentTargets {
  readonly #emails: Pick<Emails, 'getRow'>
  readonly #users: Pick<Auth['users'], 'getRow'>
  readonly #mautics: MauticDirectory

  constructor(sources: {
    emails: Pick<Emails, 'getRow'>
    users: Pick<Auth['users'], 'getRow'>
    mautics: MauticDirectory
  }) {
    this.#emails = sources.emails
    this.#users = sources.users
    this.#mautics = sources.mautics
  }

  /** Throws an AppError (`not_found`, `upstream`). */
  async getEmail(id: number, mautic: CallerMautic | undefined): Promise<EmailTarget> {
    if (mautic === undefined) return this.#emails.getRow(id)
    return required(await this.#mautics.emails.find(mautic.id, id), { kind: 'email', id, mautic })
  }

  /** Throws an AppError (`not_found`, `upstream`). */
  async getUser(id: number, mautic: CallerMautic | undefined): Promise<UserTarget> {
    if (mautic === undefined) return this.#users.getRow(id)
    return required(await this.#mautics.users.find(mautic.id, id), { kind: 'user', id, mautic })
  }
}

interface Target {
  kind: 'email' | 'user'
  id: number
  mautic: CallerMautic | undefined
}

function required<Found>(value: Found | undefined, target: Target): Found {
  if (value === undefined) throw targetNotFound(target)
  return value
}

/** The error for an email or a user that does not exist. It names the Mautic. */
export function targetNotFound({ kind, id, mautic }: Target): AppError {
  const owner = mautic === undefined ? '' : ` of Mautic ${JSON.stringify(mautic.name)}`
  const label = kind === 'email' ? 'Email' : 'User'
  return new AppError('not_found', `${kind}_not_found`, `${label} not found: ${id}${owner}`)
}
