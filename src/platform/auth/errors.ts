import { AppError } from '../../kit/app-error.ts'

export const userNotFound = () => new AppError('not_found', 'user_not_found', 'User not found')

export const roleNotFound = () => new AppError('not_found', 'role_not_found', 'Role not found')

export const clientNotFound = () =>
  new AppError('not_found', 'client_not_found', 'OAuth client not found')

export const moreThanOwn = (subject: string) =>
  new AppError(
    'forbidden',
    'more_than_own_rights',
    `${subject} has permissions that you do not have. You can only grant or change permissions that you have yourself.`,
  )

export const lastAdministrator = () =>
  new AppError(
    'conflict',
    'last_administrator',
    'This would remove the last administrator whose log-in has no end (validUntil). Make another user one first.',
  )

export function roleInUse(users: number, clients: number): AppError {
  const uses = [
    ...(users > 0 ? [countOf(users, 'user')] : []),
    ...(clients > 0 ? [countOf(clients, 'OAuth client')] : []),
  ]
  const message = `The role is in use by ${uses.join(' and ')}. Give them another role first.`
  return new AppError('conflict', 'role_in_use', message)
}

function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

export const apiDisabled = () =>
  new AppError('forbidden', 'api_disabled', 'The API is disabled (MAILYARD_API_ENABLED).')

export const basicDisabled = () =>
  new AppError(
    'forbidden',
    'basic_disabled',
    'HTTP Basic authentication is disabled (MAILYARD_BASIC_AUTH_ENABLED). Use an OAuth 2.0 token.',
  )

export const unauthenticated = (message: string) =>
  new AppError('unauthenticated', 'unauthenticated', message)

export const permissionMissing = (permissions: readonly string[]) =>
  new AppError(
    'forbidden',
    'permission_missing',
    `You do not have permission to do this (${permissions.join(', ')}).`,
  )

export const allBrandsNeeded = () =>
  new AppError(
    'forbidden',
    'all_brands_needed',
    'Only who has all brands may do this: it is about the whole installation.',
  )

export const tooManyFailures = (retryAfterSeconds: number) =>
  new AppError(
    'rate_limited',
    'too_many_failures',
    `Too many failed log-ins. Try again in ${retryAfterSeconds} seconds.`,
    { retryAfterSeconds },
  )

/** The session of a cookie has ended. */
export function sessionOver(): AppError {
  return unauthenticated('The session has ended. Log in again.')
}
