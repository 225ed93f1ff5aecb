import { AppError } from '../../kit/app-error.ts'

export function mauticNotFound(id: number): AppError {
  return new AppError('not_found', 'mautic_not_found', `Mautic ${id} was not found.`)
}

/** The error for a Mautic that is to be accepted, and whose ids mean the same records as before. */
export function notReinstalled(id: number): AppError {
  const message = `Mautic ${id} is not marked as reinstalled: there is nothing to accept. Its assignments were not changed.`
  return new AppError('conflict', 'mautic_not_reinstalled', message)
}

/** The error for a Mautic whose secret was encrypted with a data key that is missing. */
export function secretUnreadable(name: string): AppError {
  const message =
    `The secret of the Mautic "${name}" cannot be decrypted, because its key is missing. ` +
    'Enter the client secret or password again.'
  return new AppError('conflict', 'mautic_secret_unreadable', message)
}
