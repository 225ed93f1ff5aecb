import { AppError } from '../../kit/app-error.ts'

/** The error for callers of a Mautic who ask for what Mailyard has itself. */
export function ownOnly(subject: string): AppError {
  const message = `${subject} is not available at the address of a Mautic. Use the address of Mailyard.`
  return new AppError('forbidden', 'not_for_mautics', message)
}
