import type { Auth } from '../auth/index.ts'
import type { Emails } from '../emails/index.ts'
import { AppError } from '../kit/app-error.ts'
import type { CallerMautic } from '../kit/caller.ts'

/**
 * Finds emails and users of a Mautic. One that the last synchronization has not seen is fetched; throws an AppError
 * (`upstream`) if the Mautic does not answer.
 */
export interface MauticDirectory {
  emails: {
    find(mauticId: number, id: number): Promise<{ id: number; name: string } | undefined>
  }
  users: {
    find(
      mauticId: number,
      id: number,
    ): Promise<{ id: number; username: string; email: string } | undefined>
  }
}

/** Finds what transports are assigned to. Each throws an AppError (`not_found`). */
export interface AssignmentTargets {
  getEmail(id: number): Promise<{ id: number; name: string }>
  getUser(id: number): Promise<{ id: number; username: string; email: string }>
}

export interface TargetOptions {
  emails: Pick<Emails, 'getRow'>
  users: Pick<Auth['users'], 'getRow'>
  mautics: MauticDirectory
}

/** Returns the emails and users of a Mautic, or Mailyard's own if undefined. */
export function createTargetsOf({ emails, users, mautics }: TargetOptions) {
  const own: AssignmentTargets = {
    getEmail: (id) => emails.getRow(id),
    getUser: (id) => users.getRow(id),
  }
  return (mautic: CallerMautic | undefined): AssignmentTargets => {
    if (mautic === undefined) return own
    return {
      async getEmail(id) {
        const found = await mautics.emails.find(mautic.id, id)
        if (found === undefined) throw targetNotFound('Email', id, mautic)
        return found
      },
      async getUser(id) {
        const found = await mautics.users.find(mautic.id, id)
        if (found === undefined) throw targetNotFound('User', id, mautic)
        return found
      },
    }
  }
}

/** The error for an email or a user that does not exist. It names the Mautic. */
export function targetNotFound(
  label: 'Email' | 'User',
  id: number,
  mautic: CallerMautic | undefined,
): AppError {
  const owner = mautic === undefined ? '' : ` of Mautic ${JSON.stringify(mautic.name)}`
  const message = `${label} not found: ${id}${owner}`
  return new AppError('not_found', `${label.toLowerCase()}_not_found`, message)
}
