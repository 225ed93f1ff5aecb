import { AppError } from '../kit/app-error.ts'

/** The error for an unknown Mautic. */
export function mauticNotFound(id: number): AppError {
  return new AppError('not_found', 'mautic_not_found', `Mautic ${id} was not found.`)
}
