import { AppError } from '../kit/app-error.ts'

/** The sentences of this room. */
export const transportNotFound = (id: number) =>
  new AppError('not_found', 'transport_not_found', `Transport not found: ${id}`)
