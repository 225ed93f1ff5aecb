import { AppError } from '../kit/app-error.ts'
import type { DsnError } from '../mailer/index.ts'

/** The sentences of this room. */
export const transportNotFound = () =>
  new AppError('not_found', 'transport_not_found', 'Transport not found')

/** The DSN's own sentence; it holds no secret. */
export const dsnRefused = ({ message, code }: DsnError) =>
  new AppError('invalid', `dsn_${code}`, message, { details: { mailerDsn: [message] } })

export const noTestRecipient = () =>
  new AppError(
    'invalid',
    'no_test_recipient',
    'There is nobody to write to: send {"to": "you@example.com"}, or set testedEmailFrom of the transport.',
  )

/** The error for a name that several transports have. */
export const transportNameAmbiguous = (name: string, ids: readonly number[]) =>
  new AppError(
    'invalid',
    'transport_name_ambiguous',
    `Several transports are named ${JSON.stringify(name.slice(0, 100))}: ${ids.join(', ')}. Use the id of one of them.`,
  )
